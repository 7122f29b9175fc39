//! The dialog with what one agent gets, word for word.

use leptos::prelude::*;

use crate::browser::{MAIN, close_dialog, focus_instead_of_nothing, open_dialog};
use crate::direction::marked;
use crate::number::{count, plural};
use crate::store::{Heard, Store};

const DIALOG: &str = "heard";

/// The dialog. It opens when an agent is chosen, and Escape closes it.
#[component]
pub(crate) fn HeardBy(store: Store) -> impl IntoView {
    Effect::new(move |_| {
        if store.heard_by.with(Option::is_some) {
            open_dialog(DIALOG);
        } else {
            close_dialog(DIALOG);
        }
    });
    let content = move || {
        let name = store.heard_by.get()?;
        let heard = store.heard(&name);
        let number = plural(count(heard.len()), "message", "messages");
        let rows = heard.into_iter().map(|heard| view! { <Row heard /> }).collect_view();
        Some(view! {
            <div class="details-head">
                <div>
                    <h2 id="heard-heading">{format!("What {name} gets")}</h2>
                    <p class="figures">{number}</p>
                </div>
                <button type="button" class="button quiet" on:click=move |_| store.heard_by.set(None)>
                    "Close"
                </button>
            </div>
            <div class="details-content" tabindex="0" role="region" aria-label="Messages of this agent">
                {rows}
            </div>
        })
    };
    view! {
        <dialog
            id=DIALOG
            class="details"
            aria-labelledby="heard-heading"
            on:close=move |_| {
                store.heard_by.set(None);
                focus_instead_of_nothing(MAIN);
            }
        >
            {content}
        </dialog>
    }
}

#[component]
fn Row(heard: Heard) -> impl IntoView {
    let Heard { speaker, text, is_private, is_summary } = heard;
    let badge = match (is_summary, is_private) {
        (true, _) => Some(("summary", "summary")),
        (false, true) => Some(("shortened", "only for some")),
        (false, false) => None,
    };
    let badge = badge
        .map(|(action, words)| view! { <span class="badge" data-action=action>{words}</span> });
    view! {
        <section class="part">
            <p class="compared-who">{speaker} " " {badge}</p>
            <p class="part-text" dir="auto">{marked(&text).into_owned()}</p>
        </section>
    }
}
