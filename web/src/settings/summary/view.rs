//! How the prefix is summarized.

use leptos::prelude::*;

use super::field::{Field, Select, Toggle};
use crate::form::{
    Writer, chunk_characters, chunks, fallback_levels, fallback_levels_on, last_request, ledger,
    max_tokens, named_agent, own_prompt, rollup, shape, summarizer_window, tool_results, tools,
    writer,
};
use crate::store::Store;

/// The summary's settings.
#[component]
pub(super) fn SummarySettings(store: Store) -> impl IntoView {
    let who = Memo::new(move |_| Writer::of(&store.policy.read()));
    let again = Memo::new(move |_| fallback_levels_on().read(&store.policy.read()));
    view! {
        <Select store choice=writer() />
        <Show when=move || who.get() == Writer::Agent>
            <Field store entry=named_agent() />
        </Show>
        <Show when=move || who.get() == Writer::Own>
            <Field store entry=own_prompt() lines=4 />
        </Show>
        <p class="hint">
            "This page asks the summarizer chosen above in any case; an app may ask another for each."
        </p>
        <div class="fields">
            <Show when=move || who.get() != Writer::Own>
                <Select store choice=shape() />
            </Show>
            <Select store choice=last_request() />
            <Field store entry=max_tokens() />
            <Field store entry=ledger() />
            <Field store entry=rollup() />
            <Field store entry=summarizer_window() />
            <Field store entry=chunk_characters() />
            <Field store entry=chunks() />
            <Field store entry=tools() />
            <Field store entry=tool_results() />
        </div>
        <p class="hint">
            "A longer transcript is folded part by part; the page itself takes at most 20,000 characters "
            "at once. A summary that is itself too long is rolled up; 0: never. Tools by name, with commas: "
            "linear* for all that begin so, * for all."
        </p>
        <Toggle store switch=fallback_levels_on() />
        <Show when=move || again.get()>
            <div class="inset">
                <Field store entry=fallback_levels() />
            </div>
        </Show>
    }
}
