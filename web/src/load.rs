//! Loading a conversation: from a pasted text, a file, a drop, or a sample.

mod candidate;
mod command;
mod loaded;
mod reader;
mod recount;
mod request_body;
mod sample;

use leptos::prelude::*;

use crate::browser::{self, dropped};
use crate::number::{percent, thousands};
use crate::store::Store;
pub(crate) use command::Found;
use command::{choose, open_file, open_sample, open_text};
pub(crate) use loaded::Loaded;
pub(crate) use recount::watch_counting;
use sample::Sample;

/// Opens files that are dropped anywhere on the page; `dragging` is true while one is dragged over it.
pub(crate) fn watch_drops(store: Store, found: Found, dragging: RwSignal<bool>) {
    use leptos::ev;
    let over = window_event_listener(ev::dragover, move |event| {
        event.prevent_default();
        if !dragging.get_untracked() {
            dragging.set(true);
        }
    });
    let leave = window_event_listener(ev::dragleave, move |event| {
        // There is a related target if the pointer only moved to another element of the page.
        if event.related_target().is_none() {
            dragging.set(false);
        }
    });
    let drop = window_event_listener(ev::drop, move |event| {
        event.prevent_default();
        dragging.set(false);
        if let Some(file) = dropped(&event) {
            open_file(store, found, file);
        }
    });
    on_cleanup(move || {
        over.remove();
        leave.remove();
        drop.remove();
    });
}

/// The start page.
#[component]
pub(crate) fn Load(store: Store, found: Found) -> impl IntoView {
    let sample = move |sample: Sample| {
        view! {
            <li>
                <button
                    type="button"
                    class="sample"
                    on:click=move |_| open_sample(store, found, sample)
                >
                    <span class="sample-title">{sample.title()}</span>
                    <span class="sample-about">{sample.about()}</span>
                </button>
            </li>
        }
    };
    view! {
        <div class="load">
            <section class="load-intro" aria-labelledby="load-heading">
                <h2 id="load-heading">"How full is your model’s window?"</h2>
                <p>
                    "Load a conversation in the format of your app or provider: OpenAI, Anthropic, Gemini, "
                    "Bedrock, AI SDK or LangChain. You see what fills the window, what a compaction "
                    "would keep and what it would summarize, and you can run it and undo it."
                </p>
            </section>
            <Sources store found />
            <section class="samples" aria-labelledby="samples-heading">
                <h3 id="samples-heading">"Or open a sample"</h3>
                <ul>{Sample::ALL.map(sample)}</ul>
            </section>
        </div>
    }
}

/// The file picker, the field to paste into, and the progress of loading.
#[component]
fn Sources(store: Store, found: Found) -> impl IntoView {
    let pasted = RwSignal::new(String::new());
    let pick = move |event| {
        if let Some(file) = browser::chosen(&event) {
            open_file(store, found, file);
        }
    };
    let submit = move |_| open_text(store, found, pasted.get_untracked());
    view! {
        <div class="sources card">
            <div class="source-file">
                <label class="button primary file-button">
                    <input
                        type="file"
                        class="visually-hidden"
                        accept=".json,.jsonl,.gz,application/json,application/gzip"
                        on:change=pick
                    />
                    "Choose a file"
                </label>
                <p class="hint">"or drop it anywhere: .json or .jsonl, also with .gz"</p>
            </div>
            <div class="source-text">
                <label for="paste">"Or paste it"</label>
                <textarea
                    id="paste"
                    rows="5"
                    spellcheck="false"
                    placeholder="[{ \"role\": \"user\", \"content\": \"…\" }, …]"
                    prop:value=pasted
                    on:input=move |event| pasted.set(event_target_value(&event))
                ></textarea>
                <button
                    type="button"
                    class="button"
                    disabled=move || pasted.with(|text| text.trim().is_empty())
                    on:click=submit
                >
                    "Read the text"
                </button>
            </div>
            <div>
                <RecentOnly store />
                <p class="hint recent-only-hint">
                    "System messages, and the most recent of the others that fit "
                    {move || thousands(store.settings.policy.read().window)} " tokens. Samples set their own window."
                </p>
            </div>
            <Choices store found />
            <LoadProgress store />
        </div>
    }
}

/// Whether to load only the most recent messages of the next document.
#[component]
fn RecentOnly(store: Store) -> impl IntoView {
    view! {
        <div class="option recent-only">
            <input
                type="checkbox"
                id="recent-only"
                prop:checked=store.recent_only
                on:change=move |event| store.recent_only.set(event_target_checked(&event))
            />
            <label for="recent-only">"Load only what fits the window"</label>
        </div>
    }
}

/// The conversations to choose from, if a file has several.
#[component]
fn Choices(store: Store, found: Found) -> impl IntoView {
    let options = move || {
        let labels = store.choices.get();
        let labels = labels.into_iter().enumerate();
        labels
            .map(|(index, label)| view! { <option value=index.to_string()>{label}</option> })
            .collect_view()
    };
    let chosen = RwSignal::new(0_usize);
    let several = Memo::new(move |_| store.choices.with(|choices| choices.len()));
    view! {
        <Show when=move || { several.get() > 1 }>
            <div class="choices">
                <label for="conversation">
                    {move || format!("The file has {} conversations", several.get())}
                </label>
                <div class="choices-row">
                    <select
                        id="conversation"
                        on:change=move |event| {
                            chosen.set(event_target_value(&event).parse().unwrap_or_default());
                        }
                    >
                        {options}
                    </select>
                    <button
                        type="button"
                        class="button primary"
                        on:click=move |_| choose(store, found, chosen.get_untracked())
                    >
                        "Open this one"
                    </button>
                </div>
            </div>
        </Show>
    }
}

/// The progress of loading, or why it failed.
#[component]
fn LoadProgress(store: Store) -> impl IntoView {
    let progress = move || {
        store.loading.get().map(|(name, done)| {
            view! {
                <p class="reading">{format!("Reading {name} … {}", percent(done))}</p>
            }
        })
    };
    let error = move || {
        store.load_error.get().map(|problem| {
            view! {
                <p class="notice error" role="alert">{problem}</p>
            }
        })
    };
    view! {
        {progress}
        {error}
    }
}
