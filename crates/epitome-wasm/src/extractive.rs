//! Summaries without a model.

use epitome::extractive::extract;
use epitome::transcript::Envelope;
use epitome_tokens::Heuristic;
use wasm_bindgen::prelude::wasm_bindgen;

/// Summarizes the input of a [`SummaryRequest`](epitome::SummaryRequest) by quoting from it.
#[wasm_bindgen]
pub fn extractive(input: &str, target_tokens: u32) -> String {
    extract(&Envelope::parse(input), target_tokens, &Heuristic)
}
