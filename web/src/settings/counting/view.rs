//! The progress of changing what counts tokens.

use leptos::prelude::*;

use super::state::{CountingProgress, CountingState};
use crate::language::t;

/// The progress of changing what counts tokens, or why it failed.
#[component]
pub(in crate::settings) fn CountingChange(counting: CountingState) -> impl IntoView {
    let progress = move || {
        let words = match counting.progress.get()? {
            CountingProgress::Loading(encoding) => t!("Loading {encoding} …", encoding),
            CountingProgress::Recounting => t!("Counting again …").to_owned(),
        };
        Some(view! { <p class="hint">{words}</p> })
    };
    let problem = move || {
        let problem = counting.problem.get()?;
        Some(view! { <p class="notice error" role="alert">{problem}</p> })
    };
    view! {
        {progress}
        {problem}
    }
}
