//! What was said last, and the answer that arrives.

use epitome::message::{Message, Part, Role};
use leptos::prelude::*;

use super::offer::Offer;
use crate::browser::reveal;
use crate::direction::marked;
use crate::language::t;
use crate::store::Store;

/// The most messages of a turn that are shown: a tool loop may have hundreds.
const MOST: usize = 6;
/// The id of the answer that arrives.
const ARRIVING: &str = "answer-arriving";

/// The last request and what followed it.
#[component]
pub(super) fn LastTurn(store: Store) -> impl IntoView {
    let positions = Memo::new(move |_| {
        store.revision.track();
        store.read(|session| {
            let Some(compactor) = session.compactor() else { return Vec::new() };
            let log = compactor.log();
            let said: Vec<usize> = (0..log.len())
                .rev()
                .filter(|position| log.message(*position).is_some_and(has_text))
                .take(MOST)
                .collect();
            let is_request = |position: &usize| {
                log.message(*position).is_some_and(|message| message.role == Role::User)
            };
            let request = said.iter().position(is_request);
            let turn = said.into_iter().take(request.map_or(MOST, |request| request + 1));
            let mut turn: Vec<usize> = turn.collect();
            turn.reverse();
            turn
        })
    });
    let bubbles = move || {
        store.revision.track();
        let positions = positions.get().into_iter();
        positions.map(|position| view! { <Bubble store position /> }).collect_view()
    };
    view! { <ol class="turn" aria-label=t!("The last turn")>{bubbles}</ol> }
}

fn has_text(message: &Message) -> bool {
    let is_text = |part: &Part| matches!(part, Part::Text { text } if !text.trim().is_empty());
    matches!(message.role, Role::User | Role::Assistant) && message.parts.iter().any(is_text)
}

/// A message, with what can be done with it.
#[component]
fn Bubble(store: Store, position: usize) -> impl IntoView {
    let message = store.read(|session| session.message(position).cloned())?;
    let editing = RwSignal::new(false);
    let text = marked(&message.text()).into_owned();
    Some(view! {
        <li class="bubble" data-role=message.role.as_str()>
            <h3>{speaker(message.role)}</h3>
            <div class="bubble-text" dir="auto" hidden=move || editing.get()>{text}</div>
            <Offer store position place="turn" editing on_done=|()| {} />
        </li>
    })
}

fn speaker(role: Role) -> &'static str {
    match role {
        Role::User => t!("You"),
        _ => t!("Model"),
    }
}

/// The answer as far as it has arrived. Screen readers hear of it when it is complete.
#[component]
pub(super) fn Arriving(store: Store) -> impl IntoView {
    let text = move || marked(&store.chat.arriving.get()).into_owned();
    let waits = move || store.chat.arriving.with(String::is_empty);
    Effect::new(move |_| {
        if store.chat.is_answering.get() {
            reveal(ARRIVING);
        }
    });
    view! {
        <Show when=move || store.chat.is_answering.get()>
            <div class="bubble" id=ARRIVING data-role="assistant" aria-busy="true">
                <h3>{speaker(Role::Assistant)}</h3>
                <div class="bubble-text" dir="auto">{text}</div>
                <p class="hint" hidden=move || !waits()>{t!("The model is answering …")}</p>
            </div>
        </Show>
    }
}
