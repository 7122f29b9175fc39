//! The progress of a running compaction.

use std::time::Duration;

use epitome_browser::clock;
use epitome_tokens::Heuristic;
use leptos::prelude::*;

use crate::browser::focus_instead_of_nothing;
use crate::direction::marked;
use crate::driver;
use crate::language::t;
use crate::number::{duration, percentage, share, thousands};
use crate::store::{Progress, Store};

/// The number of characters that the box with the arriving summary shows.
const LATEST_CHARACTERS: usize = 700;

/// The id of the button that cancels.
pub(crate) const CANCEL_BUTTON: &str = "cancel";

/// The progress, and the button that cancels.
#[component]
pub(super) fn Running(store: Store) -> impl IntoView {
    // The button that compacts is gone.
    focus_instead_of_nothing(CANCEL_BUTTON);
    let now_ms = RwSignal::new(clock::now_ms());
    let tick =
        set_interval_with_handle(move || now_ms.set(clock::now_ms()), Duration::from_millis(250));
    on_cleanup(move || {
        if let Ok(tick) = tick {
            tick.clear();
        }
    });
    let progress = move || store.progress.get();
    let with = move |read: fn(&Progress) -> u32| progress().as_ref().map_or(0, read);
    let done = move || with(|progress| progress.done);
    let chunks = move || with(|progress| progress.chunks);
    let title = move || match chunks() {
        _ if store.live.draft.with(Option::is_some) => t!("The summary waits for you.").to_owned(),
        0 | 1 => t!("Compacting…").to_owned(),
        chunks => {
            t!("Compacting… part {part} of {chunks}", part = (done() + 1).min(chunks), chunks)
        }
    };
    let from = move || {
        progress().map(|progress| {
            let tokens = t!(
                "{tokens} tokens, {share} of the window",
                tokens = thousands(progress.tokens),
                share = percentage(progress.budget_used_pct)
            );
            format!("{tokens} · ")
        })
    };
    let shorter = move || {
        progress().and_then(|progress| progress.shorter).map(|shorter| {
            view! {
                <p class="notice warn">
                    {t!("The result is too large; trying with {shorter}.", shorter = shorter.described())}
                </p>
            }
        })
    };
    let elapsed = move || {
        let started_ms = progress().map_or(0.0, |progress| progress.started_ms);
        duration(now_ms.get() - started_ms)
    };
    let tokens = Memo::new(move |_| {
        use epitome::tokens::Tokenizer as _;
        // Counting at each tick is enough for a figure that only shows that text arrives.
        now_ms.track();
        store.streamed.with_untracked(|text| Heuristic.count(text))
    });
    let fill = move || format!("{:.1}%", share(done(), chunks()) * 100.0);
    let retry = move || {
        progress().and_then(|progress| progress.retry).map(|retry| {
            let wait = move || duration(retry.at_ms - now_ms.get());
            view! {
                <p class="notice warn">
                    {t!(
                        "Attempt {attempt} failed: {message}.",
                        attempt = retry.attempt,
                        message = retry.message
                    )} " " {t!("Trying again in")} " " <span class="countdown">{wait}</span> "."
                </p>
            }
        })
    };
    view! {
        <div class="running" role="group" aria-label=t!("Running compaction")>
            <div class="running-head">
                <p class="running-title">{title}</p>
                <p class="figures">
                    {from} {elapsed} " · " {move || t!("{tokens} tokens so far", tokens = thousands(tokens.get()))}
                </p>
            </div>
            <div
                class="progress"
                role="progressbar"
                aria-label=t!("Parts summarized")
                aria-valuemin="0"
                aria-valuemax=move || chunks().to_string()
                aria-valuenow=move || done().to_string()
                data-indeterminate=move || (chunks() <= 1).to_string()
            >
                <span style:inline-size=fill></span>
            </div>
            {shorter} {retry}
        </div>
        <button
            id=CANCEL_BUTTON
            type="button"
            class="button large"
            on:click=move |_| driver::cancel(store)
        >
            {t!("Cancel")}
        </button>
    }
}

/// The summary while it arrives.
#[component]
pub(crate) fn Arriving(store: Store) -> impl IntoView {
    view! {
        <div class="streamed" tabindex="0" role="region" aria-label=t!("The summary as it arrives")>
            <p>{move || store.streamed.with(|text| marked(&latest(text)).into_owned())}</p>
        </div>
    }
}

/// The end of the arriving text, which is the new part.
fn latest(text: &str) -> String {
    if text.is_empty() {
        return t!("Waiting for the first words …").to_owned();
    }
    let from = text.char_indices().rev().nth(LATEST_CHARACTERS).map(|(at, _)| at);
    let end = from.and_then(|from| text.get(from..));
    end.map_or_else(|| text.to_owned(), |end| format!("… {end}"))
}
