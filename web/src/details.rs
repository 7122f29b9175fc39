//! The dialog with all of one message.

mod content;
mod picture;
mod recall;

use epitome::message::Part;
use leptos::prelude::*;

use crate::chat::Offer;
use crate::dialog::{Dialog, DialogHead};
use crate::language::t;

use crate::driver;
use crate::label::action_sentence;
use crate::messages::{Row, Status};
use crate::number::{plural, thousands};
use crate::store::Store;
use content::Content;
use recall::{BringBack, Quoted};

const DIALOG: &str = "details";

/// The dialog. It opens when a row is opened, and Escape closes it.
#[component]
pub(crate) fn Details(store: Store) -> impl IntoView {
    let is_open = Signal::derive(move || store.opened.with(Option::is_some));
    let row = move || {
        store.revision.track();
        store.opened.get().and_then(|index| Row::at(store, index))
    };
    view! {
        <Dialog id=DIALOG class="details" is_open on_close=move || store.opened.set(None)>
            {move || row().map(|row| view! { <MessageDetails store row /> })}
        </Dialog>
    }
}

#[component]
fn MessageDetails(store: Store, row: Row) -> impl IntoView {
    let title = match (row.number, row.status) {
        (Some(number), _) => t!("Message {number}", number),
        (None, Status::Summary) => t!("The summary").to_owned(),
        (None, Status::BroughtBack) => t!("Brought back").to_owned(),
        (None, _) => t!("Added by the engine").to_owned(),
    };
    let speaker = row.speaker();
    let quoted = store.read(|session| session.quoted(&row.message));
    let meaning = meaning(row.status);
    let summarized = row.status == Status::Planned(epitome::Action::Summarize);
    let after =
        (row.tokens_after != row.tokens && !summarized && row.position.is_some()).then(|| {
            format!(
                " · {}",
                t!("{tokens} after a compaction", tokens = thousands(row.tokens_after))
            )
        });
    let silent = row.message.parts.is_empty();
    let pictures = row.position.map(|position| store.read(|session| session.pictures(position)));
    let mut pictures = pictures.unwrap_or_default().into_iter();
    let parts = row.message.parts.iter().cloned().enumerate();
    let parts = parts.map(|(index, part)| {
        let offloaded = row.offloaded.iter().find(|(part, _)| *part == index);
        let offloaded = offloaded.map(|(_, path)| path.clone());
        let picture = matches!(part, Part::Image(_)).then(|| pictures.next()).flatten();
        view! { <Content store part offloaded picture /> }
    });
    let parts = parts.collect_view();
    let done = row.done.map(|done| view! { <span class="badge" data-action="done">{done}</span> });
    view! {
        <DialogHead of=DIALOG title>
            <p class="figures">
                {speaker} " · " {plural(row.tokens, "token", "tokens")} {after}
            </p>
        </DialogHead>
        <p class="details-action">
            {done}
            <span class="badge" data-action=row.status.as_str()>{row.status.label()}</span>
            <span>{meaning}</span>
        </p>
        <Pin store row=row.clone() />
        <BringBack store position=row.position />
        <Quoted store positions=quoted />
        <Again store position=row.position />
        <div class="details-content" tabindex="0" role="region" aria-label=t!("Content")>
            {parts}
            {silent.then(|| view! { <p class="hint part">{t!("Nothing of it is sent to the model.")}</p> })}
        </div>
    }
}

/// Its other versions, and how it is written again in the chat.
#[component]
fn Again(store: Store, position: Option<usize>) -> impl IntoView {
    let position = position?;
    let editing = RwSignal::new(false);
    Some(
        view! { <Offer store position place=DIALOG editing on_done=move |()| store.opened.set(None) /> },
    )
}

/// The pin, or why it cannot be changed.
#[component]
fn Pin(store: Store, row: Row) -> impl IntoView {
    let position = row.position?;
    let obstacle = store.read(|session| session.pin_obstacle(position));
    let busy = move || store.is_locked();
    let pinned = row.message.pinned;
    Some(if let Some(obstacle) = obstacle {
        view! { <p class="hint">{obstacle}</p> }.into_any()
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
                    {if pinned { t!("Unpin") } else { t!("Pin") }}
                </button>
                <ForTheNext store position />
                <p class="hint">
                    {t!("A pinned message is kept by every compaction, together with its tool calls and results.")}
                </p>
            </div>
        }
        .into_any()
    })
}

/// What the next compaction alone does with the message.
#[component]
fn ForTheNext(store: Store, position: usize) -> impl IntoView {
    let choice = store.choice;
    let this = (position, position);
    let busy = move || store.is_locked();
    let is_end = move || choice.end() == Some(position);
    let end_here = move |_| match untrack(is_end) {
        true => choice.clear_span(),
        false => choice.end_behind(position),
    };
    view! {
        <button
            type="button"
            class="button"
            aria-pressed=move || choice.exempts(this).to_string()
            title=t!("The next compaction leaves it as it is, and later ones may not.")
            disabled=busy
            on:click=move |_| choice.toggle_exempt(this)
        >
            {t!("Exempt once")}
        </button>
        <button
            type="button"
            class="button"
            aria-pressed=move || is_end().to_string()
            title=t!("The next compaction ends behind it.")
            disabled=busy
            on:click=end_here
        >
            {t!("Compact up to here")}
        </button>
    }
}

fn meaning(status: Status) -> &'static str {
    match status {
        Status::Planned(action) => action_sentence(action),
        Status::Removed => t!("It was removed without a summary."),
        Status::Summary => t!("It replaces the summarized messages."),
        Status::BroughtBack => {
            t!("It quotes messages that a compaction has replaced. It is only in the next request.")
        }
        Status::Added => t!("The engine added it so that the provider accepts the conversation."),
    }
}
