//! How the room below the target is shared out.

use super::appendix::appendix;
use crate::calibration::Scale;
use crate::conversation::Conversation;
use crate::message::Part;
use crate::policy::{Keep, LastRequest, Load, Policy, SummaryPlacement};

/// A summary shorter than this says nothing.
pub(super) const SHORTEST_SUMMARY: u32 = 48;

/// Room below the target, in tokens.
pub(super) struct Budget {
    pub(super) summary: u32,
    pub(super) requests: u32,
    pub(super) tail: u32,
}

impl Budget {
    /// Depends on the policy and on what is protected only, so that compacting twice is compacting once.
    pub(super) fn new(policy: &Policy, keep: Keep, protected_tokens: u32, appended: u32) -> Self {
        let fixed =
            protected_tokens.saturating_add(policy.tool_schema_tokens).saturating_add(appended);
        let shortest = SHORTEST_SUMMARY.min(policy.summary.max_tokens);
        let mut room = policy.target_tokens().saturating_sub(fixed);
        if room < shortest.saturating_mul(2) {
            // The target is out of reach; the threshold may not be.
            let limit = policy.threshold().unwrap_or(policy.window).saturating_sub(1);
            room = limit.saturating_sub(fixed);
        }
        // Who asks for a number of messages wants those, and gets the larger part for them.
        let part = match keep {
            Keep::Messages(_) | Keep::Rounds(_) => room / 8,
            Keep::Tokens(_) | Keep::Fraction(_) => room / 2,
        };
        let summary = part.min(policy.summary.max_tokens).max(shortest);
        let rest = room.saturating_sub(summary);
        let requests = match policy.summary_placement {
            SummaryPlacement::OneMessage => 0,
            _ => policy.keep_requests_tokens.min(rest / 4),
        };
        Self { summary, requests, tail: rest - requests }
    }
}

/// Tokens of a summary's frame and of what is appended to every summary.
pub(super) fn appended_tokens(conversation: &Conversation, policy: &Policy) -> u32 {
    let request = appended_request(conversation, policy);
    conversation.summary_tokens(&appendix(conversation, request), 1)
}

/// Names what no compaction can remove, where that alone reaches the threshold.
pub(super) fn floor(conversation: &Conversation, policy: &Policy, scale: &Scale) -> Option<String> {
    let tokens = scale.window(conversation.counted_tokens());
    let protected = conversation.protected();
    let threshold = policy.threshold().unwrap_or(policy.window);
    let sum = scale.window(protected.sum());
    let shortest = conversation.summary_tokens("", 1).saturating_add(SHORTEST_SUMMARY);
    let shortest = scale.told(shortest);
    if tokens < threshold || sum.saturating_add(shortest) < threshold {
        return None;
    }
    let items = [
        ("system prompt", scale.told(protected.system)),
        ("tool schemas", scale.beside()),
        ("pinned messages", scale.told(protected.pinned)),
        ("last user request", scale.told(protected.request)),
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

/// Tells that the messages left are too many by their number alone, where that is so.
pub(super) fn crowd(policy: &Policy, count: impl FnOnce() -> usize) -> Option<String> {
    let alone = |messages| policy.fires(&Load { messages, ..Load::default() });
    if !alone(u32::MAX) || alone(0) {
        return None;
    }
    let messages = u32::try_from(count()).unwrap_or(u32::MAX);
    if !alone(messages) {
        return None;
    }
    Some(format!(
        "{messages} messages are left, for calls stay with their results; keep fewer of them, or let only \
         a larger number call for a compaction"
    ))
}

/// The last user request, where it is to stand behind the summary. One that is more than text stays as the
/// message it is: a picture cannot be told in words.
pub(super) fn appended_request(conversation: &Conversation, policy: &Policy) -> Option<usize> {
    let append = policy.summary.last_request == LastRequest::Append
        || policy.summary_placement == SummaryPlacement::OneMessage;
    conversation.last_request().filter(|position| {
        let message = conversation.log().message(*position);
        let text = |part: &Part| matches!(part, Part::Text { .. });
        append && message.is_some_and(|message| message.parts.iter().all(text))
    })
}
