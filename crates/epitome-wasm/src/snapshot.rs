//! A snapshot that was parsed, before a compactor is made of it.

use epitome::Snapshot;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::Thrown;
use crate::json;

/// A snapshot. It names what counts tokens, which may have to be loaded before [`Compactor::restore`](crate::Compactor::restore).
#[wasm_bindgen]
pub struct ParsedSnapshot {
    snapshot: Snapshot,
}

#[wasm_bindgen]
impl ParsedSnapshot {
    /// Parses the text in the scratch buffer.
    pub fn parse(bytes: usize) -> Result<Self, JsValue> {
        epitome_buffer::look(bytes, |text| Self::from_text(&String::from_utf8_lossy(text)))
    }

    /// What counts tokens by the snapshot's policy.
    #[wasm_bindgen(unchecked_return_type = "Counting")]
    pub fn counting(&self) -> Result<JsValue, JsValue> {
        Ok(json::write(&self.snapshot.policy().counting)?)
    }
}

impl ParsedSnapshot {
    /// Parses a text.
    pub fn from_text(text: &str) -> Result<Self, JsValue> {
        let snapshot = Snapshot::from_json_lines(text).map_err(Thrown::from)?;
        Ok(Self { snapshot })
    }

    pub(crate) fn into_snapshot(self) -> Snapshot {
        self.snapshot
    }
}
