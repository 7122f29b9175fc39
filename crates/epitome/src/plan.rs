//! What a compaction would do to every message: a value that changes nothing.

use std::ops::Range;

use serde::Serialize;

use crate::conversation::Conversation;
use crate::history::{Exchange, exchanges, pairing::Pairing};
use crate::message::{Message, MessageId, Role};
use crate::policy::{Policy, Size};
use crate::report::Reason;
use crate::summary::receipt::Stay;
use crate::summary::{chunk::chunks, cut::cut, envelope::Entry, transcript::transcript};

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It stays word for word.
    Keep,
    /// The summary is to stand for it.
    Summarize,
    /// The summary in force already stands for it.
    Summarized,
}

impl Fate {
    /// The fate's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Summarize => "summarize",
            Self::Summarized => "summarized",
        }
    }
}

/// A compaction, thought through but not done.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Why it would be made.
    pub reason: Reason,
    /// The fate of each message, by position.
    pub fates: Vec<Fate>,
    /// Where the tail begins: every message before it is covered.
    pub tail_start: usize,
    /// How many tokens the summary may take, its ledger included.
    pub summary_tokens: u32,
    /// How many of those are for the ledger of facts that the summary lost.
    pub ledger_tokens: u32,
    /// Tokens of the view now, by the meter, tool schemas included.
    pub tokens_before: u32,
    /// Tokens of the view with a summary of `summary_tokens`.
    pub tokens_after: u32,
    /// How often the summarizer would be asked.
    pub requests: u32,
    /// Why there is nothing to do, where that is so.
    pub idle: Option<String>,
    /// Why the threshold cannot be met, where that is so: the floor, item by item.
    pub floor: Option<String>,
}

/// A summary shorter than this says nothing.
const SHORTEST_SUMMARY: u32 = 48;

impl Plan {
    /// Plans a compaction. Linear in the history, but for sorting its tool calls.
    ///
    /// The tail is what `policy.keep` wants and the target has room for; system prompts, pinned
    /// exchanges and the last user request stay wherever they are; the summary stands for the rest.
    pub fn new(conversation: &Conversation, policy: &Policy, reason: Reason) -> Self {
        let mut plan = Self::draft(conversation, policy, reason);
        if plan.idle.is_none() {
            let chunks = plan.chunks(conversation, policy).len();
            plan.requests = u32::try_from(chunks).unwrap_or(u32::MAX);
        }
        plan
    }

    /// The plan without its number of requests, for whoever is about to make the chunks anyway.
    pub(crate) fn draft(conversation: &Conversation, policy: &Policy, reason: Reason) -> Self {
        let log = conversation.log();
        let (end, covered) = (log.len(), log.covered());
        let exchanges = exchanges(end, &Pairing::of(log.messages()));
        let protected: Vec<bool> =
            exchanges.iter().map(|exchange| is_protected(conversation, exchange)).collect();
        let protected_tokens =
            tokens_of(conversation, exchanges.iter().zip(&protected).filter(|(_, p)| **p));
        let budget = Budget::new(policy, protected_tokens, conversation);

        let sizes: Vec<Size> = exchanges
            .iter()
            .zip(&protected)
            .map(|(exchange, protected)| size(conversation, exchange, *protected))
            .collect();
        let keep = policy.keep;
        let tail_start =
            cut(&exchanges, &sizes, covered, end, keep, policy.window, budget.tail).max(covered);

        let mut fates = vec![Fate::Summarized; covered.min(end)];
        fates.resize(tail_start.min(end), Fate::Summarize);
        fates.resize(end, Fate::Keep);
        for (exchange, _) in exchanges.iter().zip(&protected).filter(|(_, protected)| **protected) {
            fates.iter_mut().take(exchange.end).skip(exchange.start).for_each(|f| *f = Fate::Keep);
        }

        let prefix_tokens = tokens_with(conversation, &fates, Fate::Summarize);
        let kept_tokens = tokens_with(conversation, &fates, Fate::Keep);
        let tokens_before = conversation.counted_tokens().saturating_add(policy.tool_schema_tokens);
        let mut plan = Self {
            reason,
            fates,
            tail_start,
            summary_tokens: budget.summary,
            ledger_tokens: 0,
            tokens_before,
            tokens_after: tokens_before,
            requests: 0,
            idle: None,
            floor: floor(conversation, policy, tokens_before),
        };
        if prefix_tokens == 0 {
            plan.idle = Some(plan.why_idle(end));
            return plan;
        }
        // A summary is not worth having that is as long as what it stands for.
        let previous = conversation.breakdown(0).summary;
        let replaced = prefix_tokens.saturating_add(previous);
        plan.summary_tokens = plan.summary_tokens.min(replaced / 2).max(1);
        plan.ledger_tokens = policy.summary.ledger_tokens.min(plan.summary_tokens / 4);
        plan.tokens_after = kept_tokens
            .saturating_add(conversation.summary_tokens("", 1))
            .saturating_add(plan.summary_tokens)
            .saturating_add(policy.tool_schema_tokens);
        plan
    }

    fn why_idle(&self, messages: usize) -> String {
        match &self.floor {
            Some(floor) => format!("nothing is left to summarize: {floor}"),
            None if messages == 0 => "the conversation is empty".to_owned(),
            None => {
                "nothing is left to summarize: every message is pinned, a system prompt, or in \
                     the tail that the policy keeps"
                    .to_owned()
            }
        }
    }

    /// What the summarizer would read, chunk by chunk.
    pub fn chunks(&self, conversation: &Conversation, policy: &Policy) -> Vec<Vec<Entry>> {
        let log = conversation.log();
        let last_request = conversation.last_request();
        let prefix: Vec<(u32, &Message)> = (log.covered()..self.tail_start)
            .filter(|at| self.fates.get(*at) == Some(&Fate::Summarize) || Some(*at) == last_request)
            .filter_map(|at| Some((u32::try_from(at + 1).ok()?, log.message(at)?)))
            .collect();
        chunks(transcript(&prefix, &policy.summary), &policy.summary)
    }

    /// What the messages that stay say.
    pub fn stays(&self, conversation: &Conversation) -> Vec<Stay> {
        let messages = conversation.log().messages().zip(&self.fates);
        let staying = messages.filter(|(_, fate)| **fate == Fate::Keep);
        staying.map(|(message, _)| Stay { text: message.words(), role: message.role }).collect()
    }

    /// The last message it covers; `None` where it covers none.
    pub fn through<'a>(&self, conversation: &'a Conversation) -> Option<&'a MessageId> {
        let last = self.tail_start.checked_sub(1)?;
        conversation.log().message(last).map(|message| &message.id)
    }

    /// The covered messages that stay in the view.
    pub fn kept(&self, conversation: &Conversation) -> Vec<MessageId> {
        let covered = self.fates.iter().take(self.tail_start).enumerate();
        covered
            .filter(|(_, fate)| **fate == Fate::Keep)
            .filter_map(|(at, _)| Some(conversation.log().message(at)?.id.clone()))
            .collect()
    }

    /// How many messages the summary would stand for.
    pub fn summarized(&self) -> u32 {
        let gone = self.fates.iter().filter(|fate| **fate != Fate::Keep).count();
        u32::try_from(gone).unwrap_or(u32::MAX)
    }
}

/// How the room below the target is shared out.
struct Budget {
    summary: u32,
    tail: u32,
}

impl Budget {
    fn new(policy: &Policy, protected_tokens: u32, conversation: &Conversation) -> Self {
        let fixed = protected_tokens
            .saturating_add(policy.tool_schema_tokens)
            .saturating_add(conversation.summary_tokens("", 1));
        let shortest = SHORTEST_SUMMARY.min(policy.summary.max_tokens);
        let mut room = policy.target_tokens().saturating_sub(fixed);
        if room < shortest.saturating_mul(2) {
            // The target is out of reach; the threshold may not be.
            let limit = policy.threshold().unwrap_or(policy.window).saturating_sub(1);
            room = limit.saturating_sub(fixed);
        }
        let summary = (room / 2).min(policy.summary.max_tokens).max(shortest);
        Self { summary, tail: room.saturating_sub(summary) }
    }
}

fn is_protected(conversation: &Conversation, exchange: &Exchange) -> bool {
    let last_request = conversation.last_request();
    exchange.clone().any(|at| {
        Some(at) == last_request
            || conversation
                .log()
                .message(at)
                .is_some_and(|message| message.pinned || message.role == Role::System)
    })
}

fn tokens_of<'a, T>(
    conversation: &Conversation,
    exchanges: impl Iterator<Item = (&'a Exchange, T)>,
) -> u32 {
    exchanges.fold(0, |sum, (exchange, _)| {
        sum.saturating_add(conversation.meter().span(exchange.clone()).sum())
    })
}

fn tokens_with(conversation: &Conversation, fates: &[Fate], wanted: Fate) -> u32 {
    let meter = conversation.meter();
    let matching = fates.iter().enumerate().filter(|(_, fate)| **fate == wanted);
    matching.fold(0, |sum, (at, _)| sum.saturating_add(meter.tokens(at)))
}

/// What an exchange adds to a tail: one that stays in any case takes none of the tail's tokens.
fn size(conversation: &Conversation, exchange: &Range<usize>, protected: bool) -> Size {
    let assistant = conversation
        .log()
        .message(exchange.start)
        .is_some_and(|message| message.role == Role::Assistant);
    let tokens = conversation.meter().span(exchange.clone()).sum();
    Size {
        messages: u32::try_from(exchange.len()).unwrap_or(u32::MAX),
        rounds: u32::from(assistant),
        tokens: if protected { 0 } else { tokens },
    }
}

/// Names what no compaction can remove, where that alone reaches the threshold.
fn floor(conversation: &Conversation, policy: &Policy, tokens: u32) -> Option<String> {
    let protected = conversation.protected();
    let tools = policy.tool_schema_tokens;
    let threshold = policy.threshold().unwrap_or(policy.window);
    let sum = protected.sum().saturating_add(tools);
    let shortest = conversation.summary_tokens("", 1).saturating_add(SHORTEST_SUMMARY);
    if tokens < threshold || sum.saturating_add(shortest) < threshold {
        return None;
    }
    let items = [
        ("system prompt", protected.system),
        ("tool schemas", tools),
        ("pinned messages", protected.pinned),
        ("last user request", protected.request),
    ];
    let items: Vec<String> = items
        .iter()
        .filter(|(_, tokens)| *tokens > 0)
        .map(|(name, tokens)| format!("{name} {tokens}"))
        .collect();
    let left = threshold.saturating_sub(sum);
    Some(format!(
        "{} leave {left} of the {threshold} tokens below the threshold; use a larger window, shorten or \
         unpin one of them",
        items.join(" + ")
    ))
}
