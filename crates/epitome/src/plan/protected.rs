//! What stays of a conversation whatever is summarized, and how much room that takes.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Action;
use super::budget::appended_request;
use crate::contract::ReasoningPolicy;
use crate::conversation::Conversation;
use crate::history::Exchange;
use crate::history::exchange::exchange_of;
use crate::message::{Part, Role};
use crate::plan::reduce::{Draft, stale_reasoning};
use crate::policy::{Policy, Size};

/// The exchanges that stay wherever they are, oldest first.
pub(super) fn protected(
    conversation: &Conversation,
    policy: &Policy,
    exchanges: &[Exchange],
) -> Vec<Exchange> {
    let appended = appended_request(conversation, policy);
    let request = conversation.last_request().filter(|request| Some(*request) != appended);
    let fixed = conversation.outline().fixed.iter().copied();
    let mut positions: Vec<usize> = fixed.chain(request).chain(pending(conversation)).collect();
    positions.sort_unstable();
    let mut protected: Vec<Exchange> =
        positions.iter().filter_map(|at| exchange_of(exchanges, *at).cloned()).collect();
    protected.dedup();
    protected
}

/// The last message, but for results behind it, where it makes a call that still waits for its result, or is
/// nothing but thoughts: summarized, they would be gone when the result comes, or what they lead to.
fn pending(conversation: &Conversation) -> Option<usize> {
    let (log, outline) = (conversation.log(), conversation.outline());
    let says = |at: &usize| outline.note(*at).is_some_and(|note| !note.results);
    let last = (0..log.len()).rev().find(says)?;
    let parts = &log.message(last)?.parts;
    let thinks = |part: &Part| matches!(part, Part::Reasoning { .. });
    let alone = !parts.is_empty() && parts.iter().all(thinks);
    (alone || outline.waits(log, last)).then_some(last)
}

pub(super) fn is_system(conversation: &Conversation, position: usize) -> bool {
    conversation.outline().note(position).is_some_and(|note| note.role == Role::System)
}

/// The latest user messages before the tail that stay word for word: those of a budget, and of no
/// exchange with others; oldest first. `stays` are in order.
pub(super) fn requests_to_keep(
    draft: &Draft,
    tail_start: usize,
    stays: &[usize],
    budget: u32,
) -> Vec<usize> {
    let conversation = draft.conversation;
    let projection = conversation.projection();
    let kept: BTreeSet<usize> = projection.kept().collect();
    let covered = projection.covered;
    // As it came, what was asked is not blank.
    let is_blank = |at: &usize| {
        projection.rewritten.get(at).is_some_and(|rewritten| rewritten.message.is_blank())
    };
    let asked = &conversation.outline().asked;
    let before = asked.partition_point(|position| *position < tail_start);
    // Both go from the newest to the oldest, so that no exchange is looked for among all.
    let mut exchanges = draft.exchanges.iter().rev();
    let mut room = budget;
    let mut chosen = Vec::new();
    for position in asked.iter().take(before).rev().copied() {
        if room == 0 {
            break;
        }
        let tokens = conversation.seen_tokens(position);
        if tokens > room || stays.binary_search(&position).is_ok() {
            continue;
        }
        let there =
            if position < covered { kept.contains(&position) } else { draft.is_seen(position) };
        let exchange = exchanges.find(|exchange| exchange.start <= position);
        let alone = exchange.is_some_and(|exchange| *exchange == (position..position + 1));
        if there && alone && !is_blank(&position) {
            room -= tokens;
            chosen.push(position);
        }
    }
    chosen.reverse();
    chosen
}

/// Where the oldest rounds behind the summary end that may go: as many as these.
pub(super) fn oldest_rounds(draft: &Draft, covered: usize, rounds: u32) -> usize {
    let mut taken = 0;
    let mut end = covered;
    let free = draft
        .exchanges
        .iter()
        .filter(|exchange| exchange.start >= covered && !draft.is_protected(exchange.start));
    for exchange in free {
        if taken >= rounds {
            break;
        }
        taken += size(draft, exchange).rounds;
        end = exchange.end;
    }
    end
}

/// Leaves out sealed thoughts of these messages, once: what comes before them is about to change.
pub(super) fn strip(draft: &mut Draft, positions: impl Iterator<Item = usize>) {
    let conversation = draft.conversation;
    let reasoning = conversation.contract().reasoning;
    if !matches!(reasoning, ReasoningPolicy::MayDrop | ReasoningPolicy::Sealed) {
        return;
    }
    let outline = conversation.outline();
    for position in positions {
        let noted = outline.note(position).is_some_and(|note| note.sealed);
        let sealed = noted
            && !draft.is_protected(position)
            && draft.message(position).is_some_and(|seen| !stale_reasoning(seen).is_empty());
        if let Some(message) = conversation.log().message(position).filter(|_| sealed) {
            draft.rewrite(position, stale_reasoning(message), Action::RemoveReasoning);
        }
    }
}

/// What an exchange adds to a tail: what stays in any case takes none of the tail's tokens.
pub(super) fn size(draft: &Draft, exchange: &Range<usize>) -> Size {
    let first = draft.conversation.outline().note(exchange.start).map(|note| note.role);
    let rounds = u32::from(first == Some(Role::Assistant));
    // An exchange is protected as a whole.
    let takes = !draft.is_protected(exchange.start);
    let seen = exchange.clone().filter_map(|at| draft.seen_tokens(at));
    seen.fold(Size { messages: 0, rounds, tokens: 0 }, |size, tokens| Size {
        messages: size.messages.saturating_add(1),
        tokens: size.tokens.saturating_add(if takes { tokens } else { 0 }),
        ..size
    })
}
