//! A compaction under way, and the next question it has for the summarizer.

use super::SummaryRequest;
use crate::message::RequestId;
use crate::plan::Plan;
use crate::summary::fold::Fold;
use crate::summary::prompt::instructions;
use crate::summary::receipt::Facts;

/// A compaction under way.
pub(super) struct Job {
    pub(super) plan: Plan,
    pub(super) fold: Fold,
    /// What must not be lost, found in the chunks so far.
    pub(super) facts: Facts,
    pub(super) instructions: Option<String>,
    /// How often the summarizer was asked for the chunk at hand.
    pub(super) attempts: u32,
    pub(super) requests: u32,
}

impl Job {
    /// What to ask about the chunk at hand.
    pub(super) fn request(&self, id: RequestId) -> SummaryRequest {
        let Plan { reason, summary_tokens, ledger_tokens, .. } = self.plan;
        let target_tokens = summary_tokens.saturating_sub(ledger_tokens).max(1);
        let place = self.fold.place();
        SummaryRequest {
            id,
            reason,
            system: instructions(reason, place, target_tokens, self.instructions.as_deref()),
            input: self.fold.envelope().render(),
            target_tokens,
            max_tokens: target_tokens.saturating_add(target_tokens / 2),
            instructions: self.instructions.clone(),
            chunk_index: place.index,
            chunk_count: place.count,
        }
    }
}
