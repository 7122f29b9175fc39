//! The fields of the result: where the summary is placed, what a compaction has to save, when to warn.

use epitome::Policy;
use epitome::policy::{LockedReasoning, PrepareAt, StaleSummary, SummaryPlacement};

use super::field::number::{percent, percentage, whole};
use super::field::{Choice, Extent, TextField, options};

options!(SummaryPlacement {
    SystemSummaryTail: "systemSummaryTail", "System prompt, summary, tail";
    OneMessage: "oneMessage", "System prompt and one message";
    LeadingSystem: "leadingSystem", "A leading system message";
    InPlace: "inPlace", "In place of the summarized messages";
});

/// Where the summary is placed.
pub(super) fn summary_placement() -> Choice {
    let read = |policy: &Policy| Some(policy.summary_placement);
    Choice::new("summaryPlacement", "Summary placement", read, |policy, placement| {
        policy.summary_placement = placement;
    })
    .about("Where the summary stands among the messages that the model gets.")
}

options!(LockedReasoning {
    Remove: "remove", "Remove it behind a change";
    Keep: "keep", "Keep it; the app sends the provider's switch";
    AppendOnly: "appendOnly", "Change nothing before it";
});

/// What happens to signed reasoning that is bound to the messages before it.
pub(super) fn locked_reasoning() -> Choice {
    let read = |policy: &Policy| Some(policy.locked_reasoning);
    Choice::new("lockedReasoning", "Locked reasoning", read, |policy, locked| {
        policy.locked_reasoning = locked;
    })
    .about("What happens to reasoning that some models of Claude accept only behind unchanged messages.")
}

options!(StaleSummary {
    Undo: "undo", "Undo the summary";
    Renew: "renew", "Undo the summary and compact again";
});

/// What happens to a summary once a message that it covers has changed.
pub(super) fn stale_summary() -> Choice {
    let read = |policy: &Policy| Some(policy.stale_summary);
    Choice::new("staleSummary", "If summarized messages change", read, |policy, stale| {
        policy.stale_summary = stale;
    })
    .about("What happens when a message that is part of a summary is edited or removed.")
}

/// When to warn.
pub(super) fn warning() -> TextField {
    let read = |policy: &Policy| policy.warning.map(percentage).unwrap_or_default();
    TextField::new("warning", "Warn at", "%", read, |policy, text| {
        policy.warning = match text.trim() {
            "" => None,
            text => Some(percent(text)?),
        };
        Ok(())
    })
    .about("Warns once before a compaction is due, at this share of the threshold; empty: never.")
}

/// When the next summary begins to be written in advance. A number of tokens is shown as its share of the window.
pub(super) fn prepare_at() -> TextField {
    let read = |policy: &Policy| match policy.prepare_at {
        Some(PrepareAt::Fraction(fraction)) => percentage(fraction),
        Some(PrepareAt::Tokens(tokens)) => percentage(f64::from(tokens) / f64::from(policy.window)),
        None => String::new(),
    };
    TextField::new("prepareAt", "Write the summary in advance from", "%", read, |policy, text| {
        policy.prepare_at = match text.trim() {
            "" => None,
            text => Some(PrepareAt::Fraction(percent(text)?)),
        };
        Ok(())
    })
    .about("Begins the next summary while the chat goes on, at this share of the window; empty: never.")
}

/// What a result has to save.
pub(super) fn min_saving() -> TextField {
    let read = |policy: &Policy| percentage(policy.min_saving);
    TextField::new("minSaving", "Minimum saving", "%", read, |policy, text| {
        policy.min_saving = percent(text)?;
        Ok(())
    })
    .about("A compaction that saves less than this share is not applied.")
}

/// The answer to a heartbeat.
pub(super) fn heartbeat_answer() -> TextField {
    let read = |policy: &Policy| policy.heartbeat_answer.clone().unwrap_or_default();
    TextField::new("heartbeatAnswer", "Answer to a heartbeat", "", read, |policy, text| {
        policy.heartbeat_answer = Some(text.to_owned()).filter(|answer| !answer.is_empty());
        Ok(())
    })
    .showing(Extent::Line)
    .about("What the model answers to messages that your app sends by itself, such as HEARTBEAT_OK; they are no requests.")
}

/// How many tokens of user messages are kept.
pub(super) fn keep_requests() -> TextField {
    let read = |policy: &Policy| policy.keep_requests_tokens.to_string();
    let label = "User messages to keep";
    TextField::new("keepRequestsTokens", label, "tokens", read, |policy, text| {
        policy.keep_requests_tokens = whole(text)?;
        Ok(())
    })
    .about("Your latest messages stay word for word up to this many tokens, wherever they stand.")
}
