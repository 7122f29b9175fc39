//! How the choice of the summarizer is shown.

use leptos::prelude::*;

use super::model::{Availability, SummarizerKind};
use crate::language::t;
use crate::settings::SettingsState;
use crate::settings::field::Options as _;
use crate::settings::server::{Purpose, ServerFields};

/// The choice of the summarizer.
#[component]
pub(in crate::settings) fn SummarizerSettings(settings: SettingsState) -> impl IntoView {
    let (server, set) = create_slice(
        settings.summarizer,
        |summarizer| summarizer.server.clone(),
        |summarizer, server| summarizer.server = server,
    );
    let kind = Memo::new(move |_| settings.summarizer.with(|summarizer| summarizer.kind));
    let option = move |option: SummarizerKind| {
        let id = format!("summarizer-{}", option.name());
        let hint_id = format!("{id}-hint");
        let absent = move || {
            let no_server = settings.own_server.get() == Availability::Absent;
            option == SummarizerKind::OwnServer && no_server
        };
        let hint = move || {
            if absent() {
                t!("No summarizer there: this server only serves files.")
            } else {
                option.hint()
            }
        };
        view! {
            <div class="option">
                <input
                    type="radio"
                    name="summarizer"
                    id=id.clone()
                    aria-describedby=hint_id.clone()
                    disabled=absent
                    prop:checked=move || kind.get() == option
                    on:change=move |_| settings.summarizer.update(|summarizer| summarizer.kind = option)
                />
                <label for=id>{option.label()}</label>
                <p class="hint" id=hint_id>{hint}</p>
            </div>
        }
    };
    view! {
        <fieldset class="group">
            <legend id="summarizer-heading" tabindex="-1">{t!("Summarizer")}</legend>
            {SummarizerKind::ALL.iter().copied().map(option).collect_view()}
            <Show when=move || kind.get() == SummarizerKind::Endpoint>
                <ServerFields purpose=Purpose::Summaries server set />
            </Show>
        </fieldset>
    }
}
