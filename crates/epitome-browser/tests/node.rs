//! Runs the shared tests in Node.
#![cfg(target_arch = "wasm32")]

#[cfg(test)]
mod shared;
