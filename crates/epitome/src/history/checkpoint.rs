//! Checkpoints: one committed compaction each, and how it changes the view.

use serde::{Deserialize, Serialize};

use super::rewrite::Rewrite;
use super::tagged::{self, Frame};
use crate::facts::{Fact, ledger, lists};
use crate::message::{CheckpointId, MessageId, Role};
use crate::policy::Reason;
use crate::structured_state::StructuredState;

/// A committed compaction. Active checkpoints build on each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// Its number.
    pub id: CheckpointId,
    /// Why the compaction ran.
    pub reason: Reason,
    /// The summary, which replaces any earlier one; `None` if nothing was summarized.
    pub cover: Option<Cover>,
    /// Messages that are rewritten, in addition to those of earlier checkpoints.
    pub rewrites: Vec<Rewrite>,
    /// Messages that are removed from the view, in addition to those of earlier checkpoints.
    pub dropped: Vec<MessageId>,
}

impl Checkpoint {
    /// The messages that it names: the last one that it covers, and those that it rewrites or removes.
    pub fn messages(&self) -> impl Iterator<Item = &MessageId> {
        let through = self.cover.iter().map(|cover| &cover.through);
        let rewritten = self.rewrites.iter().map(|rewrite| &rewrite.id);
        through.chain(rewritten).chain(&self.dropped)
    }
}

/// A summary and the messages that it stands for: all messages up to one, except those that stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cover {
    /// The last message that it covers. All messages before that one are covered too.
    pub through: MessageId,
    /// Covered messages that stay before the summary.
    pub before: Vec<MessageId>,
    /// Covered messages that stay after the summary.
    pub after: Vec<MessageId>,
    /// The role of the summary's message.
    pub role: Role,
    /// The summary as the summarizer wrote it.
    pub summary: String,
    /// What the summarizer noted for itself when it wrote the summary. No model reads it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summarizer_notes: String,
    /// Facts that the summary lost, which are appended to it word for word.
    pub ledger: Vec<Fact>,
    /// Items of checklists and criteria for which the policy has no space. The text says how many they are, and a later
    /// compaction may have space for them.
    pub left_out: Vec<Fact>,
    /// The structured state with the changes of this summary's summarizer. Empty if the policy asks for none.
    #[serde(default, skip_serializing_if = "StructuredState::is_empty")]
    pub state: StructuredState,
    /// Text that is appended word for word: the open tasks and the last request at the time of the compaction. It may
    /// be empty. A later summary has its own.
    pub appendix: String,
    /// Number of messages that the summary stands for, including those of earlier summaries.
    pub summarized: u32,
    /// For a summary that all agents share, the number of messages that its text names: those that are for everyone. So the
    /// views of all agents begin with the same text, which a provider reads from its cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_of: Option<u32>,
    /// How many messages another compactor had summarized before the first one of this log. The numbers in transcripts
    /// count them, so that no two messages of a summary have one number.
    #[serde(default)]
    pub earlier: u32,
    /// The line in front of the summary. A later summary has its own.
    pub label: Option<String>,
    /// The text that ends the summary's message. A later summary has its own.
    pub closing: Option<String>,
}

impl Cover {
    /// Summary, ledger, lists, state and appendix: the text that the model reads.
    pub fn text(&self) -> String {
        joined([&self.text_to_continue(), &self.state.to_text(), &self.appendix])
    }

    /// The text of the summary's message: [`Self::text`] in tags, with label and closing text.
    pub(crate) fn framed(&self) -> String {
        let (label, closing) = (self.label.as_deref(), self.closing.as_deref());
        tagged::summary(&self.text(), Frame { label, summarized: self.said_number(), closing })
    }

    /// [`Self::text`] in tags alone.
    pub(crate) fn tagged(&self) -> String {
        let summarized = self.said_number();
        tagged::summary(&self.text(), Frame { label: None, summarized, closing: None })
    }

    fn said_number(&self) -> u32 {
        self.shared_of.unwrap_or(self.summarized)
    }

    /// Summary, ledger and lists: the text that a later summary builds on.
    pub fn text_to_continue(&self) -> String {
        joined([&self.summary, &ledger(&self.ledger), &lists(&self.ledger, &self.left_out)])
    }
}

/// The texts that are not empty, separated by blank lines.
fn joined<const N: usize>(texts: [&str; N]) -> String {
    let texts: Vec<&str> =
        texts.into_iter().map(str::trim_end).filter(|text| !text.is_empty()).collect();
    texts.join("\n\n")
}

#[cfg(test)]
impl Checkpoint {
    /// A compaction that changes nothing, for a test to begin with.
    pub(crate) fn empty(id: u32) -> Self {
        let (rewrites, dropped) = (Vec::new(), Vec::new());
        Self { id: CheckpointId(id), reason: Reason::Manual, cover: None, rewrites, dropped }
    }
}

#[cfg(test)]
impl Cover {
    /// A short summary of all messages up to one.
    pub(crate) fn through(id: &str) -> Self {
        Self {
            through: id.into(),
            before: Vec::new(),
            after: Vec::new(),
            role: Role::User,
            summary: "They talked.".into(),
            summarizer_notes: String::new(),
            ledger: Vec::new(),
            left_out: Vec::new(),
            state: StructuredState::default(),
            appendix: String::new(),
            summarized: 1,
            shared_of: None,
            earlier: 0,
            label: None,
            closing: None,
        }
    }
}
