//! The view of the summary settings.

use leptos::prelude::*;

use super::model::{
    Writer, checklists, chunk_characters, chunks, closing, fallback_levels, fallback_levels_on,
    input, label, last_request, ledger, max_tokens, named_agent, own_prompt, rollup, shape,
    structured_state, summarizer_window, tool_inputs, tool_results, tools, writer,
};
use crate::settings::SettingsState;
use crate::settings::field::{Checkbox, Select, TextInput};

/// The settings of the summary.
#[component]
pub(in crate::settings) fn SummarySettings(settings: SettingsState) -> impl IntoView {
    let written_by = Memo::new(move |_| Writer::of(&settings.policy.read()));
    let retries = Memo::new(move |_| fallback_levels_on().read(&settings.policy.read()));
    view! {
        <Select settings choice=writer() />
        <Show when=move || written_by.get() == Writer::Agent>
            <TextInput settings field=named_agent() />
        </Show>
        <Show when=move || written_by.get() == Writer::OwnModel>
            <TextInput settings field=own_prompt() lines=4 />
        </Show>
        <p class="hint">
            "This page always asks the summarizer chosen above. An app can use a different one for each."
        </p>
        <div class="fields">
            <Show when=move || written_by.get() != Writer::OwnModel>
                <Select settings choice=shape() />
            </Show>
            <Select settings choice=last_request() />
            <Select settings choice=input() />
            <TextInput settings field=max_tokens() />
            <TextInput settings field=ledger() />
            <TextInput settings field=checklists() />
            <TextInput settings field=rollup() />
            <TextInput settings field=summarizer_window() />
            <TextInput settings field=chunk_characters() />
            <TextInput settings field=chunks() />
            <TextInput settings field=tools() />
            <TextInput settings field=tool_results() />
            <TextInput settings field=tool_inputs() />
            <TextInput settings field=label() />
            <TextInput settings field=closing() />
        </div>
        <p class="hint">
            "A longer transcript is summarized in several requests; the summarizer in this page takes at "
            "most 20,000 characters per request. An empty field means no limit; 0 means that a summary is never "
            "summarized again. Only an endpoint gets messages, in the format of OpenAI’s chat completions. Tools are names "
            "separated by commas; linear* stands for all that start with linear, * for all tools."
        </p>
        <Checkbox settings switch=structured_state() />
        <Checkbox settings switch=fallback_levels_on() />
        <Show when=move || retries.get()>
            <div class="inset">
                <TextInput settings field=fallback_levels() />
            </div>
        </Show>
    }
}
