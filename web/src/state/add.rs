//! Adding an entry to a list or to the memory.

use epitome::{MemoryEntry, StateEntry, StateList};
use leptos::prelude::*;

use super::{focus_later, heading_of};
use crate::driver;
use crate::language::t;
use crate::store::Store;

/// The id of what opens the form. It has the focus if the entry that had it is gone.
pub(super) const ADD: &str = "held-add";

/// The id of the field for the text.
const TEXT: &str = "held-new-text";

/// The form, closed at first.
#[component]
pub(super) fn Add(store: Store) -> impl IntoView {
    // The number of the list; the memory is behind the last one.
    let place = RwSignal::new(0_usize);
    let text = RwSignal::new(String::new());
    let add = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let typed = text.get_untracked().trim().to_owned();
        if typed.is_empty() {
            store.announce(t!("Write what it says first."));
        } else if let Some(list) = StateList::ALL.get(place.get_untracked()) {
            let words = t!("The entry is added.");
            driver::change_lists(store, words, |state| {
                let entry = StateEntry { text: typed, ..StateEntry::default() };
                state.list_mut(*list).insert(0, entry);
            });
            text.set(String::new());
        } else {
            driver::change_memory(store, t!("The entry is added to the memory."), |memory| {
                memory.entries.push(MemoryEntry { text: typed, standing: false });
            });
            text.set(String::new());
        }
        focus_later(TEXT.to_owned());
    };
    let choose = move |event| {
        place.set(event_target_value(&event).parse().unwrap_or_default());
    };
    let titles = StateList::ALL.map(heading_of).into_iter().chain([t!("Memory")]);
    let options = titles.enumerate().map(|(index, title)| {
        view! { <option value=index.to_string()>{title}</option> }
    });
    let options = options.collect_view();
    view! {
        <details class="more">
            <summary id=ADD>{t!("Add an entry")}</summary>
            <form class="held-form" on:submit=add>
                <div class="field">
                    <label for="held-new-place">{t!("List")}</label>
                    <select id="held-new-place" on:change=choose>
                        {options}
                    </select>
                </div>
                <div class="field">
                    <label for=TEXT>{t!("What it says")}</label>
                    <input
                        id=TEXT
                        type="text"
                        autocomplete="off"
                        prop:value=text
                        on:input=move |event| text.set(event_target_value(&event))
                    />
                </div>
                <button type="submit" class="button">{t!("Add")}</button>
            </form>
        </details>
    }
}
