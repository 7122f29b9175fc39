//! What a search in the whole conversation needs of it. The search itself is a module of its own.

use epitome_formats::split_step_id;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::Compactor;

#[wasm_bindgen]
impl Compactor {
    /// How often messages have changed that were there before: what an index of them remembers.
    pub fn changes(&self) -> usize {
        self.engine.log().changes()
    }

    /// From which position on messages have changed since there were this many changes, if they have.
    #[wasm_bindgen(js_name = changedSince)]
    pub fn changed_since(&self, changes: usize) -> Option<usize> {
        self.engine.log().changed_since(changes)
    }

    /// The message at a position: its id, its speaker, its text, and its time if that is known. Empty behind the last one.
    #[wasm_bindgen(unchecked_return_type = "[] | [string, string, string, number?]")]
    pub fn searchable(&self, position: usize) -> Vec<JsValue> {
        let id = self.engine.log().message(position).map(|message| split_step_id(&message.id).0);
        let (Some(id), Some(entry)) = (id, self.engine.searchable(position)) else {
            return Vec::new();
        };
        let mut found: Vec<JsValue> =
            vec![id.as_str().into(), entry.speaker.into(), entry.text.into()];
        found.extend(entry.time.map(|time| JsValue::from_f64(time.0 as f64)));
        found
    }

    /// The position of a message; undefined if it is not in the conversation.
    #[wasm_bindgen(js_name = positionOf)]
    pub fn position_of(&self, id: &str) -> Option<usize> {
        self.engine.log().position(&id.into())
    }

    /// For each message 1 if the model does not get it, or not whole; otherwise 0.
    pub fn departed(&self) -> Vec<u8> {
        let projection = self.engine.conversation().projection();
        let mut departed = vec![0; self.engine.log().len()];
        for position in projection.compacted().chain(projection.rewritten.keys().copied()) {
            if let Some(slot) = departed.get_mut(position) {
                *slot = 1;
            }
        }
        departed
    }

    /// The summary that the view has; empty if it has none.
    pub fn summary(&self) -> String {
        let projection = self.engine.conversation().projection();
        let Some(cover) = &projection.cover else { return String::new() };
        let facts = cover.ledger.iter().map(|fact| fact.text.as_str());
        std::iter::once(cover.summary.as_str()).chain(facts).collect::<Vec<_>>().join("\n")
    }
}
