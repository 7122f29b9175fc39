//! Runs the shared tests in a dedicated worker.
#![cfg(target_arch = "wasm32")]

#[cfg(test)]
mod shared;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
