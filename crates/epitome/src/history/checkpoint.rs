//! One committed compaction: what the model sees instead of a prefix.

use serde::{Deserialize, Serialize};

use crate::message::{CheckpointId, MessageId};
use crate::report::Reason;

/// Stands between the messages it covers and the ones after them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// Its number.
    pub id: CheckpointId,
    /// The last message it covers; everything before that is covered too.
    pub through: MessageId,
    /// Covered messages that stay in the view all the same: system prompts, pinned exchanges, the last
    /// user request.
    pub kept: Vec<MessageId>,
    /// The summary, as the summarizer gave it.
    pub summary: String,
    /// How many messages the summary stands for, those of earlier summaries included.
    pub summarized: u32,
    /// Why it was made.
    pub reason: Reason,
    /// Tokens of the view before and after, by the meter.
    pub tokens_before: u32,
    /// See `tokens_before`.
    pub tokens_after: u32,
}
