//! Summaries without a model.

use epitome::GivenState;
use epitome::transcript::Envelope;
use epitome_extractive::{Extract, Extraction, ModelRequest, for_model};
use epitome_tokens::Heuristic;
use wasm_bindgen::prelude::wasm_bindgen;

/// A summary that quotes, in the making. In slices, since a transcript may have millions of characters.
#[wasm_bindgen]
pub struct Extractive(Extraction);

#[wasm_bindgen]
impl Extractive {
    /// Begins to summarize the input of a [`SummaryRequest`](epitome::SummaryRequest) by quoting from it, with the notes of the
    /// last answer, and with changes to the structured state if it is asked for them.
    #[wasm_bindgen(constructor)]
    pub fn new(input: &str, notes: String, target_tokens: u32, asks_for_state: bool) -> Self {
        let envelope = Envelope { notes, ..Envelope::parse(input) };
        Self(Extraction::new(envelope, target_tokens, asks_for_state))
    }

    /// Does a slice of the work. With the last one, two texts: the summary, and the notes for the next one; none before.
    pub fn advance(&mut self) -> Vec<String> {
        let extract = self.0.advance(&Heuristic);
        extract.map(|Extract { text, notes }| vec![text, notes]).unwrap_or_default()
    }
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
