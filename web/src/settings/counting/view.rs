//! The progress of changing what counts tokens.

use leptos::prelude::*;

use super::state::CountingState;

/// The progress of changing what counts tokens, or why it failed.
#[component]
pub(in crate::settings) fn CountingChange(counting: CountingState) -> impl IntoView {
    let progress = move || {
        let progress = counting.progress.get()?;
        Some(view! { <p class="hint">{progress.words()}</p> })
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
