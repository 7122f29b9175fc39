//! The conversations that the browser keeps: the list of them, and opening one again.

use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::command::{Found, HEADING, begin, fail, open_kept, open_sample};
use super::sample::{Sample, shown_name};
use crate::browser::{
    archive, focus, focus_instead_of_nothing, is_open, on_other_tabs_change, save,
};
use crate::driver;
use crate::language::t;
use crate::number::{self, plural, thousands};
use crate::store::{Keeping, Kept, Saved, Session, Space, Store};

/// The id of the list's button, which gets the focus when an entry is gone.
const LIST: &str = "kept-list";

/// Opens a kept conversation.
pub(super) fn reopen(store: Store, found: Found, kept: Kept) {
    if store.keeping.is_open(&kept.id) {
        return store.announce(t!("{name} is open.", name = shown_name(&kept.name)));
    }
    begin(store, kept.name.clone());
    spawn_local(async move {
        match store.keeping.open(&kept.id).await {
            Ok(Some(log)) => open_kept(store, found, kept, log).await,
            Ok(None) => {
                store.keeping.drop_from_list(&kept.id);
                let name = shown_name(&kept.name);
                let problem = t!("The browser does not have {name} any more.", name);
                open_other(store, found, problem);
            }
            Err(_) => {
                let problem = t!("What the browser keeps cannot be read now.");
                open_other(store, found, problem.to_owned());
            }
        }
    });
}

/// Says why a kept conversation is not shown, and shows a sample if the page has nothing yet.
fn open_other(store: Store, found: Found, problem: String) {
    if store.document.with_untracked(Option::is_none) {
        open_sample(store, found, Sample::Support);
    } else {
        fail(store, problem);
    }
}

/// Follows what other tabs do with the conversation on the page, and with the list.
pub(crate) fn watch_tabs(store: Store) {
    on_other_tabs_change(move || driver::follow_list(store));
    Effect::new(move |_| {
        if store.keeping.news.get() > 0 {
            driver::follow(store);
        }
    });
}

/// How far the conversation on the page is kept, in words, and what can be done if it is not.
#[component]
pub(super) fn SavedState(store: Store) -> impl IntoView {
    let Keeping { saved, is_following, .. } = store.keeping;
    let is_acting = StoredValue::new(false);
    Effect::new(move |_| {
        saved.track();
        // The button that was pressed may be gone.
        if is_acting.get_value() {
            focus_instead_of_nothing(HEADING);
        }
    });
    let action = move |label: &'static str, act: fn(Store)| {
        let press = move |_| {
            is_acting.set_value(true);
            act(store);
        };
        view! { " " <button type="button" class="link" on:click=press>{label}</button> }
    };
    let unsaved = move |words: &'static str, label: &'static str, act: fn(Store)| {
        view! {
            <span class="saved">
                " · " <span role="alert">{words}</span> {action(label, act)}
                {action(t!("Download it"), download)}
            </span>
        }
        .into_any()
    };
    move || {
        let words = match (is_following.get(), saved.get()) {
            (true, _) => t!("another tab edits it, and this one shows what that saves"),
            (_, Saved::Unneeded) => return ().into_any(),
            (_, Saved::Writing) => t!("saving …"),
            (_, Saved::Kept) => t!("kept in this browser"),
            (_, Saved::Failed) => {
                let words = t!(
                    "not saved: the browser has no space, or keeps nothing. Delete others, or download it."
                );
                return unsaved(words, t!("Try again"), Store::keep);
            }
            (_, Saved::Lost) => {
                let words = t!("not saved: it was changed or deleted in another tab.");
                return unsaved(words, t!("Keep as a copy"), Store::keep_copy);
            }
        };
        view! { <span class="saved">" · " {words}</span> }.into_any()
    }
}

/// Has the browser save the conversation with its compactions as a file, which this page and the package can open.
fn download(store: Store) {
    let everything = store.read(Session::everything);
    spawn_local(async move {
        let Some(everything) = everything else { return };
        let Ok(lines) = everything.lines().await else { return };
        if let Ok(text) = archive(&lines).await {
            save("conversation.jsonl", &Array::of1(&text)).await;
        }
    });
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
                <summary class="button" id=LIST>{move || t!("Kept ({number})", number = number.get())}</summary>
                <div class="menu-body card">
                    <ul class="kept" aria-label=t!("Conversations in this browser")>{rows}</ul>
                    <p class="hint">{t!("They are in this browser only, with their compactions.")}</p>
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
                {t!("Ask the browser to keep them")}
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
            store.forget(&id, move |freed| {
                store.announce(format!("{} {freed}", t!("Deleted from this browser.")));
                store.keeping.said.set(freed);
            });
            // The button is gone together with the last entry.
            request_animation_frame(|| {
                focus(LIST);
                focus_instead_of_nothing(HEADING);
            });
        }
    };
    let name = shown_name(&name).to_owned();
    let messages = plural(messages, "message", "messages");
    view! {
        <li>
            <button type="button" class="link" on:click=move |_| reopen(store, found, kept.clone())>
                {name.clone()}
            </button>
            <span class="figures">
                {t!("{messages} · {tokens} tokens", messages, tokens = thousands(tokens))}
                {size}
            </span>
            <button type="button" class="link" aria-label=t!("Delete {name}", name) on:click=forget>
                {t!("Delete")}
            </button>
        </li>
    }
}
