//! One entry of a list: its text, who it is from, what held before, and the messages that it is from.

use std::sync::Arc;

use epitome::{StateEntry, StateList};
use leptos::prelude::*;

use super::field::{EntryText, Remove};
use super::{focus_later, keep_focus};
use crate::direction::marked;
use crate::driver;
use crate::language::{around, t};
use crate::messages::MessageLinks;
use crate::store::Store;

/// An entry, by its place in the list.
#[component]
pub(super) fn EntryRow(store: Store, list: StateList, index: usize) -> impl IntoView {
    let entry = Memo::new(move |_| {
        let entry = store.holding.shown.with(|held| held.state.list(list).get(index).cloned());
        entry.unwrap_or_default()
    });
    let text = Memo::new(move |_| entry.with(|entry| marked(&entry.text).into_owned()));
    // Without what is changed here: a link that is drawn again while it is pressed would not open.
    let about = Memo::new(move |_| {
        entry.with(|entry| StateEntry { text: String::new(), done: false, ..entry.clone() })
    });
    let number = index + 1;
    let change = move |words, change: &dyn Fn(&mut StateEntry)| {
        driver::change_lists(store, words, |state| {
            state.list_mut(list).iter_mut().skip(index).take(1).for_each(change);
        });
        keep_focus();
    };
    let save = move |typed: String| {
        change(t!("The entry is changed."), &|it| it.text.clone_from(&typed));
    };
    let check = move |event| {
        let done = event_target_checked(&event);
        change(t!("The task is changed."), &|task| task.done = done);
    };
    let remove = move |_| {
        driver::change_lists(store, t!("The entry is removed."), |state| {
            let entries = state.list_mut(list);
            if index < entries.len() {
                entries.remove(index);
            }
        });
        let left = store.holding.shown.with_untracked(|held| held.state.list(list).len());
        focus_later(entry_id(list, index.min(left.saturating_sub(1))));
    };
    let done = (list == StateList::Tasks).then(|| {
        view! {
            <label class="held-check">
                <input
                    type="checkbox"
                    aria-label=t!("Task {number} is done", number)
                    prop:checked=move || entry.with(|entry| entry.done)
                    on:change=check
                />
                {t!("Done")}
            </label>
        }
    });
    view! {
        <li class="held-entry">
            <EntryText id=entry_id(list, index) label=entry_name(list, number) text save />
            <div class="held-about">
                {done}
                {move || view! { <About store entry=about.get() /> }}
                <Remove label=removal(list, number) remove />
            </div>
        </li>
    }
}

/// Who an entry is from, what held before it, and its messages, whose rows are lit while the pointer or the focus is on it.
#[component]
fn About(store: Store, entry: StateEntry) -> impl IntoView {
    let StateEntry { earlier, by, sources, .. } = entry;
    let positions: Vec<usize> = store.read(|session| {
        let log = session.compactor().map(epitome::Compactor::log);
        sources.iter().filter_map(|id| log?.position(id)).collect()
    });
    // The log of everyone does not have what is only for some.
    let is_private = positions.len() < sources.len();
    let lit = StoredValue::new(Arc::new(positions.clone()));
    let light = move || store.lit.set(lit.get_value());
    let dark = move || store.lit.set(Arc::default());
    let by = by.map(|by| format!("{} · ", marked(&by)));
    let earlier =
        earlier.map(|earlier| format!("{} · ", t!("before: {text}", text = marked(&earlier))));
    let (from, after) = around(
        match (positions.is_empty(), is_private) {
            (true, true) => t!("from what is only for some"),
            (true, false) => t!("from no message"),
            (false, true) => t!("from what is only for some, and {messages}"),
            (false, false) => t!("from {messages}"),
        },
        "{messages}",
    );
    view! {
        <p
            class="hint"
            dir="auto"
            on:pointerenter=move |_| light()
            on:pointerleave=move |_| dark()
            on:focusin=move |_| light()
            on:focusout=move |_| dark()
        >
            {by} {earlier} {from} <MessageLinks store positions /> {after}
        </p>
    }
}

/// What an entry is called.
fn entry_name(list: StateList, number: usize) -> String {
    match list {
        StateList::Decisions => t!("Decision {number}", number),
        StateList::Constraints => t!("Constraint {number}", number),
        StateList::Tasks => t!("Task {number}", number),
        StateList::Questions => t!("Question {number}", number),
        StateList::Risks => t!("Risk {number}", number),
        StateList::Artifacts => t!("Artifact {number}", number),
        StateList::Contributions => t!("Contribution {number}", number),
    }
}

/// What the button is called that removes it.
fn removal(list: StateList, number: usize) -> String {
    match list {
        StateList::Decisions => t!("Remove decision {number}", number),
        StateList::Constraints => t!("Remove constraint {number}", number),
        StateList::Tasks => t!("Remove task {number}", number),
        StateList::Questions => t!("Remove question {number}", number),
        StateList::Risks => t!("Remove risk {number}", number),
        StateList::Artifacts => t!("Remove artifact {number}", number),
        StateList::Contributions => t!("Remove contribution {number}", number),
    }
}

/// The id of the field of an entry.
fn entry_id(list: StateList, index: usize) -> String {
    format!("held-{}-{index}", list.key())
}
