//! Running a compaction: why, with what in mind, the question before it, and what is seen meanwhile.

mod deciding;
mod phases;
mod running;
mod start;

use epitome::Reason;
use leptos::prelude::*;

use crate::store::Store;
use deciding::Deciding;
pub(crate) use phases::Moments;
use running::Running;
use start::Start;

/// The id of the button that compacts, where the keyboard goes back to.
pub(crate) const COMPACT_BUTTON: &str = "compact-now";

/// Reasons to compact, and what they are called.
const REASONS: [(Reason, &str, &str); 6] = [
    (Reason::Manual, "manual", "By hand"),
    (Reason::Threshold, "threshold", "Threshold"),
    (Reason::RequestBoundary, "request-boundary", "Request begins"),
    (Reason::ReactiveMicro, "reactive-micro", "In the loop: micro"),
    (Reason::ReactiveFull, "reactive-full", "In the loop: full"),
    (Reason::Reduce, "trim", "Only reducers"),
];

/// A reason as a person reads it.
pub(crate) fn reason_label(reason: Reason) -> &'static str {
    REASONS.iter().find(|(other, ..)| *other == reason).map_or("", |(_, _, label)| label)
}

/// The button, the question, or the compaction under way.
#[component]
pub(crate) fn Run(store: Store) -> impl IntoView {
    let running = Memo::new(move |_| store.progress.with(Option::is_some));
    let deciding = Memo::new(move |_| store.live.deciding.with(Option::is_some));
    view! {
        <Show when=move || deciding.get()>
            <Deciding store />
        </Show>
        <Show when=move || running.get()>
            <Running store />
        </Show>
        <Show when=move || !running.get() && !deciding.get()>
            <Start store />
        </Show>
    }
}
