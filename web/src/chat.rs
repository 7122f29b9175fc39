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
            <Sent store />
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

/// What is sent of what came with the conversation beside its messages, if something did.
#[component]
fn Sent(store: Store) -> impl IntoView {
    let came = Memo::new(move |_| {
        store.document.track();
        let is_there = |text: &String| !text.is_empty();
        store.read(|session| {
            let overhead = session.overhead();
            (is_there(&overhead.instructions), is_there(&overhead.tools))
        })
    });
    let words = move || {
        let (instructions, tools) = came.get();
        let instructions =
            instructions.then(|| t!("Instructions that came with the conversation are sent."));
        // The page has no functions to run, so that a call would get no result.
        let tools = tools.then(|| {
            t!("Tools that came with the conversation are not sent: this page cannot run them.")
        });
        instructions.into_iter().chain(tools).collect::<Vec<_>>().join(" ")
    };
    view! {
        <Show when=move || came.get() != (false, false)>
            <p class="hint">{words}</p>
        </Show>
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
