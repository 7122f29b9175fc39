//! Who summarizes, and how to reach them.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser::{origin, text_at};
use crate::store::{Availability, KeyKeeping, Store, Summarizer, SummarizerKind};

/// Looks for a summarizer where the page came from. Without one the page summarizes by itself.
pub(crate) fn find_summarizer(store: Store) {
    spawn_local(async move {
        let text = text_at(&format!("{}/v1/models", origin())).await;
        let answers = text.is_some_and(|text| {
            // A server of files may answer every address with a page.
            serde_json::from_str::<serde_json::Value>(&text)
                .is_ok_and(|models| models.get("data").is_some_and(serde_json::Value::is_array))
        });
        if answers {
            store.here.set(Availability::Answers);
            return;
        }
        store.here.set(Availability::Absent);
        store.summarizer.update(|summarizer| {
            if summarizer.kind == SummarizerKind::Here {
                summarizer.kind = SummarizerKind::Page;
            }
        });
    });
}

/// The choice of the summarizer.
#[component]
pub(super) fn SummarizerSettings(store: Store) -> impl IntoView {
    let kind = Memo::new(move |_| store.summarizer.with(|summarizer| summarizer.kind));
    let option = move |option: SummarizerKind| {
        let id = format!("summarizer-{}", option.as_str());
        let hint_id = format!("{id}-hint");
        let absent =
            move || option == SummarizerKind::Here && store.here.get() == Availability::Absent;
        let hint = move || {
            if absent() {
                "Nobody answers there: this page is served as files."
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
                    on:change=move |_| store.summarizer.update(|summarizer| summarizer.kind = option)
                />
                <label for=id>{option.label()}</label>
                <p class="hint" id=hint_id>{hint}</p>
            </div>
        }
    };
    view! {
        <fieldset class="group">
            <legend id="summarizer-heading" tabindex="-1">"Summarizer"</legend>
            {SummarizerKind::ALL.map(option)}
            <Show when=move || kind.get() == SummarizerKind::Endpoint>
                <EndpointSettings store />
            </Show>
        </fieldset>
    }
}

#[component]
fn EndpointSettings(store: Store) -> impl IntoView {
    let keep = move |event| {
        store.summarizer.update(|summarizer| {
            summarizer.keeping =
                if event_target_checked(&event) { KeyKeeping::Tab } else { KeyKeeping::Memory };
            summarizer.keep_key();
        });
    };
    view! {
        <div class="endpoint">
            <Text
                store
                id="base-url"
                label="Base URL"
                kind="url"
                read=|summarizer| &summarizer.base_url
                write=|summarizer, text| summarizer.base_url = text
            />
            <Text
                store
                id="model"
                label="Model"
                kind="text"
                read=|summarizer| &summarizer.model
                write=|summarizer, text| summarizer.model = text
            />
            <Text
                store
                id="key"
                label="Key (optional)"
                kind="password"
                read=|summarizer| &summarizer.key
                write=|summarizer, text| {
                    summarizer.key = text;
                    summarizer.keep_key();
                }
            />
            <div class="option">
                <input
                    type="checkbox"
                    id="keep-key"
                    prop:checked=move || {
                        store.summarizer.with(|summarizer| summarizer.keeping == KeyKeeping::Tab)
                    }
                    on:change=keep
                />
                <label for="keep-key">"Keep the key until this tab is closed"</label>
                <p class="hint">"Otherwise it is gone when the page is reloaded. It is never exported."</p>
            </div>
            <details class="more">
                <summary>"Patience and headers"</summary>
                <Text
                    store
                    id="patience"
                    label="Give up after this many seconds of silence"
                    kind="text"
                    read=|summarizer| &summarizer.patience
                    write=|summarizer, text| summarizer.patience = text
                />
                <div class="field">
                    <label for="headers">"Extra headers, one “name: value” a line"</label>
                    <textarea
                        id="headers"
                        rows="2"
                        spellcheck="false"
                        prop:value=move || store.summarizer.with(|summarizer| summarizer.headers.clone())
                        on:input=move |event| {
                            let text = event_target_value(&event);
                            store.summarizer.update(|summarizer| summarizer.headers = text);
                        }
                    ></textarea>
                </div>
            </details>
            <p class="hint">
                "The server has to allow this page’s origin (CORS). Ollama does with "
                <code>"OLLAMA_ORIGINS"</code> " set."
            </p>
        </div>
    }
}

/// One text of the summarizer's form.
#[component]
fn Text(
    store: Store,
    /// The input's id.
    id: &'static str,
    /// What it is called.
    label: &'static str,
    /// The type of input.
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
                prop:value=move || store.summarizer.with(|summarizer| read(summarizer).clone())
                on:input=move |event| {
                    let text = event_target_value(&event);
                    store.summarizer.update(|summarizer| write(summarizer, text));
                }
            />
        </div>
    }
}
