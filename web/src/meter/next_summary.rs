//! The summary that is written in advance, as a ghost in the bar: what a swap would free, and how far it is written.

use epitome::{NextSummary, Pressure};
use leptos::prelude::*;

use super::width;
use crate::language::t;
use crate::number::{percent, share, thousands};
use crate::store::Store;

/// What the swap would free, as a part of the bar.
#[component]
pub(super) fn Ghost(
    store: Store,
    /// The tokens at the end of the bar.
    scale: Memo<u32>,
) -> impl IntoView {
    move || {
        let (next, now) = store.next_summary.get().zip(store.pressure.get())?;
        let after = tokens_after(next).filter(|after| *after < now.tokens)?;
        let at = width(after, scale.get());
        let size = width(now.tokens - after, scale.get());
        Some(view! {
            <span
                class="ghost"
                data-next=name(next)
                style:inset-inline-start=at
                style:inline-size=size
            ></span>
        })
    }
}

/// The label of the ghost, below the bar.
#[component]
pub(super) fn NextSummaryLine(store: Store) -> impl IntoView {
    move || {
        let (next, now) = store.next_summary.get().zip(store.pressure.get())?;
        Some(view! {
            <p class="next-summary">
                <span class="swatch ghost" data-next=name(next) aria-hidden="true"></span>
                <span>{described(next, &now)}</span>
            </p>
        })
    }
}

/// The ghost in words.
pub(super) fn described(next: NextSummary, now: &Pressure) -> String {
    let Some(after) = tokens_after(next) else {
        return t!("The next summary is ready; a compaction adds the messages since, or has another one written.").to_owned();
    };
    let freed = percent(share(now.tokens.saturating_sub(after), now.window));
    let left = thousands(after);
    match next {
        NextSummary::Writing { .. } => t!(
            "The next summary is being written: it is to free ~{freed} of the window, which leaves ~{left} tokens.",
            freed,
            left
        ),
        NextSummary::Ready { .. } => t!(
            "The next summary is ready: a compaction frees ~{freed} of the window at once, which leaves ~{left} tokens.",
            freed,
            left
        ),
    }
}

fn tokens_after(next: NextSummary) -> Option<u32> {
    match next {
        NextSummary::Writing { tokens_after } => Some(tokens_after),
        NextSummary::Ready { tokens_after } => tokens_after,
    }
}

/// Its name in the page's markup.
fn name(next: NextSummary) -> &'static str {
    match next {
        NextSummary::Writing { .. } => "writing",
        NextSummary::Ready { .. } => "ready",
    }
}
