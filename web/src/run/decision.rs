//! The decision before a summary is requested.

use leptos::prelude::*;

use super::COMPACT_BUTTON;
use crate::browser::focus;
use crate::driver;
use crate::label::reason_label;
use crate::language::t;
use crate::number::{percentage, thousands};
use crate::store::Store;

/// The id of the button that continues.
pub(crate) const CONTINUE_BUTTON: &str = "continue";

/// The figures of the compaction, and the choice to continue or to skip it.
#[component]
pub(super) fn Decision(store: Store) -> impl IntoView {
    // A keyboard user can answer at once.
    request_animation_frame(|| focus(CONTINUE_BUTTON));
    let facts = move || {
        store.live.deciding.get().map(|before| {
            let forced = if before.forced { t!("yes") } else { t!("no") };
            let facts = [
                (t!("Reason"), reason_label(before.reason).to_owned()),
                (t!("Forced"), forced.to_owned()),
                (t!("Tokens used"), thousands(before.tokens_used)),
                (t!("Of the window"), percentage(before.context_percent)),
                (t!("Messages"), thousands(before.message_count)),
                (t!("Keep last"), thousands(before.keep_last)),
            ];
            facts.map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> })
        })
    };
    let skip = move |_| {
        driver::skip(store);
        focus(COMPACT_BUTTON);
    };
    view! {
        <div class="running" role="group" aria-label=t!("Before the summary")>
            <p class="running-title">{t!("A summary is about to be requested. Continue?")}</p>
            <dl class="asked">{facts}</dl>
            <div class="result-actions">
                <button
                    id=CONTINUE_BUTTON
                    type="button"
                    class="button primary"
                    on:click=move |_| driver::proceed(store)
                >
                    {t!("Continue")}
                </button>
                <button type="button" class="button" on:click=skip>{t!("Skip")}</button>
            </div>
        </div>
    }
}
