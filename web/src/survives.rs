//! What survives a compaction: the summary, and what became of each fact of the messages that it replaced.

mod draft;
mod facts;
mod summary;

use std::sync::Arc;

use epitome::{Outcome, Report};
use leptos::prelude::*;

use crate::driver;
use crate::language::t;
use crate::load::invention;
use crate::run::Arriving;
use crate::store::Store;
use draft::DraftField;
use facts::Facts;
use summary::linked;

/// The summary and its facts: while it arrives, and afterwards.
#[component]
pub(crate) fn Survives(store: Store) -> impl IntoView {
    let running = Memo::new(move |_| store.progress.with(Option::is_some));
    let applied = move || {
        store.report.get().filter(|report| {
            matches!(report.outcome, Outcome::Applied { .. }) && report.summary.is_some()
        })
    };
    let content = move || {
        if let Some(draft) = store.live.draft.get() {
            return view! { <DraftField store draft /> }.into_any();
        }
        match (running.get(), applied()) {
        (true, _) => view! { <Arriving store /> }.into_any(),
        (false, Some(report)) => view! { <Written store report /> }.into_any(),
        (false, None) => view! {
            <p class="hint">
                {t!("Every order number, path, date and amount in the replaced messages is looked up in the summary. Missing ones are appended word for word, as far as there is space. Names in the summary that no message has are reported here.")}
            </p>
            <Example store />
        }
        .into_any(),
    }
    };
    view! {
        <section class="survives card" aria-labelledby="survives-heading">
            <h2 id="survives-heading">{t!("What survives")}</h2>
            {content}
        </section>
    }
}

/// For the sample that is about orders: what is said of a number that a summarizer makes up.
#[component]
fn Example(store: Store) -> impl IntoView {
    let invention = move || {
        store.document.with(|document| document.as_ref().and_then(|it| invention(&it.name)))
    };
    let is_blocked = move || {
        store.is_locked()
            || store.plan.with(|plan| plan.as_ref().is_none_or(|it| it.idle.is_some()))
    };
    move || {
        invention().map(|invention| {
            view! {
                <button
                    type="button"
                    class="button"
                    disabled=is_blocked
                    on:click=move |_| driver::compact_with(store, invention)
                >
                    {t!("Example: the summary makes up an order number")}
                </button>
            }
        })
    }
}

/// A written summary and its facts.
#[component]
fn Written(store: Store, report: Arc<Report>) -> impl IntoView {
    let summary = report.summary.clone().unwrap_or_default();
    view! {
        <Facts store receipt=report.receipt.clone() />
        <details class="summary" open=true>
            <summary>{t!("The summary")}</summary>
            {linked(store, &summary)}
        </details>
    }
}
