//! The findings of a loaded conversation: what is wrong with it, and what is done about it.

use leptos::prelude::*;

use crate::language::t;
use crate::number::{count, plural, thousands};
use crate::store::Store;

/// The list of findings, if there are any.
#[component]
pub(crate) fn Findings(store: Store) -> impl IntoView {
    let notes = move || {
        let notes = store.document.with(|document| {
            document.as_ref().map(|document| document.notes.clone()).unwrap_or_default()
        });
        // Messages of other branches are not on the page.
        let shown = notes.into_iter().filter_map(|note| {
            Some((store.read(|session| session.compactor()?.log().position(&note.message))?, note))
        });
        shown.collect::<Vec<_>>()
    };
    let number = Memo::new(move |_| count(notes().len()));
    let open = move |position: usize| {
        move |_| {
            store.perspective.set(crate::store::Perspective::Conversation);
            store.opened.set(Some(position));
        }
    };
    let rows = move || {
        notes()
            .into_iter()
            .map(|(position, note)| {
                let number = store.read(|session| session.number(position));
                // A path belongs to the whole message, not to one of its steps.
                let number = match note.path {
                    Some(_) => number.map(|number| thousands(number.message)),
                    None => number.map(|number| number.to_string()),
                };
                let path = note.path.map(|path| view! { <code>{path}</code> " " });
                view! {
                    <li>
                        <button type="button" class="link" on:click=open(position)>
                            {t!("Message {number}", number = number.unwrap_or_default())}
                        </button>
                        <span>{path} {note.explanation}</span>
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <Show when=move || { number.get() > 0 }>
            <details class="findings card">
                <summary>
                    <h2>{move || plural(number.get(), "finding", "findings")}</h2>
                    <span class="hint">{t!("Nothing is lost. A compaction repairs this.")}</span>
                </summary>
                <ul tabindex="0" aria-label=t!("Findings")>{rows}</ul>
            </details>
        </Show>
    }
}
