//! The exact tokenizer of the crate `bpe-openai` as a wasm module for the bench.

use wasm_bindgen::prelude::wasm_bindgen;

/// The tokens of UTF-8 bytes by `o200k_base`; 0 if the bytes are not UTF-8. The first call builds the tables.
///
/// Takes bytes, so that the caller can encode strings as fast as possible.
#[wasm_bindgen]
pub fn count(utf8: &[u8]) -> usize {
    std::str::from_utf8(utf8).map_or(0, |text| bpe_openai::o200k_base().count(text))
}
