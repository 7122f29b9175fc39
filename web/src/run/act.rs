//! What can be done now, always in view: compact, decide, or cancel.

use leptos::prelude::*;

use super::decision::Decision;
use super::progress::Running;
use super::{COMPACT_BUTTON, COMPACT_FORM};
use crate::settings::Summarizer;
use crate::store::Store;

/// The button that compacts, the decision before a summary is requested, or the running compaction.
#[component]
pub(crate) fn Act(store: Store) -> impl IntoView {
    let running = Memo::new(move |_| store.progress.with(Option::is_some));
    let deciding = Memo::new(move |_| store.live.deciding.with(Option::is_some));
    view! {
        <Show when=move || deciding.get()>
            <Decision store />
        </Show>
        <Show when=move || running.get()>
            <Running store />
        </Show>
        <Show when=move || !running.get() && !deciding.get()>
            <Compact store />
        </Show>
    }
}

/// True if there is nothing to compact or the settings are not valid.
pub(super) fn is_blocked(store: Store) -> bool {
    store.settings.error.with(Option::is_some)
        || store.plan.with(|plan| plan.as_ref().is_none_or(|plan| plan.idle.is_some()))
}

/// The button. It belongs to the form with the settings of this one compaction.
#[component]
fn Compact(store: Store) -> impl IntoView {
    view! {
        <p id="summarized-by" class="hint">
            "Summarized by " {move || store.settings.summarizer.with(Summarizer::described)} ". "
            <a href="#summarizer-heading">"Change"</a>
        </p>
        <button
            id=COMPACT_BUTTON
            form=COMPACT_FORM
            type="submit"
            class="button primary large"
            aria-disabled=move || is_blocked(store).to_string()
            aria-describedby="summarized-by"
        >
            "Compact now"
        </button>
    }
}
