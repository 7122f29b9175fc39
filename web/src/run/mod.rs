//! Running a compaction: the button, and what is seen while it runs.

use std::time::Duration;

use epitome_browser::clock;
use epitome_tokens::Heuristic;
use leptos::prelude::*;

use crate::driver;
use crate::number::{duration, share, thousands};
use crate::store::{Progress, Store};

/// The id of the button that compacts, where the keyboard goes back to.
pub(crate) const COMPACT_BUTTON: &str = "compact-now";
/// As much of a growing summary as the box below the progress shows.
const LATEST_CHARACTERS: usize = 700;

/// The button, or the compaction under way.
#[component]
pub(crate) fn Run(store: Store) -> impl IntoView {
    let running = Memo::new(move |_| store.progress.with(Option::is_some));
    view! {
        <Show when=move || running.get() fallback=move || view! { <Start store /> }>
            <Running store />
        </Show>
    }
}

#[component]
fn Start(store: Store) -> impl IntoView {
    let focus = RwSignal::new(String::new());
    let blocked = move || {
        store.form_error.with(Option::is_some)
            || store.plan.with(|plan| plan.as_ref().is_none_or(|plan| plan.idle.is_some()))
    };
    let start = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if !blocked() {
            driver::compact(store, &focus.get_untracked());
        }
    };
    view! {
        <form class="start" on:submit=start>
            <label for="focus">"Pay attention to " <span class="optional">"(optional)"</span></label>
            <input
                id="focus"
                type="text"
                autocomplete="off"
                placeholder="order numbers, open questions, …"
                prop:value=focus
                on:input=move |event| focus.set(event_target_value(&event))
            />
            <button
                id=COMPACT_BUTTON
                type="submit"
                class="button primary large"
                aria-disabled=move || blocked().to_string()
                aria-describedby="summarized-by"
            >
                "Compact now"
            </button>
            <p id="summarized-by" class="hint">
                "Summarized by "
                {move || store.summarizer.with(crate::store::Summarizer::described)} ". "
                <a href="#summarizer-heading">"Change"</a>
            </p>
        </form>
    }
}

#[component]
fn Running(store: Store) -> impl IntoView {
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
        0 | 1 => "Summarizing".to_owned(),
        chunks => format!("Summarizing part {} of {chunks}", (done() + 1).min(chunks)),
    };
    let elapsed = move || {
        let started_ms = progress().map_or(0.0, |progress| progress.started_ms);
        duration(now_ms.get() - started_ms)
    };
    let tokens = Memo::new(move |_| {
        use epitome::meter::Tokenizer as _;
        // Counting twice a second is enough for a figure that only shows that something happens.
        now_ms.track();
        store.streamed.with_untracked(|text| Heuristic.count(text))
    });
    let fill = move || format!("inline-size: {:.1}%", share(done(), chunks()) * 100.0);
    let retry = move || {
        progress().and_then(|progress| progress.retry).map(|retry| {
            let wait = move || duration(retry.at_ms - now_ms.get());
            view! {
                <p class="notice warn">
                    {format!("Attempt {} failed: {}. ", retry.attempt, retry.message)}
                    "Trying again in " <span class="countdown">{wait}</span> "."
                </p>
            }
        })
    };
    view! {
        <div class="running" role="group" aria-label="Compaction under way">
            <div class="running-head">
                <p class="running-title">{title}</p>
                <p class="figures">
                    {elapsed} " · " {move || thousands(tokens.get())} " tokens so far"
                </p>
            </div>
            <div
                class="progress"
                role="progressbar"
                aria-label="Parts summarized"
                aria-valuemin="0"
                aria-valuemax=move || chunks().to_string()
                aria-valuenow=move || done().to_string()
                data-indeterminate=move || (chunks() <= 1).to_string()
            >
                <span style=fill></span>
            </div>
            {retry}
            <div class="streamed" tabindex="0" role="region" aria-label="The summary as it arrives">
                <p>{move || store.streamed.with(|text| latest(text))}</p>
            </div>
            <button type="button" class="button" on:click=move |_| driver::cancel(store)>
                "Cancel"
            </button>
        </div>
    }
}

/// The end of a text that grows: what was written last is what somebody wants to see.
fn latest(text: &str) -> String {
    if text.is_empty() {
        return "Waiting for the first words …".to_owned();
    }
    let from = text.char_indices().rev().nth(LATEST_CHARACTERS).map(|(at, _)| at);
    let end = from.and_then(|from| text.get(from..));
    end.map_or_else(|| text.to_owned(), |end| format!("… {end}"))
}
