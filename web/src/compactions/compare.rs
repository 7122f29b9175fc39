//! The dialog with what a compaction changed: the messages as they were, beside what the model gets in their place.

use epitome::Report;
use leptos::prelude::*;

use crate::browser::{close_dialog, focus};
use crate::dialog::{Dialog, DialogHead};
use crate::driver;
use crate::language::t;

use super::changes::{Changed, Changes, Piece};

use crate::direction::marked;
use crate::long_text::long_text;
use crate::number::{change, count, plural, thousands};
use crate::run::COMPACT_BUTTON;
use crate::store::{Compaction, Store};

const DIALOG: &str = "comparison";

/// The number of messages that each list shows.
const MAX_MESSAGES: usize = 200;

/// The dialog. It opens when a compaction is to be compared, and Escape closes it.
#[component]
pub(crate) fn Comparison(store: Store) -> impl IntoView {
    let is_open = Signal::derive(move || store.compared.with(Option::is_some));
    let compared = move || {
        let id = store.compared.get()?;
        let shown =
            store.compactions.with(|all| all.iter().find(|it| it.checkpoint == id).cloned());
        let compaction = shown?;
        let receipt = compaction.report.as_ref().map(|report| &report.receipt);
        let changes = store.read(|session| Changes::of(session, id, receipt))?;
        Some(view! { <Both store compaction changes /> })
    };
    view! {
        <Dialog
            id=DIALOG
            class="details comparison"
            is_open
            on_close=move || store.compared.set(None)
        >
            {compared}
        </Dialog>
    }
}

#[component]
fn Both(store: Store, compaction: Compaction, changes: Changes) -> impl IntoView {
    let undo = move |_| {
        // While the dialog is open, nothing outside can have the focus.
        close_dialog(DIALOG);
        driver::undo_to(store, compaction.checkpoint);
        focus(COMPACT_BUTTON);
    };
    let tokens = compaction.report.as_deref().map(tokens);
    let Changes { summarized, earlier, summary, shortened, removed } = changes;
    let has_facts = compaction.report.is_some() && summary.is_some();
    let summary = summary.map(|summary| {
        let title = plural(count(summarized.len()), "message", "messages");
        let unsupported =
            compaction.report.as_ref().map(|report| report.receipt.unsupported.clone());
        view! {
            <section class="compared" aria-labelledby="compared-summary">
                <h3 id="compared-summary">{t!("{messages} became the summary", messages = title)}</h3>
                <div class="compared-sides">
                    <div class="compared-side" tabindex="0" role="region" aria-label=t!("Before")>
                        {earlier.map(|earlier| view! {
                            <div class="compared-message">
                                <p class="compared-who">{t!("earlier summary")}</p>
                                <div class="compared-text">{long_text(&earlier)}</div>
                            </div>
                        })}
                        <List messages=summarized />
                    </div>
                    <div class="compared-side" tabindex="0" role="region" aria-label=t!("After")>
                        <Invented names=unsupported.unwrap_or_default() />
                        <div class="compared-text">{long_text(&summary)}</div>
                    </div>
                </div>
            </section>
        }
    });
    let shortened = (!shortened.is_empty()).then(|| {
        let title = plural(count(shortened.len()), "message is shorter", "messages are shorter");
        let pairs = shortened.into_iter().take(MAX_MESSAGES).map(|changed| {
            let after = marked(&changed.after).into_owned();
            view! {
                <div class="compared-sides compared-pair">
                    <Message changed />
                    <div class="compared-message">
                        <p class="compared-who">{t!("now")}</p>
                        <p class="compared-text" dir="auto">{after}</p>
                    </div>
                </div>
            }
        });
        view! {
            <section class="compared" aria-labelledby="compared-shorter">
                <h3 id="compared-shorter">{title}</h3>
                {pairs.collect_view()}
            </section>
        }
    });
    let removed = (!removed.is_empty()).then(|| {
        let title = plural(count(removed.len()), "message is removed", "messages are removed");
        view! {
            <section class="compared" aria-labelledby="compared-removed">
                <h3 id="compared-removed">{title}</h3>
                <List messages=removed />
            </section>
        }
    });
    view! {
        <DialogHead of=DIALOG title=t!("Compaction {number}", number = compaction.number)>
            <p class="figures">{compaction.described()} {tokens}</p>
            <button
                type="button"
                class="button"
                aria-label=t!("Undo compaction {number}", number = compaction.number)
                disabled=move || store.is_locked()
                on:click=undo
            >
                {t!("Undo")}
            </button>
        </DialogHead>
        {has_facts.then(key)}
        <div class="details-content" tabindex="0" role="region" aria-label=t!("What changed")>
            {summary} {shortened} {removed}
        </div>
    }
}

/// The tokens before and after, behind other words.
fn tokens(report: &Report) -> String {
    let (before, after) = (report.tokens_before, report.tokens_after);
    let tokens = t!(
        "{before} → {after} tokens ({change})",
        before = thousands(before),
        after = thousands(after),
        change = change(before, after)
    );
    format!(" · {tokens}")
}

/// What the marks of facts mean.
fn key() -> impl IntoView {
    let outcomes = [
        ("kept", t!("in the summary")),
        ("appended", t!("appended to it")),
        ("lost", t!("only in the history")),
    ];
    let outcomes = outcomes.map(|(outcome, words)| {
        view! { <li><mark data-outcome=outcome>{t!("fact")}</mark> " " {words}</li> }
    });
    view! { <ul class="outcomes" aria-label=t!("Marks")>{outcomes}</ul> }
}

/// The names that the summary has and no message.
#[component]
fn Invented(names: Vec<String>) -> impl IntoView {
    (!names.is_empty()).then(|| {
        view! {
            <p class="notice error">
                <strong>{marked(&names.join(", ")).into_owned()}</strong>
                " " {t!("is in no message.")}
            </p>
        }
    })
}

#[component]
fn List(messages: Vec<Changed>) -> impl IntoView {
    let more = messages.len().saturating_sub(MAX_MESSAGES);
    let more = (more > 0).then(
        || view! { <p class="hint">{t!("and {number} more", number = thousands(count(more)))}</p> },
    );
    let shown = messages.into_iter().take(MAX_MESSAGES);
    let shown = shown.map(|changed| view! { <Message changed /> }).collect_view();
    view! { {shown} {more} }
}

/// A message as it was.
#[component]
fn Message(changed: Changed) -> impl IntoView {
    let Changed { number, speaker, before, after: _ } = changed;
    let number = number.map(|number| format!("#{number} "));
    view! {
        <div class="compared-message">
            <p class="compared-who">{number} {speaker}</p>
            <p class="compared-text" dir="auto">{before.into_iter().map(piece).collect_view()}</p>
        </div>
    }
}

fn piece((text, outcome): Piece) -> AnyView {
    let text = marked(&text).into_owned();
    match outcome {
        Some(outcome) => view! { <mark data-outcome=outcome.as_str()>{text}</mark> }.into_any(),
        None => text.into_any(),
    }
}
