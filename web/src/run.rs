//! Running a compaction: the form that starts it, the decision before it, its progress, and the phases of an app.

mod decision;
mod phases;
mod progress;
mod start;

use leptos::prelude::*;

use crate::store::Store;
use decision::Decision;
pub(crate) use phases::Phases;
use progress::Running;
use start::Start;

/// The id of the button that compacts, which gets the focus back.
pub(crate) const COMPACT_BUTTON: &str = "compact-now";

/// The form that starts a compaction, the decision before it, or the running compaction.
#[component]
pub(crate) fn Run(store: Store) -> impl IntoView {
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
            <Start store />
        </Show>
    }
}
