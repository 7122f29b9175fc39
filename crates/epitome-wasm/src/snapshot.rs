//! A snapshot that was parsed, before a compactor is made of it.

use epitome::Snapshot;
use epitome::policy::Counting;
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

    /// What counts tokens by the policies of the snapshot: that of the conversation, and those of its agents.
    #[wasm_bindgen(unchecked_return_type = "Counting[]")]
    pub fn countings(&self) -> Result<JsValue, JsValue> {
        let agents = self.snapshot.agent_policies();
        let policies = std::iter::once(self.snapshot.policy()).chain(agents.into_values());
        let countings: Vec<&Counting> = policies.map(|policy| &policy.counting).collect();
        Ok(json::write(&countings)?)
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
