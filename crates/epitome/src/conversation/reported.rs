//! Whether a count that a provider reported can be true of the view.

use super::Conversation;
use crate::calibration::LEAST_FACTOR;
use crate::message::{Message, Part};
use crate::tokens::ONE;

/// What became of a count that the provider reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Reported {
    /// It is the count of the view from now on.
    Used,
    /// It is about another view, and says nothing about this one.
    OtherView,
    /// It is far below what is certain to be in the view. Nothing is learned from it, and the earlier count goes on to
    /// be used.
    Ignored,
}

impl Conversation {
    /// True if a prompt of the view up to the first `messages` messages can have this many tokens by the provider's count.
    ///
    /// A calibrated provider counts at least half of what the meter counts, and the meter may be wrong by its error band. A
    /// count below half of even that is not one of this text: some servers report 0 for a stream, or only what their cache
    /// did not have. Only text, calls and results are compared. What a provider takes for an image or a file differs
    /// widely, and earlier reasoning may be left out.
    ///
    /// Costs O(1) for a count that is believed in any case; otherwise it ends with the first messages that refute it, or is
    /// linear in the number of messages.
    pub(super) fn can_be(&self, reported: u32, messages: usize) -> bool {
        let counted = f64::from(LEAST_FACTOR) / f64::from(ONE) * (1.0 - self.meter.error_band());
        let left_out = u64::from(self.context.left_out());
        let refutes = |tokens: u64| {
            tokens.saturating_sub(left_out) as f64 * counted / 2.0 > f64::from(reported)
        };
        if !refutes(self.by_script_up_to(messages).sum().into()) {
            return true;
        }
        let mut certain = 0;
        let tail = self.projection.covered..messages;
        let seen = tail.rev().filter(|at| !self.projection.dropped.contains(at));
        for position in seen.chain(self.projection.kept()) {
            certain += u64::from(self.certain_tokens(position));
            if refutes(certain) {
                return false;
            }
        }
        let summary = self.projection.cover.as_ref();
        let summary = summary.map_or(0, |cover| self.text_cost(cover.framed()).by_script().sum());
        !refutes(certain + u64::from(summary))
    }

    /// Tokens of what every provider counts of a message in the view, by the meter and without weights.
    fn certain_tokens(&self, position: usize) -> u32 {
        let is_text = |part: &Part| {
            matches!(part, Part::Text { .. } | Part::ToolCall { .. } | Part::ToolResult { .. })
        };
        if let Some(rewritten) = self.projection.rewritten.get(&position) {
            let tokens = self.base.rewritten.get(&position);
            let known = tokens.filter(|_| rewritten.message.parts.iter().all(is_text));
            return known.map_or(0, |tokens| tokens.by_script.sum());
        }
        let parts = |message: &'_ Message| {
            let costs = self.meter.cost(position).map(|cost| &*cost.parts).unwrap_or_default();
            let text = message.parts.iter().zip(costs).filter(|(part, _)| is_text(part));
            text.fold(0_u32, |sum, (_, cost)| {
                sum.saturating_add(cost.latin).saturating_add(cost.non_latin)
            })
        };
        self.log.message(position).map_or(0, parts)
    }
}
