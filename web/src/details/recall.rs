//! Brings back a message that a compaction has replaced, and says which messages a recalled one quotes.

use leptos::prelude::*;

use crate::browser::focus;
use crate::driver;
use crate::language::t;
use crate::messages::MessageLinks;
use crate::store::Store;

/// The id of the button, which is drawn again after each change.
const BUTTON: &str = "bring-back";

/// The button that brings a replaced message back, or takes it out again.
#[component]
pub(super) fn BringBack(
    store: Store,
    /// The position of the message; `None` for one of the engine.
    position: Option<usize>,
) -> impl IntoView {
    let position = position?;
    let (is_replaced, is_back) =
        store.read(|session| (session.is_compacted(position), session.is_brought_back(position)));
    if !is_replaced {
        return None;
    }
    let toggle = move |_| {
        driver::toggle_brought_back(store, position);
        request_animation_frame(|| focus(BUTTON));
    };
    let (label, hint) = match is_back {
        true => (t!("Take out again"), t!("The next request quotes it at its end.")),
        false => (
            t!("Bring back"),
            t!(
                "The next request quotes it at its end, marked as a quote. The compaction stays as it is."
            ),
        ),
    };
    Some(view! {
        <div class="pin">
            <button
                type="button"
                class="button"
                id=BUTTON
                disabled=move || store.is_locked()
                on:click=toggle
            >
                {label}
            </button>
            <p class="hint">{hint}</p>
        </div>
    })
}

/// Links to the messages that a recalled one quotes.
#[component]
pub(super) fn Quoted(
    store: Store,
    /// The positions of the messages.
    positions: Vec<usize>,
) -> impl IntoView {
    (!positions.is_empty()).then(|| {
        view! { <p class="hint">{t!("Quotes")} " " <MessageLinks store positions /></p> }
    })
}
