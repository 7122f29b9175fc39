//! Runs the shared tests on the main thread of a page.
#![cfg(target_arch = "wasm32")]

#[cfg(test)]
mod shared;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
