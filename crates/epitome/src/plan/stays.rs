//! What stays of a conversation whatever is summarized, and how much room that takes.

use std::collections::BTreeSet;
use std::ops::Range;

use super::budget::appended_request;
use super::{Fate, sum};
use crate::contract::ReasoningPolicy;
use crate::conversation::Conversation;
use crate::history::Exchange;
use crate::history::pairing::{Pairing, Place};
use crate::message::{Part, Role};
use crate::policy::{Policy, Size};
use crate::reduce::{Draft, stale_reasoning};

/// By position: what stays wherever it is. Exchanges stay whole.
pub(super) fn protected(
    conversation: &Conversation,
    policy: &Policy,
    exchanges: &[Exchange],
    pairing: &Pairing,
) -> Vec<bool> {
    let pending = pending(conversation, pairing);
    let appended = appended_request(conversation, policy);
    let request = conversation.last_request().filter(|request| Some(*request) != appended);
    let mut protected = vec![false; conversation.log().len()];
    for exchange in exchanges {
        let stays = exchange.clone().any(|at| {
            let message = conversation.log().message(at);
            Some(at) == request
                || Some(at) == pending
                || message.is_some_and(|message| message.pinned || message.role == Role::System)
        });
        if stays {
            let places = protected.iter_mut().take(exchange.end).skip(exchange.start);
            places.for_each(|place| *place = true);
        }
    }
    protected
}

/// The last message, but for results behind it, where it makes a call that still waits for its result, or is
/// nothing but thoughts: summarized, they would be gone when the result comes, or what they lead to.
fn pending(conversation: &Conversation, pairing: &Pairing) -> Option<usize> {
    let log = conversation.log();
    let says =
        |at: &usize| log.message(*at).is_some_and(|message| message.results().next().is_none());
    let last = (0..log.len()).rev().find(says)?;
    let message = log.message(last)?;
    let calls = message.calls().enumerate();
    let waits = |part| pairing.answer(Place { message: last, part }).is_none();
    let thinks = |part: &Part| matches!(part, Part::Reasoning { .. });
    let alone = !message.parts.is_empty() && message.parts.iter().all(thinks);
    (alone || calls.map(|(part, _)| part).any(waits)).then_some(last)
}

pub(super) fn is_system(conversation: &Conversation, position: usize) -> bool {
    conversation.log().message(position).is_some_and(|message| message.role == Role::System)
}

/// The latest user messages before the tail that stay word for word: those of a budget, and of no
/// exchange with others.
pub(super) fn requests_to_keep(
    draft: &Draft,
    tail_start: usize,
    stays: &BTreeSet<usize>,
    budget: u32,
) -> BTreeSet<usize> {
    let conversation = draft.conversation;
    let kept: BTreeSet<usize> = conversation.projection().kept().collect();
    let covered = conversation.projection().covered;
    let mut room = budget;
    let mut chosen = BTreeSet::new();
    for exchange in draft.exchanges.iter().rev().filter(|exchange| exchange.end <= tail_start) {
        let position = exchange.start;
        let there =
            if position < covered { kept.contains(&position) } else { draft.is_seen(position) };
        if room == 0 || exchange.len() != 1 || !there || stays.contains(&position) {
            continue;
        }
        let asked = conversation.seen(position).is_some_and(|message| {
            message.role == Role::User && message.synthetic.is_none() && !message.is_blank()
        });
        let tokens = conversation.seen_tokens(position);
        if asked && tokens <= room {
            room -= tokens;
            chosen.insert(position);
        }
    }
    chosen
}

/// Where the oldest rounds behind the summary end that may go: as many as these.
pub(super) fn oldest_rounds(draft: &Draft, sizes: &[Size], covered: usize, rounds: u32) -> usize {
    let mut taken = 0;
    let mut end = covered;
    let free = draft.exchanges.iter().zip(sizes).filter(|(exchange, _)| {
        exchange.start >= covered && draft.protected.get(exchange.start) != Some(&true)
    });
    for (exchange, size) in free {
        if taken >= rounds {
            break;
        }
        taken += size.rounds;
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
    for position in positions {
        let protected = draft.protected.get(position) == Some(&true);
        let sealed = !protected
            && draft.message(position).is_some_and(|seen| !stale_reasoning(seen).is_empty());
        if let Some(message) = conversation.log().message(position).filter(|_| sealed) {
            draft.rewrite(position, stale_reasoning(message), Fate::Strip);
        }
    }
}

/// What an exchange adds to a tail: what stays in any case takes none of the tail's tokens.
pub(super) fn size(draft: &Draft, exchange: &Range<usize>) -> Size {
    let log = draft.conversation.log();
    let first = log.message(exchange.start).map(|message| message.role);
    let seen = exchange.clone().filter(|at| draft.is_seen(*at));
    let loose = seen.clone().filter(|at| draft.protected.get(*at) != Some(&true));
    Size {
        messages: u32::try_from(seen.count()).unwrap_or(u32::MAX),
        rounds: u32::from(first == Some(Role::Assistant)),
        tokens: sum(loose.map(|at| draft.tokens_of(at))),
    }
}
