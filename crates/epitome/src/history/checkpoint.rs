//! One committed step: what the model sees otherwise from then on.

use serde::{Deserialize, Serialize};

use super::rewrite::Rewrite;
use crate::facts::{Fact, ledger};
use crate::message::{CheckpointId, MessageId, Role};
use crate::policy::Reason;

/// A step that was taken. Steps in force build on each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// Its number.
    pub id: CheckpointId,
    /// Why it was made.
    pub reason: Reason,
    /// The summary, where there is one: it takes the place of any earlier one.
    pub cover: Option<Cover>,
    /// Messages that are seen otherwise than they came, besides those of earlier steps.
    pub rewrites: Vec<Rewrite>,
    /// Messages that are left out, besides those of earlier steps.
    pub dropped: Vec<MessageId>,
}

/// A summary, and what it stands for: every message up to one, but for those that stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cover {
    /// The last message it covers; everything before that is covered too.
    pub through: MessageId,
    /// Covered messages that stay, in front of the summary.
    pub before: Vec<MessageId>,
    /// Covered messages that stay, behind the summary.
    pub after: Vec<MessageId>,
    /// Whose message the summary is.
    pub role: Role,
    /// The summary, as the summarizer gave it.
    pub summary: String,
    /// Facts that it lost, which stand behind it word for word.
    pub ledger: Vec<Fact>,
    /// What stood behind it word for word when it was made: open tasks, the last request. Empty where
    /// there was none; a later summary has its own.
    pub appendix: String,
    /// How many messages the summary stands for, those of earlier summaries included.
    pub summarized: u32,
}

impl Cover {
    /// Summary, ledger and appendix, as the model sees them.
    pub fn text(&self) -> String {
        joined([&self.summary, &ledger(&self.ledger), &self.appendix])
    }

    /// Summary and ledger: what a later summary builds on.
    pub fn notes(&self) -> String {
        joined([&self.summary, &ledger(&self.ledger), ""])
    }
}

/// What is not empty, a blank line between.
fn joined(texts: [&str; 3]) -> String {
    let texts: Vec<&str> =
        texts.into_iter().map(str::trim_end).filter(|text| !text.is_empty()).collect();
    texts.join("\n\n")
}
