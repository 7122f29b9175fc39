//! What is stored of a conversation: all of it, or what a store does not have yet.

use epitome::Stored;
use epitome::history::Record;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::Compactor;
use crate::error::Thrown;

/// How long the text of a slice is, in bytes, unless a single line is longer: some milliseconds.
const SLICE: usize = 200_000;

/// Lines that are written in slices. They are of the conversation as it was when they were begun.
#[wasm_bindgen]
pub struct Lines(epitome::Lines);

#[wasm_bindgen]
impl Lines {
    /// True if all were written.
    #[wasm_bindgen(js_name = isDone)]
    pub fn is_done(&self) -> bool {
        self.0.is_done()
    }

    /// Writes the next of them.
    pub fn advance(&mut self) -> Result<String, JsValue> {
        let mut lines = String::new();
        while lines.len() < SLICE {
            let Some(line) = self.0.next() else { break };
            lines.push_str(&line.map_err(Thrown::from)?);
        }
        Ok(lines)
    }
}

#[wasm_bindgen]
impl Compactor {
    /// The whole state as text, to continue from later.
    pub fn snapshot(&self) -> Result<String, JsValue> {
        Ok(self.engine.snapshot().to_json_lines().map_err(Thrown::from)?)
    }

    /// The same, to be written in slices.
    #[wasm_bindgen(js_name = beginSnapshot)]
    pub fn begin_snapshot(&self) -> Result<Lines, JsValue> {
        Ok(Lines(self.engine.snapshot().into_lines().map_err(Thrown::from)?))
    }

    /// Begins to collect what a store does not have yet. It has everything so far, or nothing.
    #[wasm_bindgen(js_name = collectUnsaved)]
    pub fn collect_unsaved(&mut self, has_everything: bool) {
        let stored = match has_everything {
            true => Stored::Everything,
            false => Stored::Nothing,
        };
        self.engine.collect_unsaved(stored);
    }

    /// True if a store lacks something.
    #[wasm_bindgen(js_name = hasUnsaved)]
    pub fn has_unsaved(&mut self) -> bool {
        self.engine.has_unsaved()
    }

    /// What a store lacks.
    #[wasm_bindgen(js_name = beginUnsaved)]
    pub fn begin_unsaved(&mut self) -> Result<Lines, JsValue> {
        Ok(Lines(self.engine.begin_unsaved().map_err(Thrown::from)?))
    }

    /// Takes note that a store has these lines.
    #[wasm_bindgen(js_name = handleSaved)]
    pub fn handle_saved(&mut self) {
        self.engine.handle_saved();
    }

    /// The compactor's own state as a line.
    #[wasm_bindgen(js_name = stateLine)]
    pub fn state_line(&self) -> Result<String, JsValue> {
        Ok(self.engine.state_line().map_err(Thrown::from)?)
    }

    /// What a newer engine calls the records that this one does not know.
    #[wasm_bindgen(js_name = unknownRecords)]
    pub fn unknown_records(&self) -> Vec<String> {
        let records = self.engine.log().records().iter();
        let unknown = records.filter_map(|record| match record {
            Record::Unknown(unknown) => Some(unknown.kind().to_owned()),
            _ => None,
        });
        unknown.collect()
    }
}
