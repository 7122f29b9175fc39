//! The memory: its summary, and its entries.

use epitome::{Memory, MemoryEntry};
use leptos::prelude::*;

use super::field::{EntryText, Remove};
use super::{focus_later, keep_focus};
use crate::direction::marked;
use crate::driver;
use crate::language::{around, t};
use crate::long_text::long_text;
use crate::number::{count, thousands};
use crate::store::Store;

/// The memory, if there is any.
#[component]
pub(super) fn Remembered(store: Store) -> impl IntoView {
    let held = store.holding.shown;
    let is_there = Memo::new(move |_| held.with(|held| !held.memory.is_empty()));
    let length = Memo::new(move |_| held.with(|held| held.memory.entries.len()));
    let summary = Memo::new(move |_| held.with(|held| held.memory.summary.clone()));
    let is_unread = Memo::new(move |_| held.with(|held| !held.is_remembered));
    let (before, after) =
        around(t!("It is in a summary only if {setting} is true in the settings."), "{setting}");
    view! {
        <Show when=move || is_there.get()>
            <h3 id="held-memory">
                {t!("Memory")} " " <span class="count">{move || thousands(count(length.get()))}</span>
            </h3>
            <Show when=move || is_unread.get()>
                <p class="hint">
                    {before} <code>"memory.inSummary"</code> {after}
                </p>
            </Show>
            {move || {
                let summary = summary.get();
                (!summary.is_empty())
                    .then(|| {
                        view! {
                            <div class="held-summary" role="group" aria-label=t!("Summary of the memory")>
                                {long_text(&summary)}
                            </div>
                        }
                    })
            }}
            <ul aria-labelledby="held-memory">
                <For each=move || 0..length.get() key=|index| *index let:index>
                    <MemoryRow store index />
                </For>
            </ul>
        </Show>
    }
}

#[component]
fn MemoryRow(store: Store, index: usize) -> impl IntoView {
    let entry = Memo::new(move |_| {
        let entry = store.holding.shown.with(|held| held.memory.entries.get(index).cloned());
        entry.unwrap_or_default()
    });
    let text = Memo::new(move |_| entry.with(|entry| marked(&entry.text).into_owned()));
    let change = move |change: &dyn Fn(&mut MemoryEntry)| {
        driver::change_memory(store, t!("The memory is changed."), |memory| {
            memory.entries.iter_mut().skip(index).take(1).for_each(change);
        });
    };
    let save = move |typed: String| {
        change(&|it| typed.trim().clone_into(&mut it.text));
        keep_focus();
    };
    let check = move |event| {
        let standing = event_target_checked(&event);
        change(&|it| it.standing = standing);
    };
    let remove = move |_| {
        driver::change_memory(store, t!("The entry is removed."), |memory: &mut Memory| {
            if index < memory.entries.len() {
                memory.entries.remove(index);
            }
        });
        let left = store.holding.shown.with_untracked(|held| held.memory.entries.len());
        focus_later(memory_id(index.min(left.saturating_sub(1))));
    };
    let number = index + 1;
    view! {
        <li class="held-entry">
            <EntryText id=memory_id(index) label=t!("Memory {number}", number) text save />
            <div class="held-about">
                <label class="held-check">
                    <input
                        type="checkbox"
                        aria-label=t!("Memory {number} stays: always word for word", number)
                        prop:checked=move || entry.with(|entry| entry.standing)
                        on:change=check
                    />
                    {t!("Always word for word")}
                </label>
                <Remove label=t!("Remove memory {number}", number) remove />
            </div>
        </li>
    }
}

/// The id of the field of an entry.
fn memory_id(index: usize) -> String {
    format!("held-memory-{index}")
}
