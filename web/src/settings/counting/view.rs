//! How tokens are counted, and how often a summarizer is asked.

use leptos::prelude::*;

use super::field::{Field, Select};
use crate::form::{
    attempts, by_characters, cap, characters_per_token, counter, first_wait, tool_schemas,
};
use crate::store::{Effort, Store};

/// The settings of counting and of asking again.
#[component]
pub(super) fn Counting(store: Store) -> impl IntoView {
    let characters = Memo::new(move |_| by_characters(&store.policy.read()));
    view! {
        <Select store choice=counter() />
        <Underway store />
        <div class="fields">
            <Show when=move || characters.get()>
                <Field store entry=characters_per_token() />
            </Show>
            <Field store entry=tool_schemas() />
            <Field store entry=attempts() />
            <Field store entry=first_wait() />
            <Field store entry=cap() />
        </div>
        <p class="hint">"Waits double from the first to the longest, unless the server names one."</p>
    }
}

/// What is done before something else counts, or why it does not.
#[component]
fn Underway(store: Store) -> impl IntoView {
    let counter = store.counter;
    let effort = move || {
        let words = match counter.effort.get()? {
            Effort::Loading(encoding) => format!("Loading {encoding} …"),
            Effort::Recounting => "Counting anew …".to_owned(),
        };
        Some(view! { <p class="hint">{words}</p> })
    };
    let problem = move || {
        let problem = counter.problem.get()?;
        Some(view! { <p class="notice error" role="alert">{problem}</p> })
    };
    view! {
        {effort}
        {problem}
    }
}
