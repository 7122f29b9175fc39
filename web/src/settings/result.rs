//! The result: where the summary is placed, what a compaction has to save, when to warn.

use epitome::Policy;
use epitome::policy::{LockedReasoning, PrepareAt, StaleSummary, SummaryPlacement};
use leptos::prelude::*;

use super::SettingsState;
use super::field::number::{percent, percentage, whole};
use super::field::{Choice, Select, TextField, TextInput, options};

options!(SummaryPlacement {
    SystemSummaryTail: "systemSummaryTail", "System prompt, summary, tail";
    OneMessage: "oneMessage", "System prompt and one message";
    LeadingSystem: "leadingSystem", "A leading system message";
    InPlace: "inPlace", "In place of the summarized messages";
});

/// Where the summary is placed.
fn summary_placement() -> Choice {
    let read = |policy: &Policy| Some(policy.summary_placement);
    Choice::new("summaryPlacement", "Summary placement", read, |policy, placement| {
        policy.summary_placement = placement;
    })
}

options!(LockedReasoning {
    Remove: "remove", "Remove it behind a change";
    Keep: "keep", "Keep it; the app sends the provider's switch";
    AppendOnly: "appendOnly", "Change nothing before it";
});

/// What happens to signed reasoning that is bound to the messages before it.
fn locked_reasoning() -> Choice {
    let read = |policy: &Policy| Some(policy.locked_reasoning);
    Choice::new("lockedReasoning", "Locked reasoning", read, |policy, locked| {
        policy.locked_reasoning = locked;
    })
}

options!(StaleSummary {
    Undo: "undo", "Undo the summary";
    Renew: "renew", "Undo the summary and compact again";
});

/// What happens to a summary once a message that it covers has changed.
fn stale_summary() -> Choice {
    let read = |policy: &Policy| Some(policy.stale_summary);
    Choice::new("staleSummary", "If summarized messages change", read, |policy, stale| {
        policy.stale_summary = stale;
    })
}

/// When to warn.
fn warning() -> TextField {
    let read = |policy: &Policy| policy.warning.map(percentage).unwrap_or_default();
    TextField::new("warning", "Warn at", "%", read, |policy, text| {
        policy.warning = match text.trim() {
            "" => None,
            text => Some(percent(text)?),
        };
        Ok(())
    })
}

/// When the next summary begins to be written in advance. A number of tokens is shown as its share of the window.
fn prepare_at() -> TextField {
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
}

/// What a result has to save.
fn min_saving() -> TextField {
    let read = |policy: &Policy| percentage(policy.min_saving);
    TextField::new("minSaving", "Minimum saving", "%", read, |policy, text| {
        policy.min_saving = percent(text)?;
        Ok(())
    })
}

/// How many tokens of user messages are kept.
fn keep_requests() -> TextField {
    let read = |policy: &Policy| policy.keep_requests_tokens.to_string();
    let label = "User messages to keep";
    TextField::new("keepRequestsTokens", label, "tokens", read, |policy, text| {
        policy.keep_requests_tokens = whole(text)?;
        Ok(())
    })
}

/// The settings of the result.
#[component]
pub(super) fn ResultSettings(settings: SettingsState) -> impl IntoView {
    view! {
        <Select settings choice=summary_placement() />
        <Select settings choice=locked_reasoning() />
        <Select settings choice=stale_summary() />
        <div class="fields">
            <TextInput settings field=min_saving() />
            <TextInput settings field=keep_requests() />
            <TextInput settings field=warning() />
            <TextInput settings field=prepare_at() />
        </div>
        <p class="hint">
            "The latest user messages are kept word for word, wherever they are. The warning is given once "
            "until the next compaction, at that share of the threshold; empty: never. A summary that is written in "
            "advance, from that share of the window on, is there when the compaction is due; a check at a phase begins it. Some models of Claude accept "
            "reasoning only behind unchanged messages."
        </p>
    }
}
