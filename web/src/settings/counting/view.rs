//! How the settings of token counting and retries are shown.

use leptos::prelude::*;

use super::model::{
    attempts, by_characters, characters_per_token, counting, first_wait, longest_wait, tool_schemas,
};
use super::state::{CountingProgress, CountingState};
use crate::settings::SettingsState;
use crate::settings::field::{Select, TextInput};

/// The settings of token counting and retries.
#[component]
pub(in crate::settings) fn CountingSettings(settings: SettingsState) -> impl IntoView {
    let characters = Memo::new(move |_| by_characters(&settings.policy.read()));
    view! {
        <Select settings choice=counting() />
        <Change counting=settings.counting />
        <div class="fields">
            <Show when=move || characters.get()>
                <TextInput settings field=characters_per_token() />
            </Show>
            <TextInput settings field=tool_schemas() />
            <TextInput settings field=attempts() />
            <TextInput settings field=first_wait() />
            <TextInput settings field=longest_wait() />
        </div>
        <p class="hint">
            "The wait before a retry doubles from the first to the longest, unless the server names one."
        </p>
    }
}

/// The progress of changing what counts tokens, or why it failed.
#[component]
fn Change(counting: CountingState) -> impl IntoView {
    let progress = move || {
        let words = match counting.progress.get()? {
            CountingProgress::Loading(encoding) => format!("Loading {encoding} …"),
            CountingProgress::Recounting => "Counting again …".to_owned(),
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
