//! Summaries without a model.

use epitome::extractive::extract;
use epitome::transcript::Envelope;
use epitome_tokens::Heuristic;
use wasm_bindgen::prelude::wasm_bindgen;

/// Summarizes the input of a [`SummaryRequest`](epitome::SummaryRequest) by quoting from it, with the notes of its last
/// answer. The result has two texts: the summary, and the notes for the next one.
#[wasm_bindgen]
pub fn extractive(input: &str, notes: String, target_tokens: u32) -> Vec<String> {
    let envelope = Envelope { notes, ..Envelope::parse(input) };
    let extract = extract(&envelope, target_tokens, &Heuristic);
    vec![extract.text, extract.notes]
}
