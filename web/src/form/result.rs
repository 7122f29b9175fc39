//! What a result has to be: where the summary stands, what it has to save, when to warn.

use epitome::Policy;
use epitome::policy::SummaryPlacement;

use super::amount::{percent, percentage, whole};
use super::entry::{Choice, Entry};

const WAYS: [(&str, &str); 4] = [
    ("systemSummaryTail", "System prompt, summary, tail"),
    ("oneMessage", "System prompt and one message"),
    ("leadingSystem", "As a leading system message"),
    ("inPlace", "In place of what it stands for"),
];

/// Where the summary stands.
pub(crate) fn summary_placement() -> Choice {
    let read = |policy: &Policy| match policy.summary_placement {
        SummaryPlacement::SystemSummaryTail => "systemSummaryTail",
        SummaryPlacement::OneMessage => "oneMessage",
        SummaryPlacement::LeadingSystem => "leadingSystem",
        SummaryPlacement::InPlace => "inPlace",
    };
    Choice::new("summary_placement", "The summary stands", &WAYS, read, |policy, name| {
        policy.summary_placement = match name {
            "oneMessage" => SummaryPlacement::OneMessage,
            "leadingSystem" => SummaryPlacement::LeadingSystem,
            "inPlace" => SummaryPlacement::InPlace,
            _ => SummaryPlacement::SystemSummaryTail,
        };
    })
}

/// When to warn.
pub(crate) fn warning() -> Entry {
    let read = |policy: &Policy| policy.warning.map(percentage).unwrap_or_default();
    Entry::new("warning", "Warn at", "%", read, |policy, text| {
        policy.warning = match text.trim() {
            "" => None,
            text => Some(percent(text)?),
        };
        Ok(())
    })
}

/// What a result has to save.
pub(crate) fn min_saving() -> Entry {
    let read = |policy: &Policy| percentage(policy.min_saving);
    Entry::new("minSaving", "Has to save", "%", read, |policy, text| {
        policy.min_saving = percent(text)?;
        Ok(())
    })
}

/// How much of what people said stays.
pub(crate) fn keep_requests() -> Entry {
    let read = |policy: &Policy| policy.keep_requests_tokens.to_string();
    Entry::new("keepRequestsTokens", "User messages that stay", "tokens", read, |policy, text| {
        policy.keep_requests_tokens = whole(text)?;
        Ok(())
    })
}
