//! The doctor: why a provider refused a request, and what a repair does. A link to it ends in `#doctor` and has no content.

mod diagnosis;
mod example;
mod refusal;
mod shown;

use js_sys::{Array, JSON};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use crate::browser::{
    address_part, clear_address_part, close_dialog, focus, open_dialog, pretty, save,
};
use crate::dialog::{Dialog, DialogHead};
use crate::language::t;
use crate::load::{Found, candidates, open_text};
use crate::store::{Session, Store};
use diagnosis::{Diagnosis, examine};
use example::EXAMPLES;
use shown::Shown;

const DIALOG: &str = "doctor";
/// The part of the address that opens it.
const PART: &str = "#doctor";
/// The id of the heading of the diagnosis, which gets the focus.
const HEADING: &str = "diagnosis-heading";

/// What is typed and what is found. Copying it copies handles.
#[derive(Clone, Copy)]
struct Desk {
    request: RwSignal<String>,
    error: RwSignal<String>,
    earlier: RwSignal<String>,
    /// What is wrong, or why the request could not be read.
    found: RwSignal<Option<Result<Diagnosis, String>>>,
}

impl Desk {
    /// Examines what is typed.
    fn examine(self) {
        let outcome = messages(&self.request.read_untracked()).and_then(|request| {
            let earlier = self.earlier.get_untracked();
            let earlier = match earlier.trim().is_empty() {
                true => Vec::new(),
                false => {
                    vec![
                        messages(&earlier)
                            .map_err(|why| t!("The request before it: {why}", why))?,
                    ]
                }
            };
            Ok(examine(&request, &self.error.read_untracked(), &earlier))
        });
        self.found.set(Some(outcome));
        request_animation_frame(|| focus(HEADING));
    }

    fn fill(self, request: &str, error: &str, earlier: &str) {
        request.clone_into(&mut self.request.write());
        error.clone_into(&mut self.error.write());
        earlier.clone_into(&mut self.earlier.write());
        self.examine();
    }
}

/// The messages in a text.
fn messages(text: &str) -> Result<Vec<Value>, String> {
    let found = candidates(text)?.into_iter().next();
    let found = found.ok_or_else(|| t!("There are no messages in it.").to_owned())?;
    let read = found.messages.iter().map(serde_wasm_bindgen::from_value::<Value>);
    read.collect::<Result<Vec<Value>, _>>()
        .map_err(|error| t!("It cannot be read: {error}.", error))
}

/// Opens it whenever the address ends in `#doctor`.
fn watch_address() {
    let open = || {
        if address_part() == PART {
            open_dialog(DIALOG);
        }
    };
    request_animation_frame(open);
    let change = window_event_listener(leptos::ev::hashchange, move |_| open());
    on_cleanup(move || change.remove());
}

/// The dialog.
#[component]
pub(crate) fn Doctor(store: Store, found: Found) -> impl IntoView {
    watch_address();
    let desk = Desk {
        request: RwSignal::new(String::new()),
        error: RwSignal::new(String::new()),
        earlier: RwSignal::new(String::new()),
        found: RwSignal::new(None),
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        desk.examine();
    };
    let use_this = move |_| {
        let messages = JSON::stringify(&store.read(Session::compacted));
        desk.fill(&messages.map(String::from).unwrap_or_default(), "", "");
    };
    let examples = EXAMPLES.map(|example| {
        let fill = move |_| desk.fill(example.request, example.error, example.earlier);
        view! {
            <li>
                <button type="button" class="chip" on:click=fill>{(example.title)()}</button>
            </li>
        }
    });
    let result = move || {
        desk.found.get().map(|outcome| match outcome {
            Ok(diagnosis) => view! { <Outcome store found diagnosis /> }.into_any(),
            Err(problem) => view! { <p class="notice error" role="alert">{problem}</p> }.into_any(),
        })
    };
    view! {
        <Dialog id=DIALOG class="details doctor" on_close=clear_address_part>
            <DialogHead of=DIALOG title=t!("Doctor")>
                <p class="figures">
                    {t!("A provider refused a request. Which message is it, which rule, and what repairs it? Nothing that you paste leaves this page.")}
                </p>
            </DialogHead>
            <div class="doctor-body">
                <form class="doctor-form" on:submit=submit>
                    <ul class="chips" aria-label=t!("Examples")>
                        {examples}
                        <li>
                            <button type="button" class="chip" on:click=use_this>
                                {t!("What the model sees now")}
                            </button>
                        </li>
                    </ul>
                    <Field
                        id="doctor-request"
                        label=t!("The request")
                        optional=""
                        hint=t!("Its body or only its messages, as JSON, in the format of any provider.")
                        rows="9"
                        text=desk.request
                    />
                    <Field
                        id="doctor-error"
                        label=t!("The error")
                        optional=t!("(optional)")
                        hint=t!("As the server or the SDK shows it.")
                        rows="3"
                        text=desk.error
                    />
                    <details class="more">
                        <summary>
                            {t!("The request before it")} " " <span class="optional">{t!("(optional)")}</span>
                        </summary>
                        <Field
                            id="doctor-earlier"
                            label=t!("The request before it")
                            optional=""
                            hint=t!("Claude accepts its signed thinking only behind the messages that it was written behind. By the earlier request this is checked too.")
                            rows="5"
                            text=desk.earlier
                        />
                    </details>
                    <button type="submit" class="button primary large">{t!("Examine")}</button>
                </form>
                <section class="doctor-result" aria-labelledby=HEADING>
                    <h3 id=HEADING tabindex="-1">{t!("Diagnosis")}</h3>
                    {result}
                    <Show when=move || desk.found.with(Option::is_none)>
                        <p class="hint">
                            {t!("It appears here: each message that breaks a rule of its provider, whether a compaction broke it, and the repaired request to download.")}
                        </p>
                    </Show>
                </section>
            </div>
        </Dialog>
    }
}

/// A field of the form.
#[component]
fn Field(
    id: &'static str,
    label: &'static str,
    /// That it may be empty, in words.
    optional: &'static str,
    hint: &'static str,
    rows: &'static str,
    text: RwSignal<String>,
) -> impl IntoView {
    let hint_id = format!("{id}-hint");
    view! {
        <div class="field">
            <label for=id>{label} " " <span class="optional">{optional}</span></label>
            <textarea
                id=id
                rows=rows
                spellcheck="false"
                autocomplete="off"
                aria-describedby=hint_id.clone()
                prop:value=text
                on:input=move |event| text.set(event_target_value(&event))
            ></textarea>
            <p class="hint" id=hint_id>{hint}</p>
        </div>
    }
}

/// A diagnosis, and what to do with the repaired messages.
#[component]
fn Outcome(store: Store, found: Found, diagnosis: Diagnosis) -> impl IntoView {
    let text = serde_json::to_string(&diagnosis.repaired).unwrap_or_default();
    let is_repaired = !diagnosis.steps.is_empty();
    let saved = text.clone();
    let download = move |_| {
        let list = JSON::parse(&saved).map(|list| Array::from(&list));
        spawn_local(async move {
            // This cannot fail: the text was written as JSON a moment ago.
            if let Ok(list) = list
                && let Ok(pieces) = pretty(&list).await
            {
                save("repaired.json", &pieces).await;
            }
        });
    };
    let open = move |_| {
        close_dialog(DIALOG);
        open_text(store, found, text.clone());
    };
    view! {
        <Shown diagnosis />
        <div class="result-actions">
            {is_repaired.then(|| view! {
                <button type="button" class="button" on:click=download>{t!("Download the repaired messages")}</button>
            })}
            <button type="button" class="button" on:click=open>
                {if is_repaired { t!("Open the repaired conversation") } else { t!("Open as a conversation") }}
            </button>
        </div>
    }
}
