//! Summaries without a model.

use epitome::GivenState;
use epitome::transcript::Envelope;
use epitome_extractive::{ModelRequest, extract, extract_with_state, for_model};
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

/// The request to a model for a summary that begins with the state of the messages: three texts, which are the state, the
/// instructions and the text to summarize. None if there is no state, or if the summary is too short for one.
#[wasm_bindgen(js_name = forModel)]
pub fn request_for_model(
    system: &str,
    input: &str,
    target_tokens: u32,
    is_shown: bool,
    asks_for_state: bool,
) -> Vec<String> {
    let envelope = Envelope::parse(input);
    let given_state = if is_shown { GivenState::Shown } else { GivenState::Hidden };
    let given =
        for_model(system, &envelope, target_tokens, (given_state, asks_for_state), &Heuristic);
    let texts = given.map(|ModelRequest { state, system, input }| vec![state, system, input]);
    texts.unwrap_or_default()
}
