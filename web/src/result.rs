//! The result of a compaction in one line, and what can be done with the conversation: undo, download, copy.

mod steps;

use std::sync::Arc;

use epitome::{Outcome as Ending, Report};
use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser::{copy, focus, focus_instead_of_nothing, pretty, reveal, save};
use crate::direction::marked;
use crate::driver;
use crate::label::{engine_clause, engine_sentence};
use crate::language::t;
use crate::number::{change, duration, percentage, plural, thousands};
use crate::run::COMPACT_BUTTON;
use crate::store::{Session, Store};
use crate::strip::share_picture;
use steps::Steps;

/// The id of the heading, which gets the focus if what had it is gone.
const HEADING: &str = "result-heading";

/// The id of the section, which is scrolled into view when there is a result.
const RESULT: &str = "result";

/// The result of the latest compaction, and what can be done with the conversation.
#[component]
pub(crate) fn Outcome(store: Store) -> impl IntoView {
    let report = move || store.report.get().map(|report| view! { <Ended store report /> });
    // What was copied or saved, until the conversation changes.
    let said = RwSignal::new(String::new());
    Effect::new(move |_| {
        store.revision.track();
        said.set(String::new());
    });
    let undo = move |_| {
        driver::undo(store);
        focus(COMPACT_BUTTON);
    };
    let export = move |_| download("compacted.json", store.read(Session::compacted));
    let export_all = move |_| download("history.json", store.read(Session::history));
    let copy_all = move |_| {
        let messages = store.read(Session::compacted);
        spawn_local(async move {
            let outcome = copy(async move { pretty(&messages).await }).await;
            let words = outcome.err().unwrap_or_else(|| t!("Copied to the clipboard.").to_owned());
            said.set(words);
        });
    };
    let busy = move || store.is_locked();
    let too_large = move || {
        store.live.too_large.get().map(|message| {
            view! { <p class="notice warn"><strong>{t!("Too large.")} " "</strong> {engine_sentence(&message)}</p> }
        })
    };
    Effect::new(move |_| {
        // The button that cancels is gone when a compaction ends.
        if store.report.with(Option::is_some) {
            focus_instead_of_nothing(HEADING);
            reveal(RESULT);
        }
    });
    view! {
        <section class="result" id=RESULT aria-labelledby=HEADING>
            <h2 id=HEADING class="visually-hidden" tabindex="-1">{t!("The conversation now")}</h2>
            <div class="result-said">
                {report} {too_large}
                <p class="hint" role="status">
                    {move || match said.read().is_empty() {
                        true => state(store).to_owned(),
                        false => said.get(),
                    }}
                </p>
            </div>
            <div class="result-actions">
                <Show when=move || store.is_undoable()>
                    <button
                        type="button"
                        class="button"
                        aria-label=move || match store.holding.is_edited.get() {
                            true => t!("Undo the change of the state"),
                            false => t!("Undo the compaction"),
                        }
                        disabled=busy
                        on:click=undo
                    >
                        {t!("Undo")}
                    </button>
                </Show>
                <Show when=move || store.is_compacted()>
                    <button
                        type="button"
                        class="button"
                        aria-label=t!("Diff of the compaction")
                        on:click=move |_| {
                            compare_latest(store);
                        }
                    >
                        {t!("Diff")}
                    </button>
                </Show>
                <details class="menu">
                    <summary class="button">{t!("Export")}</summary>
                    <div class="menu-body card">
                        <button type="button" class="button" on:click=export>{t!("Download messages")}</button>
                        <button type="button" class="button" on:click=copy_all>{t!("Copy messages")}</button>
                        <button type="button" class="button" on:click=export_all>
                            {t!("Download the whole history")}
                        </button>
                        <p class="hint">
                            {t!("“Messages” are what is sent to the model. The history has all of them, as they were loaded.")}
                        </p>
                    </div>
                </details>
                <Show when=move || store.is_compacted()>
                    <button
                        type="button"
                        class="button"
                        aria-label=t!("Share as a picture")
                        on:click=move |_| share_picture(store, said)
                    >
                        {t!("Share")}
                    </button>
                </Show>
                <Events store />
            </div>
        </section>
    }
}

/// The events so far.
#[component]
fn Events(store: Store) -> impl IntoView {
    let number = Memo::new(move |_| store.live.events.with(Vec::len));
    let rows = move || {
        let events = store.live.events.get();
        events.into_iter().map(|event| view! { <li>{event}</li> }).collect_view()
    };
    view! {
        <Show when=move || { number.get() > 0 }>
            <details class="menu">
                <summary class="button quiet">{move || plural(crate::number::count(number.get()), "event", "events")}</summary>
                <div class="menu-body card">
                    <ol class="events" tabindex="0" aria-label=t!("Events")>{rows}</ol>
                </div>
            </details>
        </Show>
    }
}

/// Has the browser save messages under `name`.
fn download(name: &'static str, messages: Array) {
    spawn_local(async move {
        // This cannot fail: the messages were read from JSON.
        if let Ok(pieces) = pretty(&messages).await {
            save(name, &pieces).await;
        }
    });
}

/// Shows what the latest compaction has changed. False if there is none.
pub(crate) fn compare_latest(store: Store) -> bool {
    let latest = store.compactions.with_untracked(|all| all.last().map(|latest| latest.checkpoint));
    if latest.is_some() {
        store.compared.set(latest);
    }
    latest.is_some()
}

/// What the conversation is now, if no result says it.
fn state(store: Store) -> &'static str {
    match (store.is_compacted(), store.report.with(Option::is_some)) {
        (false, _) => t!("Nothing is compacted: the model gets every message."),
        (true, false) => t!("An earlier compaction is active."),
        (true, true) => "",
    }
}

/// How the compaction ended, in words.
#[component]
fn Ended(store: Store, report: Arc<Report>) -> impl IntoView {
    match &report.outcome {
        Ending::Applied { .. } => view! { <Applied store report=report.clone() /> }.into_any(),
        Ending::Skipped { message } => view! {
            <p class="notice warn" role="alert">
                <strong>{t!("Nothing was changed.")} " "</strong>
                {engine_clause(message)}
            </p>
        }
        .into_any(),
        Ending::Failed { message } => view! {
            <p class="notice error" role="alert">
                <strong>{t!("The compaction failed.")} " "</strong>
                {engine_clause(message)}
                " " {t!("The conversation is unchanged; you can try again.")}
            </p>
        }
        .into_any(),
        Ending::Cancelled => view! {
            <p class="notice">
                <strong>{t!("Cancelled.")} " "</strong>
                {t!("The conversation is unchanged.")}
            </p>
        }
        .into_any(),
    }
}

#[component]
fn Applied(store: Store, report: Arc<Report>) -> impl IntoView {
    let (before, after) = (report.tokens_before, report.tokens_after);
    let own = match report.outcome {
        Ending::Applied { checkpoint } => Some(checkpoint),
        Ending::Skipped { .. } | Ending::Failed { .. } | Ending::Cancelled => None,
    };
    let did = move || {
        store.compactions.with(|compactions| {
            let own = compactions.iter().find(|done| Some(done.checkpoint) == own);
            own.map(|done| format!("{} · ", done.described()))
        })
    };
    let findings = report.findings.len();
    let repaired = (findings > 0).then(|| {
        view! {
            <p class="hint">
                {t!(
                    "{messages} repaired; see the findings below the messages.",
                    messages = plural(crate::number::count(findings), "message was", "messages were")
                )}
            </p>
        }
    });
    let excerpted = report.excerpted.is_some().then(|| {
        view! {
            <p class="hint">
                {t!("The last request alone is longer than the target: the model gets its beginning and its end. The history has it whole.")}
            </p>
        }
    });
    let floor = report.floor.clone().map(|floor| {
        view! { <p class="notice warn">{t!("Still above the threshold: {reason}", reason = engine_clause(&floor))}</p> }
    });
    let unsupported = report.receipt.unsupported.clone();
    let invented = (!unsupported.is_empty()).then(|| {
        view! {
            <p class="notice error" role="alert">
                <strong>{marked(&unsupported.join(", ")).into_owned()}</strong>
                " " {t!("is in the summary and in no message.")}
            </p>
        }
    });
    let summarizer = report.summarizer.clone();
    let cached = summarizer.as_ref().and_then(|summarizer| summarizer.tokens);
    let cached = cached.filter(|tokens| tokens.cached > 0).map(|tokens| {
        let read = t!(
            "{cached} of {prompt} tokens read from the cache",
            cached = thousands(tokens.cached),
            prompt = thousands(tokens.prompt)
        );
        format!(" · {read}")
    });
    let steps = summarizer.as_ref().map(|summarizer| summarizer.steps.clone()).unwrap_or_default();
    let fallback = summarizer.and_then(|summarizer| summarizer.fallback).map(|because| {
        view! { <p class="hint">{t!("The summarizer got a transcript: {reason}", reason = engine_clause(&because))}</p> }
    });
    let took = report.waited_ms.map(|waited| format!("{} · ", duration(f64::from(waited))));
    view! {
        <p class="forecast">
            <span class="forecast-before">{thousands(before)}</span>
            <span class="forecast-arrow">"→"</span>
            <span class="forecast-after">{thousands(after)}</span>
            <span class="forecast-unit">{t!("tokens")}</span>
            <span class="forecast-change">{change(before, after)}</span>
        </p>
        <p class="figures">
            {did} {plural(report.requests, "request", "requests")} " · " {took}
            <span class="legal">{t!("still a legal request")}</span>
            {format!(
                " · {} · {}",
                t!("{share} of the window used", share = percentage(report.budget_used_pct)),
                t!("session {number}", number = report.session)
            )}
            {cached}
        </p>
        {invented} {fallback} <Steps steps /> {excerpted} {floor}
        {repaired}
    }
}
