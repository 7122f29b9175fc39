//! Signed reasoning that a model accepts only behind an unchanged history, and what a plan does about it.

use serde::Serialize;

use super::Action;
use super::reduce::Reduction;
use crate::contract::Thinking;
use crate::conversation::Conversation;
use crate::history::{Exchange, without_signed_reasoning};
use crate::message::Message;
use crate::policy::{LockedReasoning, Policy};
use crate::tokens::MeterTokens;

/// Why nothing is summarized up to an end that is in front of reasoning which stays with everything before it.
pub(super) const REASONING_BEHIND_END: &str = "the model accepts the reasoning behind the chosen end only with everything in front of it; choose a later end";

/// Why there is no append-only compaction in the middle of a tool call that follows signed reasoning.
pub(super) const WAITS_WITH_REASONING: &str = "a message that stays has reasoning that the model accepts only behind an unchanged \
    history; compact after its results are there, or set policy.lockedReasoning to remove";

/// What a compaction costs with a model that accepts signed reasoning only behind an unchanged history. Either these parts
/// are removed, or the app has to send the provider's switch that drops them; see
/// [`LockedReasoning`](crate::policy::LockedReasoning).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct LockedParts {
    /// How many parts these are.
    pub parts: u32,
    /// Their tokens.
    pub tokens: u32,
    /// True if the compaction removes them.
    pub removed: bool,
}

/// True if the model accepts signed reasoning only behind an unchanged history. Any other model accepts the reasoning of a
/// message that stays.
fn locks_reasoning(conversation: &Conversation, policy: &Policy) -> bool {
    conversation.contract().thinking(policy.model.as_deref()) == Thinking::LockedToPrefix
}

/// True if nothing may change before signed reasoning that stays.
pub(super) fn is_append_only(conversation: &Conversation, policy: &Policy) -> bool {
    policy.locked_reasoning == LockedReasoning::AppendOnly && locks_reasoning(conversation, policy)
}

/// The last exchange from a position on that has signed reasoning in the view.
pub(super) fn last_with_reasoning(reduction: &Reduction, from: usize) -> Option<Exchange> {
    let conversation = reduction.conversation;
    let from = from.max(conversation.projection().covered);
    let has = |at: &usize| {
        conversation.index().note(*at).is_some_and(|note| note.signed_reasoning)
            && reduction.message(*at).is_some_and(Message::has_signed_reasoning)
    };
    let last = (from..conversation.log().len()).rfind(has)?;
    reduction.exchange_of(last).cloned()
}

/// The signed reasoning of these messages, if the model accepts it only behind an unchanged history, which is about to
/// change. It is removed, unless the policy keeps it.
pub(super) fn take_locked_reasoning(
    reduction: &mut Reduction,
    positions: impl Iterator<Item = usize>,
) -> Option<LockedParts> {
    let (conversation, policy) = (reduction.conversation, reduction.policy);
    if !locks_reasoning(conversation, policy) {
        return None;
    }
    let index = conversation.index();
    // A call that waits for its result is protected too, but is to be sent as soon as the result is there.
    let is_fixed = |exchange: &Exchange| index.is_fixed(exchange);
    let removed = policy.locked_reasoning != LockedReasoning::Keep;
    let (mut parts, mut tokens) = (0_usize, MeterTokens::ZERO);
    let covered = conversation.projection().covered;
    for position in positions {
        let bound = (position < covered || reduction.is_seen(position))
            && index.note(position).is_some_and(|note| note.signed_reasoning)
            && !reduction.exchange_of(position).is_some_and(is_fixed)
            && reduction.message(position).is_some_and(Message::has_signed_reasoning);
        if let Some(message) = conversation.log().message(position).filter(|_| bound) {
            // Changes count the parts of the original message. The parts of a rewritten message can have other
            // indices.
            let changes = without_signed_reasoning(message, &[]);
            parts += changes.len();
            let meter = conversation.meter();
            let reasoning = changes.iter().filter_map(|change| message.parts.get(change.part));
            tokens += reasoning.map(|part| meter.part_tokens(part)).sum();
            if removed {
                reduction.rewrite(position, changes, Action::RemoveReasoning);
            }
        }
    }
    let parts = u32::try_from(parts).unwrap_or(u32::MAX);
    let tokens = reduction.scale.to_provider(tokens);
    (parts > 0).then_some(LockedParts { parts, tokens, removed })
}
