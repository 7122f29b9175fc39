//! What was odd about the conversation, and what is done about it.

use leptos::prelude::*;

use crate::number::{count, plural, thousands};
use crate::store::Store;

/// The list of findings; nothing where there are none.
#[component]
pub(crate) fn Findings(store: Store) -> impl IntoView {
    let notes = move || {
        store.document.with(|document| {
            document.as_ref().map(|document| document.notes.clone()).unwrap_or_default()
        })
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
            .map(|note| {
                let place = store.read(|session| session.place(note.position));
                // A path leads into the whole message, whatever rows it has.
                let place = match note.path {
                    Some(_) => place.map(|place| thousands(place.message)),
                    None => place.map(|place| place.to_string()),
                };
                let path = note.path.map(|path| view! { <code>{path}</code> " " });
                view! {
                    <li>
                        <button type="button" class="link" on:click=open(note.position)>
                            {format!("Message {}", place.unwrap_or_default())}
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
                    <span class="hint">"Nothing is lost; this is what a compaction puts right."</span>
                </summary>
                <ul tabindex="0" aria-label="Findings">{rows}</ul>
            </details>
        </Show>
    }
}
