//! Summaries without a model.

use epitome::transcript::Envelope;
use epitome_extractive::{extract, extract_with_state};
use epitome_tokens::Heuristic;
use wasm_bindgen::prelude::wasm_bindgen;

/// Summarizes the input of a [`SummaryRequest`](epitome::SummaryRequest) by quoting from it, with the notes of its last
/// answer, and with changes to the structured state if it is asked for them. The result has two texts: the summary, and the
/// notes for the next one.
#[wasm_bindgen]
pub fn extractive(
    input: &str,
    notes: String,
    target_tokens: u32,
    asks_for_state: bool,
) -> Vec<String> {
    let envelope = Envelope { notes, ..Envelope::parse(input) };
    let extract = match asks_for_state {
        true => extract_with_state(&envelope, target_tokens, &Heuristic),
        false => extract(&envelope, target_tokens, &Heuristic),
    };
    vec![extract.text, extract.notes]
}
