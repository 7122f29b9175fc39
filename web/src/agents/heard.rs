//! The dialog with what one agent gets, word for word.

use leptos::prelude::*;

use crate::dialog::{Dialog, DialogHead};
use crate::direction::marked;
use crate::language::t;
use crate::number::{count, plural};
use crate::store::{Heard, Store};

const DIALOG: &str = "heard";

/// The dialog. It opens when an agent is chosen, and Escape closes it.
#[component]
pub(crate) fn HeardBy(store: Store) -> impl IntoView {
    let is_open = Signal::derive(move || store.heard_by.with(Option::is_some));
    let content = move || {
        let name = store.heard_by.get()?;
        let heard = store.heard(&name);
        let number = plural(count(heard.len()), "message", "messages");
        let rows = heard.into_iter().map(|heard| view! { <Row heard /> }).collect_view();
        Some(view! {
            <DialogHead of=DIALOG title=t!("What {name} gets", name)>
                <p class="figures">{number}</p>
            </DialogHead>
            <div class="details-content" tabindex="0" role="region" aria-label=t!("Messages of this agent")>
                {rows}
            </div>
        })
    };
    view! {
        <Dialog id=DIALOG class="details" is_open on_close=move || store.heard_by.set(None)>
            {content}
        </Dialog>
    }
}

#[component]
fn Row(heard: Heard) -> impl IntoView {
    let Heard { speaker, text, is_private, is_summary } = heard;
    let badge = match (is_summary, is_private) {
        (true, _) => Some(("summary", t!("summary"))),
        (false, true) => Some(("shortened", t!("only for some"))),
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
