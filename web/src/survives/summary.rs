//! The summary of a compaction. Its lines lead to the messages that they are from.

use std::sync::Arc;

use epitome::facts::split_numbers;
use leptos::ev::Event;
use leptos::prelude::*;

use crate::browser::closest;
use crate::direction::marked;
use crate::language::t;
use crate::long_text::blocks;
use crate::store::{Perspective, Store};

/// What a line is called in the page.
const LINE: &str = ".line";
/// The attribute of a number with the position of its message.
const POSITION: &str = "data-position";

/// Shows a summary. The messages of the line under the pointer or with the focus are lit, and the numbers in a line open their messages.
pub(super) fn linked(store: Store, summary: &str) -> impl IntoView + use<> {
    let shown = blocks(summary).into_iter().map(|block| {
        let lines = block.split_inclusive('\n').map(|text| line(store, text));
        view! { <p class="block" dir="auto">{lines.collect_view()}</p> }
    });
    let shown = shown.collect_view();
    let light = move |event: &Event| store.lit.set(Arc::new(sources(store, event)));
    let dark = move || store.lit.set(Arc::default());
    let open = move |event: &Event| {
        if let Some(position) = position(event) {
            store.perspective.set(Perspective::Conversation);
            store.opened.set(Some(position));
        }
    };
    // One listener of each kind for all lines, of which there can be hundreds.
    view! {
        <div
            class="summary-text"
            tabindex="0"
            role="region"
            aria-label=t!("The summary")
            on:click=move |event| open(&event)
            on:pointerover=move |event| light(&event)
            on:pointerleave=move |_| dark()
            on:focusin=move |event| light(&event)
            on:focusout=move |_| dark()
        >
            {shown}
        </div>
    }
}

/// A line, with a button for each number of a message.
fn line(store: Store, text: &str) -> impl IntoView + use<> {
    let Some((numbers, rest)) = split_numbers(text) else {
        return view! { <span class="line">{marked(text).into_owned()}</span> }.into_any();
    };
    let numbers = numbers.into_iter().enumerate().map(|(index, number)| {
        let comma = (index > 0).then_some(", ");
        let position = store.read(|session| session.position_of_number(number));
        let named = position.and_then(|position| store.read(|session| session.number(position)));
        let Some((position, named)) = position.zip(named) else {
            return view! { {comma} {number.to_string()} }.into_any();
        };
        view! {
            {comma}
            <button
                type="button"
                class="link"
                data-position=position
                aria-label=t!("{number}: message #{named}", number, named)
            >
                {number.to_string()}
            </button>
        }
        .into_any()
    });
    let numbers = numbers.collect_view();
    view! { <span class="line">"- [" {numbers} "] " {marked(rest).into_owned()}</span> }.into_any()
}

/// The position of the message whose number an event is about.
fn position(event: &Event) -> Option<usize> {
    closest(event, &format!("[{POSITION}]"))?.get_attribute(POSITION)?.parse().ok()
}

/// The positions of the messages that the line of an event is from, or of the one whose number it is about.
fn sources(store: Store, event: &Event) -> Vec<usize> {
    if let Some(position) = position(event) {
        return vec![position];
    }
    let Some(line) = closest(event, LINE).and_then(|line| line.text_content()) else {
        return Vec::new();
    };
    store.read(|session| session.sources(&line))
}
