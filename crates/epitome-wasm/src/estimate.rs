//! An estimate of a text's tokens.

use epitome::meter::Tokenizer;
use epitome_tokens::Heuristic;
use wasm_bindgen::prelude::wasm_bindgen;

/// Estimates the tokens of a text.
#[wasm_bindgen(js_name = estimateTokens)]
pub fn estimate_tokens(text: &str) -> u32 {
    Heuristic.count(text)
}
