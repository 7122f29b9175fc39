//! The conversations that the browser keeps: the list of them, and opening one again.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::command::{Found, HEADING, begin, fail, open_kept, open_sample};
use super::sample::Sample;
use crate::browser::{focus, focus_instead_of_nothing, is_open};
use crate::number::{self, plural, thousands};
use crate::store::{Kept, Saved, Space, Store, kept_texts};

/// The id of the list's button, which gets the focus when an entry is gone.
const LIST: &str = "kept-list";

/// Opens a kept conversation.
pub(super) fn reopen(store: Store, found: Found, kept: Kept) {
    begin(store, kept.name.clone());
    spawn_local(async move {
        match kept_texts(&kept.id).await {
            Some((messages, changes)) => open_kept(store, found, kept, messages, changes).await,
            None => {
                store.keeping.forget(&kept.id, |_| {});
                if store.document.with_untracked(Option::is_none) {
                    open_sample(store, found, Sample::Support);
                } else {
                    fail(store, format!("The browser does not have {} any more.", kept.name));
                }
            }
        }
    });
}

/// Whether the conversation on the page is kept, in words.
#[component]
pub(super) fn SavedState(store: Store) -> impl IntoView {
    move || {
        let words = match store.keeping.saved.get() {
            Saved::Unneeded => return None,
            Saved::Writing => "saving …",
            Saved::Kept => "kept in this browser",
            Saved::Failed => {
                "not saved: the browser has no space, or keeps nothing; export it, or delete others"
            }
        };
        Some(view! { <span class="saved">" · " {words}</span> })
    }
}

/// The list of kept conversations.
#[component]
pub(super) fn KeptList(store: Store, found: Found) -> impl IntoView {
    let number = Memo::new(move |_| store.keeping.list.with(Vec::len));
    let rows = move || {
        let list = store.keeping.list.get();
        list.into_iter().map(|kept| view! { <KeptRow store found kept /> }).collect_view()
    };
    view! {
        <Show when=move || { number.get() > 0 }>
            <details
                class="menu"
                on:toggle=move |event| {
                    if is_open(&event) {
                        store.keeping.said.set(String::new());
                        store.keeping.measure();
                    }
                }
            >
                <summary class="button" id=LIST>{move || format!("Kept ({})", number.get())}</summary>
                <div class="menu-body card">
                    <ul class="kept" aria-label="Conversations in this browser">{rows}</ul>
                    <p class="hint">"They are in this browser only, with their compactions."</p>
                    <SpaceUsed store />
                </div>
            </details>
        </Show>
    }
}

/// How much space is used and free again, and whether the browser keeps it all.
#[component]
fn SpaceUsed(store: Store) -> impl IntoView {
    let space = store.keeping.space;
    let words = move || {
        let used = space.with(|space| space.as_ref().and_then(Space::described));
        let said = Some(store.keeping.said.get()).filter(|said| !said.is_empty());
        [used, said].into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    let is_asked_for = move || space.with(|it| it.as_ref().is_some_and(|it| !it.is_persisted));
    view! {
        <p class="hint" role="status">{words}</p>
        <Show when=is_asked_for>
            <button type="button" class="button" on:click=move |_| store.keeping.ask_to_persist()>
                "Ask the browser to keep them"
            </button>
        </Show>
    }
}

#[component]
fn KeptRow(store: Store, found: Found, kept: Kept) -> impl IntoView {
    let size = {
        let id = kept.id.clone();
        move || {
            let bytes = store.keeping.space.with(|space| space.as_ref()?.of.get(&id).copied());
            bytes.map(|bytes| format!(" · {}", number::bytes(bytes)))
        }
    };
    let Kept { id, name, messages, tokens, .. } = kept.clone();
    let forget = {
        let id = id.clone();
        move |_| {
            store.keeping.forget(&id, move |freed| {
                store.announce(format!("Deleted from this browser. {freed}"));
                store.keeping.said.set(freed);
            });
            // The button is gone together with the last entry.
            request_animation_frame(|| {
                focus(LIST);
                focus_instead_of_nothing(HEADING);
            });
        }
    };
    view! {
        <li>
            <button type="button" class="link" on:click=move |_| reopen(store, found, kept.clone())>
                {name.clone()}
            </button>
            <span class="figures">
                {format!("{} · {} tokens", plural(messages, "message", "messages"), thousands(tokens))}
                {size}
            </span>
            <button type="button" class="link" aria-label=format!("Delete {name}") on:click=forget>
                "Delete"
            </button>
        </li>
    }
}
