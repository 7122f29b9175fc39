//! How often each layer of compaction has worked in a conversation.

use serde::Serialize;

use super::log::Log;
use super::record::Record;
use crate::policy::Reason;

/// How often each layer has worked, without compactions that were undone. The earlier ones save what would make the later ones
/// due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Layers {
    /// Only reducers: tool results were shortened by their age, copies removed, and the like, without a model.
    pub reduced: u32,
    /// The conversation was summarized.
    pub summarized: u32,
    /// A completed task was summarized.
    pub transitions: u32,
}

impl Log {
    /// How often each layer has worked. Linear in the records.
    pub fn layers(&self) -> Layers {
        let mut layers = Layers::default();
        for record in self.records() {
            let Record::Checkpoint { checkpoint } = record else { continue };
            let layer = match (&checkpoint.cover, checkpoint.reason) {
                (None, _) => &mut layers.reduced,
                (Some(_), Reason::TaskTransition) => &mut layers.transitions,
                (Some(_), _) => &mut layers.summarized,
            };
            *layer = layer.saturating_add(1);
        }
        layers
    }
}
