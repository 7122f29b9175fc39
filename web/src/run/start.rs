//! What is said about this one compaction: what to pay attention to, open tasks, its reason.

use leptos::prelude::*;

use super::COMPACT_FORM;
use super::act::is_blocked;
use crate::driver;
use crate::label::{REASONS, reason_label};
use crate::language::t;
use crate::store::Store;

/// The form that starts a compaction.
#[component]
pub(crate) fn Start(store: Store) -> impl IntoView {
    let focus = RwSignal::new(String::new());
    let compact = move || {
        if !is_blocked(store) && !store.is_busy() {
            driver::compact(store, &focus.get_untracked());
        }
    };
    let start = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        compact();
    };
    Effect::new(move |_| {
        if store.live.is_wanted.get_untracked() {
            store.live.is_wanted.set(false);
            compact();
        }
    });
    let rejection = move || {
        store.live.rejection.get().map(|error| {
            view! { <p class="notice warn" role="alert">{t!("The engine rejected this: {error}.", error)}</p> }
        })
    };
    view! {
        <form class="start" id=COMPACT_FORM on:submit=start>
            {rejection}
            <label for="focus">{t!("Pay attention to")} " " <span class="optional">{t!("(optional)")}</span></label>
            <input
                id="focus"
                type="text"
                autocomplete="off"
                placeholder=t!("order numbers, open questions, …")
                prop:value=focus
                on:input=move |event| focus.set(event_target_value(&event))
            />
            <Tasks store />
            <ReasonSelect store />
            <div class="option">
                <input
                    type="checkbox"
                    id="ask-first"
                    prop:checked=store.live.ask_first
                    on:change=move |event| store.live.ask_first.set(event_target_checked(&event))
                />
                <label for="ask-first">{t!("Ask before summarizing")}</label>
            </div>
            <div class="option">
                <input
                    type="checkbox"
                    id="read-first"
                    prop:checked=store.live.reads_first
                    on:change=move |event| store.live.reads_first.set(event_target_checked(&event))
                />
                <label for="read-first">{t!("Let me read and change the summary first")}</label>
            </div>
        </form>
    }
}

/// The reason, which decides what a compaction may do.
#[component]
fn ReasonSelect(store: Store) -> impl IntoView {
    let options = REASONS.iter().enumerate().map(|(index, reason)| {
        let selected = move || store.reason.get() == *reason;
        view! {
            <option value=index.to_string() selected=selected>{reason_label(*reason)}</option>
        }
    });
    let options = options.collect_view();
    let choose = move |event| {
        let index = event_target_value(&event).parse::<usize>().ok();
        if let Some(reason) = index.and_then(|index| REASONS.get(index)) {
            store.reason.set(*reason);
        }
    };
    view! {
        <div class="field">
            <label for="reason">{t!("Reason")}</label>
            <select id="reason" on:change=choose>{options}</select>
        </div>
    }
}

/// The open tasks.
#[component]
fn Tasks(store: Store) -> impl IntoView {
    view! {
        <details class="more">
            <summary>{t!("Open tasks")} " " <span class="optional">{t!("(optional)")}</span></summary>
            <textarea
                id="tasks"
                rows="3"
                aria-label=t!("Open tasks")
                aria-describedby="tasks-hint"
                placeholder=t!("- [ ] one per line")
                prop:value=store.live.todo
                on:change=move |event| driver::set_todo(store, event_target_value(&event))
            ></textarea>
            <p class="hint" id="tasks-hint">{t!("They are appended to every summary, word for word.")}</p>
        </details>
    }
}
