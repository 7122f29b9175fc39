//! What became of a compaction.

use serde::Serialize;

use crate::facts::Receipt;
use crate::history::Finding;
use crate::message::CheckpointId;
use crate::policy::Reason;

/// How a compaction ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(rename = "ReportOutcome"))]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Outcome {
    /// It is in force.
    Applied {
        /// Its checkpoint, for undo.
        checkpoint: CheckpointId,
    },
    /// There was nothing to do; the conversation is as it was.
    Skipped {
        /// Why, as a sentence for a person.
        message: String,
    },
    /// It did not work out; the conversation is as it was.
    Failed {
        /// Why and what to do, as a sentence for a person.
        message: String,
    },
    /// It was called off; the conversation is as it was.
    Cancelled,
}

/// What one compaction did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(rename = "ReportFields"))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Why it was made.
    pub reason: Reason,
    /// How it ended.
    // Never deserialized. The attribute leaves it out of the TypeScript interface, which cannot extend a union.
    #[serde(flatten, skip_deserializing)]
    pub outcome: Outcome,
    /// Tokens of the view before, by the meter.
    pub tokens_before: u32,
    /// Tokens of the view after; the same as before unless it was applied.
    pub tokens_after: u32,
    /// Messages of the view before.
    pub messages_before: u32,
    /// Messages of the view after.
    pub messages_after: u32,
    /// Messages that are seen otherwise than before, or left out, without being summarized.
    pub reduced: u32,
    /// The summary that this has put in force; `None` where it made none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Its length in characters; 0 where there is none.
    pub summary_characters: u32,
    /// What became of the facts in what was summarized; empty unless it was applied.
    pub receipt: Receipt,
    /// How often the summarizer was asked.
    pub requests: u32,
    /// Tokens of the view after, in percent of the window.
    pub budget_used_pct: f64,
    /// The session that goes on from here, from 1: every summary that comes into force begins another.
    pub session: u32,
    /// What had to be repaired in the view.
    pub findings: Vec<Finding>,
    /// Why the view is not below the threshold, where it is not: the floor, item by item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<String>,
}
