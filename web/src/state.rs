//! State and memory as a panel: what holds beside the summary, with its sources, and the ways to change it and to take that back.

mod add;
mod entry;
mod field;
mod memory;

use epitome::StateList;
use leptos::prelude::*;

use crate::browser::{focus, focus_instead_of_nothing};
use crate::driver;
use crate::language::{around, t};
use crate::number::{count, thousands};
use crate::store::Store;
use add::{ADD, Add};
use entry::EntryRow;
use memory::Remembered;

/// The lists and the memory of everyone, or of the agent that is chosen.
#[component]
pub(crate) fn StateAndMemory(store: Store) -> impl IntoView {
    let held = store.holding.shown;
    let is_empty = Memo::new(move |_| held.with(|held| held.state.is_empty()));
    let is_summarized = Memo::new(move |_| held.with(|held| held.is_summarized));
    let setting = move || {
        let label = t!("Keep lists of decisions, tasks and open questions");
        let show = move |_| store.settings.sheet.open_at(label);
        view! { <button type="button" class="link" on:click=show>{label}</button> }
    };
    let hint = move || {
        match (is_empty.get(), is_summarized.get()) {
        (true, true) => {
            Some(t!("What was decided, is to be done or is open comes here with the next summary, or when you add it.").into_any())
        }
        (true, false) => {
            let (before, after) = around(t!("What was decided, is to be done or is open comes here when you add it, and with the next summary if this is on: {setting}"), "{setting}");
            Some(view! { {before} {setting()} {after} }.into_any())
        }
        (false, false) => {
            let (before, after) = around(t!("No summary shows the lists as long as this is off: {setting}"), "{setting}");
            Some(view! { {before} {setting()} {after} }.into_any())
        }
        (false, true) => None,
    }
    };
    let lists = StateList::ALL.map(|list| view! { <Entries store list /> });
    view! {
        <section class="held card" aria-labelledby="held-heading">
            <h2 id="held-heading">{t!("State and memory")}</h2>
            <Reader store />
            {move || hint().map(|hint| view! { <p class="hint">{hint}</p> })}
            <div class="held-lists">{lists} <Remembered store /></div>
            {move || {
                let said = store.holding.said.get();
                (!said.is_empty()).then(|| view! { <p class="notice warn">{said}</p> })
            }}
            <Undo store />
            <Add store />
        </section>
    }
}

/// The choice of whose lists are shown, if there are agents.
#[component]
fn Reader(store: Store) -> impl IntoView {
    let names = Memo::new(move |_| {
        store.lanes.with(|lanes| lanes.iter().map(|lane| lane.name.clone()).collect::<Vec<_>>())
    });
    let choose = move |event| {
        let name = event_target_value(&event);
        store.holding.agent.set(Some(name).filter(|name| !name.is_empty()));
        store.holding.said.set("");
        store.show_held();
    };
    let chosen = move || store.holding.agent.get().unwrap_or_default();
    let options = move || {
        let names = names.get().into_iter();
        names
            .map(|name| view! { <option value=name.clone()>{name.clone()}</option> })
            .collect_view()
    };
    view! {
        <Show when=move || names.with(|names| !names.is_empty())>
            <div class="field">
                <label for="held-reader">{t!("What holds for")}</label>
                <select id="held-reader" prop:value=chosen on:change=choose>
                    <option value="">{t!("Everyone")}</option>
                    {options}
                </select>
            </div>
        </Show>
    }
}

/// One list, if it has entries.
#[component]
fn Entries(store: Store, list: StateList) -> impl IntoView {
    let length = Memo::new(move |_| store.holding.shown.with(|held| held.state.list(list).len()));
    let heading = format!("held-{}", list.key());
    view! {
        <Show when=move || { length.get() > 0 }>
            <h3 id=heading.clone()>
                {heading_of(list)} " " <span class="count">{move || thousands(count(length.get()))}</span>
            </h3>
            <ul aria-labelledby=heading.clone()>
                // By place and not by text: a field keeps the focus while its text changes.
                <For each=move || 0..length.get() key=|index| *index let:index>
                    <EntryRow store list index />
                </For>
            </ul>
        </Show>
    }
}

/// The heading of a list, as its summary has it.
fn heading_of(list: StateList) -> &'static str {
    match list {
        StateList::Decisions => t!("Decisions"),
        StateList::Constraints => t!("Constraints"),
        StateList::Tasks => t!("Tasks"),
        StateList::Questions => t!("Open questions"),
        StateList::Risks => t!("Risks"),
        StateList::Artifacts => t!("Artifacts"),
        StateList::Contributions => t!("Contributions"),
    }
}

/// Takes back the latest change, if there is one.
#[component]
fn Undo(store: Store) -> impl IntoView {
    let is_edited = Memo::new(move |_| store.holding.shown.with(|held| held.is_edited));
    let undo = move |_| {
        if !store.is_locked() {
            driver::undo_change(store);
            keep_focus();
        }
    };
    view! {
        <Show when=move || is_edited.get()>
            <div class="held-undo">
                <button
                    type="button"
                    class="button"
                    aria-label=t!("Undo the last change here")
                    aria-disabled=move || store.is_locked().to_string()
                    on:click=undo
                >
                    {t!("Undo")}
                </button>
                <p class="hint">{t!("Takes back the last change of the lists.")}</p>
            </div>
        </Show>
    }
}

/// Focuses an element of the panel when a change is drawn.
fn focus_later(id: String) {
    request_animation_frame(move || {
        focus(&id);
        keep_focus();
    });
}

/// Keeps the focus in the panel if what had it is gone.
fn keep_focus() {
    focus_instead_of_nothing(ADD);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_have_the_headings_that_they_have_in_a_summary() {
        for list in StateList::ALL {
            assert_eq!(heading_of(list), list.heading());
        }
    }
}
