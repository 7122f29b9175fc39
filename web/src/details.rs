//! One message in full, over the page.

mod content;

use leptos::prelude::*;

use crate::browser::{close_dialog, open_dialog};
use crate::driver;
use crate::messages::action::sentence;
use crate::messages::{Row, Standing};
use crate::number::{plural, thousands};
use crate::store::Store;
use content::Content;
use epitome::message::Role;

const DIALOG: &str = "details";

/// The dialog. It opens when a row is opened, and Escape closes it.
#[component]
pub(crate) fn Details(store: Store) -> impl IntoView {
    Effect::new(move |_| {
        if store.opened.with(Option::is_some) {
            open_dialog(DIALOG);
        } else {
            close_dialog(DIALOG);
        }
    });
    let row = move || {
        store.revision.track();
        store.opened.get().and_then(|index| Row::at(store, index))
    };
    view! {
        <dialog
            id=DIALOG
            class="details"
            aria-labelledby="details-heading"
            on:close=move |_| store.opened.set(None)
        >
            {move || row().map(|row| view! { <Sheet store row /> })}
        </dialog>
    }
}

#[component]
fn Sheet(store: Store, row: Row) -> impl IntoView {
    let title = match (row.place, row.standing) {
        (Some(place), _) => format!("Message {place}"),
        (None, Standing::Summary) => "The summary".to_owned(),
        (None, _) => "Added by the engine".to_owned(),
    };
    let speaker = row.speaker();
    let meaning = meaning(row.standing);
    let summarized = row.standing == Standing::Planned(epitome::Action::Summarize);
    let after = (row.tokens_after != row.tokens && !summarized && row.position.is_some())
        .then(|| format!(" · {} after a compaction", thousands(row.tokens_after)));
    let silent = row.message.parts.is_empty();
    let parts = row.message.parts.iter().cloned().enumerate();
    let parts = parts.map(|(index, part)| {
        let aside = row.aside.iter().find(|(part, _)| *part == index);
        let aside = aside.map(|(_, path)| path.clone());
        view! { <Content store part aside /> }
    });
    let parts = parts.collect_view();
    let done = row.done.map(|done| view! { <span class="badge" data-action="done">{done}</span> });
    view! {
        <div class="details-head">
            <div>
                <h2 id="details-heading">{title}</h2>
                <p class="figures">
                    {speaker} " · " {plural(row.tokens, "token", "tokens")} {after}
                </p>
            </div>
            <button
                type="button"
                class="button quiet"
                on:click=move |_| store.opened.set(None)
            >
                "Close"
            </button>
        </div>
        <p class="details-action">
            {done}
            <span class="badge" data-action=row.standing.as_str()>{row.standing.as_str()}</span>
            <span>{meaning}</span>
        </p>
        <Pin store row=row.clone() />
        <div class="details-content" tabindex="0" role="region" aria-label="Content">
            {parts}
            {silent.then(|| view! { <p class="hint part">"Nothing in it is sent to the model."</p> })}
        </div>
    }
}

/// The pin, or why there is none.
#[component]
fn Pin(store: Store, row: Row) -> impl IntoView {
    let position = row.position?;
    let covered =
        store.read(|session| session.compactor().is_some_and(|c| is_covered(c, position)));
    let busy = move || store.is_busy();
    let pinned = row.message.pinned;
    Some(if row.message.role == Role::System {
        view! { <p class="hint">"System messages always stay; they need no pin."</p> }.into_any()
    } else if covered {
        view! {
            <p class="hint">
                "A compaction covers this message. Undo it to change the pin."
            </p>
        }
        .into_any()
    } else {
        view! {
            <div class="pin">
                <button
                    type="button"
                    class="button"
                    aria-pressed=pinned.to_string()
                    disabled=busy
                    on:click=move |_| driver::toggle_pin(store, position)
                >
                    {if pinned { "Unpin" } else { "Pin" }}
                </button>
                <p class="hint">
                    "A pinned message survives every compaction, with the calls and results it belongs to."
                </p>
            </div>
        }
        .into_any()
    })
}

/// True where a summary in force covers the message at this position.
fn is_covered(compactor: &epitome::Compactor, position: usize) -> bool {
    position < compactor.conversation().projection().covered
}

fn meaning(standing: Standing) -> &'static str {
    match standing {
        Standing::Planned(action) => sentence(action),
        Standing::LeftOut => "It was left out, without a summary.",
        Standing::Summary => "It stands for the messages that were summarized.",
        Standing::Added => "It was put in so that the provider accepts the conversation.",
    }
}
