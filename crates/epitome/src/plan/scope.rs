//! What is chosen for one compaction alone, beside the policy.

use crate::history::Exchange;

/// What one compaction may replace, as somebody has chosen it in the conversation. The default leaves it to the policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The position in front of which the summary ends, whatever the policy keeps. A tool call is never separated from its
    /// results, so that the summary may end earlier. No reducer works then, so that everything behind it stays as it is, and
    /// nothing more is taken if the result is still above the target.
    pub up_to: Option<usize>,
    /// The positions of messages that this compaction leaves as they are, with the calls and results that belong to them. Unlike
    /// a pin, it is forgotten afterwards.
    pub exempt: Vec<usize>,
}

impl Scope {
    /// True if the policy alone decides.
    pub fn is_default(&self) -> bool {
        self.up_to.is_none() && self.exempt.is_empty()
    }

    /// Where the tail begins, between two exchanges. O(log n).
    pub(super) fn tail_start(&self, exchanges: &[Exchange]) -> Option<usize> {
        let wanted = self.up_to?;
        let whole = exchanges.partition_point(|exchange| exchange.end <= wanted);
        Some(whole.checked_sub(1).and_then(|last| exchanges.get(last)).map_or(0, |last| last.end))
    }
}
