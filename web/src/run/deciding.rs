//! The question before a summary is written.

use leptos::prelude::*;

use super::{COMPACT_BUTTON, reason_label};
use crate::browser::focus;
use crate::driver;
use crate::number::{percentage, thousands};
use crate::store::Store;

const GO_ON: &str = "go-on";

/// What would be done, and the choice to do it or not.
#[component]
pub(super) fn Deciding(store: Store) -> impl IntoView {
    // The keyboard is where the answer is given.
    request_animation_frame(|| focus(GO_ON));
    let facts = move || {
        store.live.deciding.get().map(|before| {
            let forced = if before.forced { "yes" } else { "no" };
            let facts = [
                ("Reason", reason_label(before.reason).to_owned()),
                ("Forced", forced.to_owned()),
                ("Tokens used", thousands(before.tokens_used)),
                ("Of the window", percentage(before.context_percent)),
                ("Messages", thousands(before.message_count)),
                ("Keep last", thousands(before.keep_last)),
            ];
            facts.map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> })
        })
    };
    let skip = move |_| {
        driver::skip(store);
        focus(COMPACT_BUTTON);
    };
    view! {
        <div class="running" role="group" aria-label="Before the summary">
            <p class="running-title">"About to ask for a summary. Go on?"</p>
            <dl class="asked">{facts}</dl>
            <div class="result-actions">
                <button
                    id=GO_ON
                    type="button"
                    class="button primary"
                    on:click=move |_| driver::proceed(store)
                >
                    "Go on"
                </button>
                <button type="button" class="button" on:click=skip>"Skip"</button>
            </div>
        </div>
    }
}
