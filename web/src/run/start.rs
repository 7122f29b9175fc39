//! The button that compacts, and what it is to keep in mind.

use leptos::prelude::*;

use super::{COMPACT_BUTTON, REASONS};
use crate::driver;
use crate::store::Store;

/// The form that begins a compaction.
#[component]
pub(super) fn Start(store: Store) -> impl IntoView {
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
    let refusal = move || {
        store.live.refusal.get().map(|told| {
            view! { <p class="notice warn" role="alert">"The engine refuses: " {told} "."</p> }
        })
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
            <Tasks store />
            <div class="start-row">
                <WhyNow store />
                <button
                    id=COMPACT_BUTTON
                    type="submit"
                    class="button primary large"
                    aria-disabled=move || blocked().to_string()
                    aria-describedby="summarized-by"
                >
                    "Compact now"
                </button>
            </div>
            <div class="option">
                <input
                    type="checkbox"
                    id="ask-first"
                    prop:checked=store.live.ask_first
                    on:change=move |event| store.live.ask_first.set(event_target_checked(&event))
                />
                <label for="ask-first">"Ask before summarizing"</label>
            </div>
            {refusal}
            <p id="summarized-by" class="hint">
                "Summarized by "
                {move || store.summarizer.with(crate::store::Summarizer::described)} ". "
                <a href="#summarizer-heading">"Change"</a>
            </p>
        </form>
    }
}

/// The reason, which decides what a compaction may do.
#[component]
fn WhyNow(store: Store) -> impl IntoView {
    let options = REASONS.map(|(reason, name, label)| {
        let selected = move || store.reason.get() == reason;
        view! { <option value=name selected=selected>{label}</option> }
    });
    let choose = move |event| {
        let name = event_target_value(&event);
        let chosen = REASONS.iter().find(|(_, other, _)| *other == name);
        if let Some((reason, ..)) = chosen {
            store.reason.set(*reason);
        }
    };
    view! {
        <div class="field">
            <label for="reason">"Reason"</label>
            <select id="reason" on:change=choose>{options}</select>
        </div>
    }
}

/// The open tasks.
#[component]
fn Tasks(store: Store) -> impl IntoView {
    view! {
        <details class="more">
            <summary>"Open tasks " <span class="optional">"(optional)"</span></summary>
            <textarea
                id="tasks"
                rows="3"
                aria-label="Open tasks"
                aria-describedby="tasks-hint"
                placeholder="- [ ] one a line"
                prop:value=store.live.todo
                on:change=move |event| driver::set_todo(store, event_target_value(&event))
            ></textarea>
            <p class="hint" id="tasks-hint">"They stand behind every summary, word for word."</p>
        </details>
    }
}
