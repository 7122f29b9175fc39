//! The field for the next message, and the server that answers it.

use leptos::prelude::*;

use crate::browser::{focus, is_open};
use crate::driver;
use crate::language::t;
use crate::settings::{self, AnswersFields};
use crate::store::Store;

/// The id of the field. It has the focus while an answer is written.
pub(super) const FIELD: &str = "chat-text";

/// The form. Enter sends, and Shift and Enter begin a line.
#[component]
pub(super) fn Composer(store: Store) -> impl IntoView {
    let text = store.chat.drafts.typed;
    let is_answering = store.chat.is_answering;
    let send = move || {
        let said = text.get_untracked().trim().to_owned();
        focus(FIELD);
        if said.is_empty() {
            store.announce(t!("Write a message first."));
        } else if driver::send(store, &said) {
            text.set(String::new());
        }
    };
    Effect::new(move |_| {
        // It has an id once it is kept.
        store.keeping.saved.track();
        store.chat.drafts.remember(store.keeping.id());
    });
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        send();
    };
    let keys = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && !event.shift_key() && !event.is_composing() {
            event.prevent_default();
            send();
        }
    };
    let stop = move |_| {
        focus(FIELD);
        driver::stop_answering(store);
    };
    view! {
        <form class="composer" on:submit=submit>
            <label class="visually-hidden" for=FIELD>{t!("Message")}</label>
            <textarea
                id=FIELD
                rows="2"
                dir="auto"
                placeholder=t!("Write a message")
                enterkeyhint="send"
                prop:value=text
                on:input=move |event| text.set(event_target_value(&event))
                on:keydown=keys
            ></textarea>
            <Show
                when=move || is_answering.get()
                fallback=move || {
                    view! {
                        <button
                            type="submit"
                            class="button"
                            aria-disabled=move || store.is_locked().to_string()
                        >
                            {t!("Send")}
                        </button>
                    }
                }
            >
                <button type="button" class="button" on:click=stop>{t!("Stop")}</button>
            </Show>
        </form>
    }
}

/// The server, and its fields once they are asked for.
#[component]
pub(super) fn Server(store: Store) -> impl IntoView {
    let open = RwSignal::new(false);
    let settings = store.settings;
    let described = move || {
        let server = settings.server.with(settings::Server::described);
        t!("Answered by {server}", server)
    };
    view! {
        <details class="more" on:toggle=move |event| open.set(is_open(&event))>
            <summary>{described}</summary>
            <Show when=move || open.get()>
                <AnswersFields settings />
            </Show>
        </details>
    }
}
