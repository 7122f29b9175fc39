//! The chat: continues the conversation with a model, below its messages.

mod bubble;
mod composer;
mod offer;

use leptos::prelude::*;

use crate::driver;
use crate::language::t;
use crate::store::{Problem, Store};
use bubble::{Arriving, LastTurn};
use composer::{Composer, FIELD, Server};
pub(crate) use offer::Offer;

/// The id of its heading.
pub(crate) const HEADING: &str = "chat-heading";

/// What was said last, the answer that arrives, and the field for the next message.
#[component]
pub(crate) fn Chat(store: Store) -> impl IntoView {
    let is_begun = store.chat.is_begun;
    view! {
        <section class="chat card" aria-labelledby=HEADING>
            <h2 id=HEADING>{t!("Live chat")}</h2>
            <Show when=move || is_begun.get()>
                <LastTurn store />
            </Show>
            <Arriving store />
            <Said store />
            <Composer store />
            <Server store />
        </section>
    }
}

/// Why there is no answer, or what to know about it.
#[component]
fn Said(store: Store) -> impl IntoView {
    let note = move || {
        store.chat.note.get().map(|note| view! { <p class="notice" role="status">{note}</p> })
    };
    let problem =
        move || store.chat.problem.get().map(|problem| view! { <NoAnswer store problem /> });
    view! {
        {note}
        {problem}
    }
}

#[component]
fn NoAnswer(store: Store, problem: Problem) -> impl IntoView {
    let Problem { message, left } = problem;
    let again = {
        let left = left.clone();
        move |_| {
            crate::browser::focus(FIELD);
            driver::try_again(store, left.clone());
        }
    };
    let before = left.map(|left| {
        let show = move |_| {
            crate::browser::focus(FIELD);
            driver::show_version(store, &left);
        };
        view! {
            <button type="button" class="button" on:click=show>{t!("Show the answer before")}</button>
        }
    });
    view! {
        <div class="notice error" role="alert">
            <p>{message}</p>
            <div class="chat-row">
                <button type="button" class="button" on:click=again>{t!("Try again")}</button>
                {before}
            </div>
        </div>
    }
}
