//! What can be done with the messages that are chosen in the picture.

use leptos::prelude::*;

use crate::browser::focus;
use crate::driver;
use crate::language::t;
use crate::number::{count, plural};
use crate::store::{Perspective, Span, Store};

/// How many messages are chosen, and the buttons for them; before that, how messages are chosen.
#[component]
pub(super) fn Chosen(store: Store) -> impl IntoView {
    let is_chosen = Memo::new(move |_| store.choice.span.with(Option::is_some));
    view! {
        <div class="strip-chosen" role="group" aria-label=t!("Chosen messages")>
            <Show
                when=move || is_chosen.get()
                fallback=|| view! { <p class="hint">{t!("Drag over the bars to choose messages, or move a handle by the arrow keys.")}</p> }
            >
                <Buttons store />
            </Show>
        </div>
    }
}

#[component]
fn Buttons(store: Store) -> impl IntoView {
    let choice = store.choice;
    let span = move || choice.span.get().unwrap_or_default();
    let words = move || {
        store.revision.track();
        described(store, span())
    };
    let is_end = move || choice.end().is_some();
    let end_here = move |_| {
        choice.toggle_end();
        let (_, last) = untrack(span);
        store.announce(match untrack(is_end) {
            true => t!(
                "The next compaction ends behind message {number}.",
                number = number(store, last)
            ),
            false => t!("The settings decide where the next compaction ends.").to_owned(),
        });
    };
    let is_pinned = move || {
        store.revision.track();
        let (first, last) = span();
        store.read(|session| {
            (first..=last).all(|at| session.message(at).is_some_and(|message| message.pinned))
        })
    };
    let pin = move |_| driver::toggle_pins(store, untrack(span));
    let is_exempt = move || choice.exempts(span());
    let exempt = move |_| {
        choice.toggle_exempt(untrack(span));
        store.announce(match untrack(is_exempt) {
            true => t!("The next compaction leaves them as they are."),
            false => t!("The next compaction may change them."),
        });
    };
    let is_listed = move || {
        store.filter.with(|filter| filter.span.is_some() && filter.span == choice.span.get())
    };
    let list = move |_| {
        let listed = (!untrack(is_listed)).then(|| untrack(span));
        store.perspective.set(Perspective::Conversation);
        store.filter.update(|filter| filter.span = listed);
    };
    let clear = move |_| {
        choice.clear_span();
        store.filter.update(|filter| filter.span = None);
        // This button is gone then.
        focus("strip-last");
    };
    view! {
        <p class="strip-chosen-words">{words}</p>
        <button
            type="button"
            class="button"
            aria-pressed=move || is_end().to_string()
            disabled=move || store.is_locked()
            on:click=end_here
        >
            {t!("Compact up to here")}
        </button>
        <button
            type="button"
            class="button"
            aria-pressed=move || is_pinned().to_string()
            title=t!("Every compaction keeps pinned messages, with their tool calls and results.")
            disabled=move || store.is_locked()
            on:click=pin
        >
            {t!("Pin")}
        </button>
        <button
            type="button"
            class="button"
            aria-pressed=move || is_exempt().to_string()
            title=t!("The next compaction leaves them as they are, and later ones may not.")
            disabled=move || store.is_locked()
            on:click=exempt
        >
            {t!("Exempt once")}
        </button>
        <button
            type="button"
            class="button"
            aria-pressed=move || is_listed().to_string()
            on:click=list
        >
            {t!("List them")}
        </button>
        <button type="button" class="link" on:click=clear>{t!("Choose none")}</button>
    }
}

/// Which messages these are, and their tokens. Linear in them.
fn described(store: Store, (first, last): Span) -> String {
    let tokens = store
        .read(|session| (first..=last).map(|at| session.tokens(at)).fold(0, u32::saturating_add));
    let messages = plural(count(last - first + 1), "message", "messages");
    let tokens = plural(tokens, "token", "tokens");
    let (from, to) = (number(store, first), number(store, last));
    match first == last {
        true => t!("Message {number} · {tokens}", number = from, tokens),
        false => t!("Messages {from} to {to} · {messages} · {tokens}", from, to, messages, tokens),
    }
}

/// The number of the message at a position, as the list has it.
fn number(store: Store, position: usize) -> String {
    let number = store.read(|session| session.number(position));
    number.map_or_else(|| "·".to_owned(), |number| number.to_string())
}
