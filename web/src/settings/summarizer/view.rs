//! How the choice of the summarizer is shown.

use leptos::prelude::*;

use super::model::{Availability, KeyStorage, Summarizer, SummarizerKind};
use crate::settings::SettingsState;
use crate::settings::field::Options as _;

/// The choice of the summarizer.
#[component]
pub(in crate::settings) fn SummarizerSettings(settings: SettingsState) -> impl IntoView {
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
                "No summarizer there: this server only serves files."
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
            <legend id="summarizer-heading" tabindex="-1">"Summarizer"</legend>
            {SummarizerKind::ALL.iter().copied().map(option).collect_view()}
            <Show when=move || kind.get() == SummarizerKind::Endpoint>
                <EndpointSettings settings />
            </Show>
        </fieldset>
    }
}

#[component]
fn EndpointSettings(settings: SettingsState) -> impl IntoView {
    let keep = move |event| {
        settings.summarizer.update(|summarizer| {
            summarizer.key_storage =
                if event_target_checked(&event) { KeyStorage::Tab } else { KeyStorage::Memory };
            summarizer.store_key();
        });
    };
    let warning = move || {
        let (refusal, is_exposed) = settings.summarizer.with(|summarizer| {
            (summarizer.refusal(), epitome_browser::is_exposed(&summarizer.base_url))
        });
        let refusal = refusal.map(|reason| {
            view! { <p class="notice warn" role="status"><strong>"Not sent: "</strong> {reason} "."</p> }
        });
        let exposed = is_exposed.then(|| {
            view! {
                <p class="notice warn" role="status">
                    <strong>"Not encrypted: "</strong>
                    "others on the way can read the conversation and the key. Use https, unless you trust that network."
                </p>
            }
        });
        view! { {refusal} {exposed} }
    };
    view! {
        <div class="endpoint">
            <Text
                settings
                id="base-url"
                label="Base URL"
                kind="url"
                read=|summarizer| &summarizer.base_url
                write=|summarizer, text| summarizer.base_url = text
            />
            <Text
                settings
                id="model"
                label="Model"
                kind="text"
                read=|summarizer| &summarizer.model
                write=|summarizer, text| summarizer.model = text
            />
            <Text
                settings
                id="key"
                label="Key (optional)"
                kind="password"
                read=|summarizer| &summarizer.key
                write=Summarizer::set_key
            />
            {warning}
            <div class="option">
                <input
                    type="checkbox"
                    id="keep-key"
                    prop:checked=move || {
                        settings.summarizer.with(|summarizer| summarizer.key_storage == KeyStorage::Tab)
                    }
                    on:change=keep
                />
                <label for="keep-key">"Keep the key until this tab is closed"</label>
                <p class="hint">"If not, it is removed when the page is reloaded. It is never exported."</p>
            </div>
            <details class="more">
                <summary>"Timeout and headers"</summary>
                <Text
                    settings
                    id="timeout"
                    label="Give up after this many seconds of silence"
                    kind="text"
                    read=|summarizer| &summarizer.timeout
                    write=|summarizer, text| summarizer.timeout = text
                />
                <div class="field">
                    <label for="headers">"Extra headers, one “name: value” per line"</label>
                    <textarea
                        id="headers"
                        rows="2"
                        spellcheck="false"
                        prop:value=move || settings.summarizer.with(|summarizer| summarizer.headers.clone())
                        on:input=move |event| {
                            let text = event_target_value(&event);
                            settings.summarizer.update(|summarizer| summarizer.set_headers(text));
                        }
                    ></textarea>
                </div>
            </details>
            <p class="hint">
                "The server must allow this page’s origin (CORS). For Ollama, set "
                <code>"OLLAMA_ORIGINS"</code> "."
            </p>
        </div>
    }
}

/// A text input of the summarizer.
#[component]
fn Text(
    settings: SettingsState,
    /// The input's id.
    id: &'static str,
    /// The label.
    label: &'static str,
    /// The type of the input.
    kind: &'static str,
    /// Reads it.
    read: fn(&Summarizer) -> &String,
    /// Writes it.
    write: fn(&mut Summarizer, String),
) -> impl IntoView {
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <input
                id=id
                type=kind
                autocomplete="off"
                spellcheck="false"
                prop:value=move || settings.summarizer.with(|summarizer| read(summarizer).clone())
                on:input=move |event| {
                    let text = event_target_value(&event);
                    settings.summarizer.update(|summarizer| write(summarizer, text));
                }
            />
        </div>
    }
}
