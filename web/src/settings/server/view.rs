//! The fields of a server, and the test whether it answers.

use std::collections::BTreeSet;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::known::KnownServer;
use super::model::{KeyStorage, Purpose, Server};
use crate::browser::{Abort, has_model};
use crate::language::t;
use crate::number::{count, plural};
use crate::settings::SettingsState;

/// The value of the choice for a server that is not in the list.
const OTHER: &str = "other";

/// A server that is shown and changed.
#[derive(Clone, Copy)]
struct Place {
    purpose: Purpose,
    server: Signal<Server>,
    set: SignalSetter<Server>,
}

impl Place {
    fn update(self, change: impl FnOnce(&mut Server)) {
        let mut server = self.server.get_untracked();
        change(&mut server);
        self.set.set(server);
    }

    fn id(self, name: &str) -> String {
        format!("{}{name}", self.purpose.prefix())
    }
}

/// The fields.
#[component]
pub(in crate::settings) fn ServerFields(
    purpose: Purpose,
    /// Reads it.
    #[prop(into)]
    server: Signal<Server>,
    /// Replaces it.
    #[prop(into)]
    set: SignalSetter<Server>,
) -> impl IntoView {
    let place = Place { purpose, server, set };
    let listed = RwSignal::new(Vec::<String>::new());
    let keep = move |event| {
        place.update(|server| {
            server.key_storage =
                if event_target_checked(&event) { KeyStorage::Tab } else { KeyStorage::Memory };
            server.store_key();
        });
    };
    let list = place.id("models");
    let keep_id = place.id("keep-key");
    let options = move || {
        listed.get().into_iter().map(|name| view! { <option value=name></option> }).collect_view()
    };
    view! {
        <div class="endpoint">
            <Choice place />
            <Text
                place
                name="base-url"
                label=t!("Base URL")
                kind="url"
                read=|server| &server.base_url
                write=Server::set_base_url
            />
            <Text
                place
                name="model"
                label=t!("Model")
                kind="text"
                list=list.clone()
                read=|server| &server.model
                write=|server, text| server.model = text
            />
            <datalist id=list>{options}</datalist>
            <Text
                place
                name="key"
                label=t!("Key (optional)")
                kind="password"
                read=|server| &server.key
                write=Server::set_key
            />
            <Warnings server />
            <Test place listed />
            <div class="option">
                <input
                    type="checkbox"
                    id=keep_id.clone()
                    prop:checked=move || server.with(|server| server.key_storage == KeyStorage::Tab)
                    on:change=keep
                />
                <label for=keep_id>{t!("Keep the key until this tab is closed")}</label>
                <p class="hint">
                    {t!("If not, it is removed when the page is reloaded. It is never exported.")}
                </p>
            </div>
            <More place />
        </div>
    }
}

/// The fields of the server that answers in the chat.
#[component]
pub(crate) fn AnswersFields(settings: SettingsState) -> impl IntoView {
    let (server, set) = (settings.server, settings.server);
    view! { <ServerFields purpose=Purpose::Answers server set /> }
}

/// The choice among servers that are known.
#[component]
fn Choice(place: Place) -> impl IntoView {
    let (id, hint_id) = (place.id("server"), place.id("server-hint"));
    let chosen = Memo::new(move |_| place.server.with(|server| KnownServer::at(&server.base_url)));
    let value = move || chosen.get().map_or(OTHER, KnownServer::name);
    let hint = move || match chosen.get() {
        Some(known) => known.hint(),
        None => t!(
            "Any server with OpenAI’s chat completions. It has to allow requests from this page (CORS)."
        ),
    };
    let choose = move |event| {
        let name = event_target_value(&event);
        if let Some(known) = KnownServer::ALL.into_iter().find(|known| known.name() == name) {
            place.update(|server| {
                server.set_base_url(known.base_url());
                known.model().clone_into(&mut server.model);
            });
        }
    };
    let is_built_in = RwSignal::new(false);
    spawn_local(async move {
        is_built_in.try_set(has_model().await);
    });
    let options = move || {
        let is_there = |known: &KnownServer| *known != KnownServer::BuiltIn || is_built_in.get();
        let options = KnownServer::ALL.into_iter().filter(is_there).map(|known| {
            let selected = move || chosen.get() == Some(known);
            view! { <option value=known.name() selected=selected>{known.name()}</option> }
        });
        options.collect_view()
    };
    view! {
        <div class="field">
            <label for=id.clone()>{t!("Server")}</label>
            <select id=id aria-describedby=hint_id.clone() prop:value=value on:change=choose>
                {options}
                <option value=OTHER selected=move || chosen.get().is_none()>{t!("Another one")}</option>
            </select>
            <p class="hint" id=hint_id aria-live="polite">{hint}</p>
        </div>
    }
}

/// What is not sent, and what others can read.
#[component]
fn Warnings(server: Signal<Server>) -> impl IntoView {
    move || {
        let (error, is_exposed) = server
            .with(|server| (server.key_error(), epitome_browser::is_exposed(&server.base_url)));
        let error = error.map(|reason| {
            view! {
                <p class="notice warn" role="status"><strong>{t!("Not sent:")} " "</strong> {reason} "."</p>
            }
        });
        let exposed = is_exposed.then(|| {
            view! {
                <p class="notice warn" role="status">
                    <strong>{t!("Not encrypted:")} " "</strong>
                    {t!("others on the way can read the conversation and the key. Use https, unless you trust that network.")}
                </p>
            }
        });
        view! { {error} {exposed} }
    }
}

/// Asks the server for its models, and the model for a word.
#[component]
fn Test(place: Place, listed: RwSignal<Vec<String>>) -> impl IntoView {
    let verdict = RwSignal::new(String::new());
    let running = StoredValue::new_local(None::<Abort>);
    let stop = move || running.with_value(|running| running.iter().for_each(Abort::stop));
    on_cleanup(stop);
    let test = move |_| {
        stop();
        let abort = Abort::new();
        running.set_value(Some(abort.clone()));
        verdict.set(t!("Asking the server …").to_owned());
        spawn_local(async move {
            let server = place.server.get_untracked();
            let words = tested(&server, &abort, listed).await;
            if let Some(words) = words {
                verdict.set(words);
            }
        });
    };
    let id = place.id("verdict");
    view! {
        <div class="tested">
            <button type="button" class="button" aria-describedby=id.clone() on:click=test>{t!("Test")}</button>
            <p class="hint" id=id role="status">{verdict}</p>
        </div>
    }
}

/// What a model is asked in a test.
const QUESTION: &str = r#"[{"role":"user","content":"Answer with the word: yes"}]"#;

/// What came of the test, in words; `None` if it was stopped.
async fn tested(server: &Server, abort: &Abort, listed: RwSignal<Vec<String>>) -> Option<String> {
    let signal = abort.signal();
    let is_stopped = || signal.as_ref().is_some_and(epitome_browser::AbortSignal::aborted);
    let names = match server.models(signal.as_ref()).await {
        _ if is_stopped() => return None,
        Ok(names) => names,
        Err(error) => return Some(sentence(&error.message)),
    };
    let number = plural(count(names.len()), "model", "models");
    listed.try_set(names);
    let model = server.model();
    if model.is_empty() {
        return Some(t!("The server has {number}. Choose one.", number));
    }
    let answered = server
        .answer(QUESTION.to_owned(), &BTreeSet::new(), 64, signal.as_ref(), &mut |_| {})
        .await;
    match answered {
        _ if is_stopped() => None,
        Err(error) if error.code != epitome_browser::EndpointErrorCode::Truncated => {
            Some(sentence(&error.message))
        }
        // A model that reasons may have no time for more than a beginning.
        _ => Some(t!("The server has {number}, and {model} answers.", number, model)),
    }
}

/// The words of an error as a sentence.
fn sentence(words: &str) -> String {
    let mut characters = words.trim_end_matches('.').chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), characters.as_str())
}

/// How long to wait, and further headers.
#[component]
fn More(place: Place) -> impl IntoView {
    let id = place.id("headers");
    view! {
        <details class="more">
            <summary>{t!("Timeout and headers")}</summary>
            <Text
                place
                name="timeout"
                label=t!("Give up after this many seconds of silence")
                kind="text"
                read=|server| &server.timeout
                write=|server, text| server.timeout = text
            />
            <div class="field">
                <label for=id.clone()>{t!("Extra headers, one “name: value” per line")}</label>
                <textarea
                    id=id
                    rows="2"
                    spellcheck="false"
                    prop:value=move || place.server.with(|server| server.headers.clone())
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        place.update(|server| server.set_headers(text));
                    }
                ></textarea>
            </div>
        </details>
    }
}

/// A text input.
#[component]
fn Text(
    place: Place,
    /// What the input's id ends with.
    name: &'static str,
    /// The label.
    label: &'static str,
    /// The type of the input.
    kind: &'static str,
    /// The id of the list of what can be typed.
    #[prop(optional)]
    list: Option<String>,
    /// Reads it.
    read: fn(&Server) -> &String,
    /// Writes it.
    write: fn(&mut Server, String),
) -> impl IntoView {
    let id = place.id(name);
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <input
                id=id
                type=kind
                list=list
                autocomplete="off"
                spellcheck="false"
                prop:value=move || place.server.with(|server| read(server).clone())
                on:input=move |event| {
                    let text = event_target_value(&event);
                    place.update(|server| write(server, text));
                }
            />
        </div>
    }
}
