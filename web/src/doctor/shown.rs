//! A diagnosis in words.

use epitome_formats::{Issue, Severity};
use leptos::prelude::*;
use serde_json::Value;

use super::diagnosis::{Diagnosis, Found, Step, rule};
use super::refusal::{Cause, Refusal};
use crate::direction::marked;
use crate::label::engine_sentence;
use crate::language::t;
use crate::number::{count, plural, thousands};

/// The number of issues and of steps that are shown.
const MAX_SHOWN: usize = 100;
/// The number of characters of a written message that are shown.
const MAX_CHARACTERS: usize = 4_000;

/// What is wrong, and what a repair does.
#[component]
pub(super) fn Shown(diagnosis: Diagnosis) -> impl IntoView {
    let Diagnosis { format, messages, found, refusal, steps, left, .. } = diagnosis;
    let all = found.len();
    let (found, doubtful): (Vec<Found>, Vec<Found>) =
        found.into_iter().partition(|found| found.issue.severity == Severity::Refused);
    let refused = found.len();
    let verdict = match (refused, all) {
        (0, 0) => t!("No rule of this format is broken.").to_owned(),
        (0, _) => t!("The provider accepts it.").to_owned(),
        (refused, _) => {
            let things = plural(count(refused), "thing", "things");
            t!("{things} that the provider refuses.", things)
        }
    };
    let is_good = refused == 0;
    let rows = found.into_iter().take(MAX_SHOWN).map(|found| view! { <FoundRow found /> });
    let doubtful = (!doubtful.is_empty()).then(|| {
        let things = plural(count(doubtful.len()), "thing", "things");
        let rows = doubtful.into_iter().take(MAX_SHOWN);
        let rows = rows.map(|found| view! { <FoundRow found /> }).collect_view();
        view! {
            <details class="more">
                <summary>{t!("{things} that some servers of this format refuse", things)}</summary>
                <ol class="doctor-issues" aria-label=t!("What some servers refuse")>{rows}</ol>
            </details>
        }
    });
    let steps = (!steps.is_empty()).then(|| {
        let rows = steps.into_iter().take(MAX_SHOWN).map(|step| view! { <StepRow step /> });
        view! {
            <h4>{t!("What a repair does")}</h4>
            <ul class="doctor-steps" aria-label=t!("What a repair does")>{rows.collect_view()}</ul>
        }
    });
    let left = (!left.is_empty()).then(|| {
        let rows = left.into_iter().take(MAX_SHOWN).map(|issue| {
            let (place, problem) = (place(&issue), marked(&issue.message));
            view! { <li>{t!("{place}: {problem}.", place, problem)}</li> }
        });
        view! {
            <h4>{t!("What it leaves, because it would have to guess")}</h4>
            <ul class="doctor-steps" aria-label=t!("What it leaves")>{rows.collect_view()}</ul>
        }
    });
    view! {
        <p class="verdict" data-verdict=if is_good { "good" } else { "bad" }>
            <strong>{verdict}</strong>
            {format!(" {} · {}", plural(count(messages), "message", "messages"), format.title())}
        </p>
        {refusal.map(|refusal| view! { <Said refusal is_good /> })}
        <ol class="doctor-issues" aria-label=t!("What is wrong")>{rows.collect_view()}</ol>
        {doubtful}
        {steps}
        {left}
    }
}

/// What the provider's error says.
#[component]
fn Said(
    refusal: Refusal,
    /// True if no message breaks a rule.
    is_good: bool,
) -> impl IntoView {
    let words = match refusal.cause {
        Cause::TooLong(overflow) => {
            let asked = overflow.requested_tokens;
            let asked = asked.map(|tokens| t!("{number} tokens", number = thousands(tokens)));
            let limit = overflow.limit_tokens;
            let limit = limit.map(|tokens| t!("at most {number}", number = thousands(tokens)));
            let numbers: Vec<String> = [asked, limit].into_iter().flatten().collect();
            match numbers.is_empty() {
                true => t!("The error says that the prompt does not fit the window. A repair does not shorten it; a compaction does: open it as a conversation.").to_owned(),
                false => t!(
                    "The error says that the prompt does not fit the window ({numbers}). A repair does not shorten it; a compaction does: open it as a conversation.",
                    numbers = numbers.join(", ")
                ),
            }
        }
        Cause::NotTheMessages => {
            t!("The error is about the key, the name of the model, a quota or a rate, and not about the messages.").to_owned()
        }
        Cause::Other => match (refusal.message, is_good) {
            (Some(index), false) => {
                t!("The error names message {number}.", number = thousands(count(index + 1)))
            }
            (Some(index), true) => t!(
                "The error names message {number}, in which no known rule is broken.",
                number = thousands(count(index + 1))
            ),
            (None, _) => t!("The error names no message.").to_owned(),
        },
    };
    view! { <p class="notice">{words}</p> }
}

/// The message of an issue, and where in it.
fn place(issue: &Issue) -> String {
    if !issue.path.starts_with("messages[") {
        return t!("All messages").to_owned();
    }
    t!("Message {number}", number = thousands(count(issue.message_index() + 1)))
}

#[component]
fn FoundRow(found: Found) -> impl IntoView {
    let Found { issue, is_named, broken_by } = found;
    let severity = match issue.severity {
        Severity::Refused => t!("refused"),
        Severity::Depends => t!("refused by some servers"),
        Severity::Odd => t!("accepted"),
    };
    let action = match issue.severity {
        Severity::Refused => "removed",
        Severity::Depends => "shortened",
        Severity::Odd => "kept",
    };
    view! {
        <li class="doctor-issue">
            <p class="doctor-issue-head">
                <strong>{place(&issue)}</strong>
                <span class="badge" data-action=action>{severity}</span>
                {is_named.then(|| view! { <span class="badge" data-action="pinned">{t!("named by the error")}</span> })}
            </p>
            <p>
                {engine_sentence(&marked(&issue.message))}
            </p>
            {broken_by.map(|broken_by| view! { <p class="doctor-cause">{broken_by}</p> })}
            <p class="hint">{t!("Rule: {rule}", rule = rule(issue.code))} " · " <code>{issue.path}</code></p>
        </li>
    }
}

#[component]
fn StepRow(step: Step) -> impl IntoView {
    match step {
        Step::Removed(index) => view! {
            <li>{t!("Message {number} is removed.", number = thousands(count(index + 1)))}</li>
        }
        .into_any(),
        Step::Written(sources, message) => {
            let numbers: Vec<String> =
                sources.iter().map(|index| thousands(count(index + 1))).collect();
            let words = match numbers.as_slice() {
                [] => t!("A message is added:").to_owned(),
                [number] => t!("Message {number} becomes:", number),
                several => t!("Messages {numbers} become one:", numbers = several.join(", ")),
            };
            view! {
                <li>
                    {words}
                    <pre class="doctor-message" tabindex="0" role="region" aria-label=t!("The message")>
                        {marked(&written(&message)).into_owned()}
                    </pre>
                </li>
            }
            .into_any()
        }
    }
}

/// A message as JSON, as long as it can be read.
fn written(message: &Value) -> String {
    let text = serde_json::to_string_pretty(message).unwrap_or_default();
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
