//! The fields of the result: where the summary is placed, what a compaction has to save, when to warn.

use epitome::Policy;
use epitome::policy::{LockedReasoning, PrepareAt, StaleSummary, SummaryPlacement};

use super::field::number::{percent, percentage, whole};
use super::field::{Choice, Extent, TextField, options};
use crate::language::t;

options!(SummaryPlacement {
    SystemSummaryTail: "systemSummaryTail", t!("System prompt, summary, tail");
    OneMessage: "oneMessage", t!("System prompt and one message");
    LeadingSystem: "leadingSystem", t!("A leading system message");
    InPlace: "inPlace", t!("In place of the summarized messages");
});

/// Where the summary is placed.
pub(super) fn summary_placement() -> Choice {
    let read = |policy: &Policy| Some(policy.summary_placement);
    Choice::new("summaryPlacement", t!("Summary placement"), read, |policy, placement| {
        policy.summary_placement = placement;
    })
    .about(t!("Where the summary stands among the messages that the model gets."))
}

options!(LockedReasoning {
    Remove: "remove", t!("Remove it behind a change");
    Keep: "keep", t!("Keep it; the app sends the provider's switch");
    AppendOnly: "appendOnly", t!("Change nothing before it");
});

/// What happens to signed reasoning that is bound to the messages before it.
pub(super) fn locked_reasoning() -> Choice {
    let read = |policy: &Policy| Some(policy.locked_reasoning);
    Choice::new("lockedReasoning", t!("Locked reasoning"), read, |policy, locked| {
        policy.locked_reasoning = locked;
    })
    .about(t!("What happens to reasoning that some models of Claude accept only behind unchanged messages."))
}

options!(StaleSummary {
    Undo: "undo", t!("Undo the summary");
    Renew: "renew", t!("Undo the summary and compact again");
});

/// What happens to a summary once a message that it covers has changed.
pub(super) fn stale_summary() -> Choice {
    let read = |policy: &Policy| Some(policy.stale_summary);
    Choice::new("staleSummary", t!("If summarized messages change"), read, |policy, stale| {
        policy.stale_summary = stale;
    })
    .about(t!("What happens when a message that is part of a summary is edited or removed."))
}

/// When to warn.
pub(super) fn warning() -> TextField {
    let read = |policy: &Policy| policy.warning.map(percentage).unwrap_or_default();
    TextField::new("warning", t!("Warn at"), "%", read, |policy, text| {
        policy.warning = match text.trim() {
            "" => None,
            text => Some(percent(text)?),
        };
        Ok(())
    })
    .about(t!(
        "Warns once before a compaction is due, at this share of the threshold; empty: never."
    ))
}

/// When the next summary begins to be written in advance. A number of tokens is shown as its share of the window.
pub(super) fn prepare_at() -> TextField {
    let read = |policy: &Policy| match policy.prepare_at {
        Some(PrepareAt::Fraction(fraction)) => percentage(fraction),
        Some(PrepareAt::Tokens(tokens)) => percentage(f64::from(tokens) / f64::from(policy.window)),
        None => String::new(),
    };
    TextField::new(
        "prepareAt",
        t!("Write the summary in advance from"),
        "%",
        read,
        |policy, text| {
            policy.prepare_at = match text.trim() {
                "" => None,
                text => Some(PrepareAt::Fraction(percent(text)?)),
            };
            Ok(())
        },
    )
    .about(t!(
        "Begins the next summary while the chat goes on, at this share of the window; empty: never."
    ))
}

/// What a result has to save.
pub(super) fn min_saving() -> TextField {
    let read = |policy: &Policy| percentage(policy.min_saving);
    TextField::new("minSaving", t!("Minimum saving"), "%", read, |policy, text| {
        policy.min_saving = percent(text)?;
        Ok(())
    })
    .about(t!("A compaction that saves less than this share is not applied."))
}

/// The answer to a heartbeat.
pub(super) fn heartbeat_answer() -> TextField {
    let read = |policy: &Policy| policy.heartbeat_answer.clone().unwrap_or_default();
    TextField::new("heartbeatAnswer", t!("Answer to a heartbeat"), "", read, |policy, text| {
        policy.heartbeat_answer = Some(text.to_owned()).filter(|answer| !answer.is_empty());
        Ok(())
    })
    .showing(Extent::Line)
    .about(t!("What the model answers to messages that your app sends by itself, such as HEARTBEAT_OK; they are no requests."))
}

/// How many tokens of user messages are kept.
pub(super) fn keep_requests() -> TextField {
    let read = |policy: &Policy| policy.keep_requests_tokens.to_string();
    let label = t!("User messages to keep");
    TextField::new("keepRequestsTokens", label, t!("tokens"), read, |policy, text| {
        policy.keep_requests_tokens = whole(text)?;
        Ok(())
    })
    .about(t!(
        "Your latest messages stay word for word up to this many tokens, wherever they stand."
    ))
}
