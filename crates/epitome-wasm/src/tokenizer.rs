//! What counts tokens.

use epitome::meter::BoxedTokenizer;
use epitome_tokens::{CharactersPer, Heuristic};
use wasm_bindgen::prelude::wasm_bindgen;

/// So many characters a token, or the package's own estimate.
pub(crate) fn of(characters_per_token: Option<u32>) -> BoxedTokenizer {
    match characters_per_token {
        Some(characters) => Box::new(CharactersPer(characters)),
        None => Box::new(Heuristic),
    }
}

/// Estimates the tokens of a text.
#[wasm_bindgen(js_name = estimateTokens)]
pub fn estimate_tokens(text: &str, characters_per_token: Option<u32>) -> u32 {
    of(characters_per_token).count(text)
}
