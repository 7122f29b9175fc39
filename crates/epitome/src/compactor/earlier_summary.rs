//! Recognizes the summary of an earlier compactor among the messages of an app.

use super::Compactor;
use crate::facts::read_ledger;
use crate::history::{Checkpoint, Cover, TaggedSummary};
use crate::message::{Message, Part, Role};
use crate::policy::Reason;
use crate::structured_state::StructuredState;

impl Compactor {
    /// The checkpoint of a message that is the summary of an earlier compactor; `None` for any other message, and if there
    /// is a summary already. All messages before it stay, so that no text can hide others by posing as a summary.
    pub(super) fn earlier_summary(&self, message: &Message) -> Option<Checkpoint> {
        let [Part::Text { text }] = message.parts.as_slice() else { return None };
        let can_be = matches!(message.role, Role::User | Role::System)
            && self.conversation.projection().cover.is_none();
        let TaggedSummary { frame, summary } = can_be.then(|| TaggedSummary::read(text))??;
        // With the ledger as facts, the next summary knows who said what, as that of a compactor that lives on.
        let (summary, ledger) = read_ledger(summary).unwrap_or((summary, Vec::new()));
        let cover = Cover {
            through: message.id.clone(),
            before: self.log().messages().map(|message| message.id.clone()).collect(),
            after: Vec::new(),
            role: message.role,
            summary: summary.to_owned(),
            summarizer_notes: self.returned_notes.clone(),
            ledger,
            left_out: Vec::new(),
            state: StructuredState::default(),
            appendix: String::new(),
            summarized: frame.summarized,
            shared_of: None,
            // The message itself stands for one of them.
            earlier: frame.summarized.saturating_sub(1),
            label: frame.label.map(str::to_owned),
            closing: frame.closing.map(str::to_owned),
        };
        let (id, reason) = (self.next_checkpoint(), Reason::SessionCompaction);
        let (rewrites, dropped) = Default::default();
        Some(Checkpoint { id, reason, cover: Some(cover), rewrites, dropped })
    }
}
