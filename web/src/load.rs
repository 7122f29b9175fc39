//! Loading a conversation: a sample at first, then what is pasted, picked or dropped.

mod candidate;
mod command;
mod kept;
mod reader;
mod recount;
mod request_body;
mod sample;
mod spoken;

use epitome_formats::Format;
use leptos::prelude::*;

use crate::browser::{self, Pasted, dropped, pasted};
use crate::language::{around, t};
use crate::number::{percent, plural, thousands};
use crate::store::Store;
pub(crate) use candidate::candidates;
pub(crate) use command::{Found, open_text};
use command::{HEADING, choose, open_file, open_sample};
pub(crate) use kept::watch_tabs;
use kept::{KeptList, SavedState, reopen};
pub(crate) use recount::watch_counting;
pub(crate) use sample::invention;
use sample::{Sample, shown_name};

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

/// Opens what is pasted anywhere on the page, except into a field.
pub(crate) fn watch_pastes(store: Store, found: Found) {
    let paste = window_event_listener(leptos::ev::paste, move |event| match pasted(&event) {
        Some(Pasted::File(file)) => open_file(store, found, file),
        Some(Pasted::Text(text)) => open_text(store, found, text),
        None => {}
    });
    on_cleanup(move || paste.remove());
}

/// What the page shows first: the conversation of the last visit, or a sample.
pub(crate) fn open_specimen(store: Store, found: Found) {
    match store.keeping.list.with_untracked(|list| list.first().cloned()) {
        Some(last) => reopen(store, found, last),
        None => open_sample(store, found, Sample::Support),
    }
}

/// Opens a sample by its place among the samples, counted from 0.
pub(crate) fn open_sample_number(store: Store, found: Found, number: u32) {
    let place = usize::try_from(number).unwrap_or(usize::MAX);
    if let Some(sample) = Sample::ALL.get(place) {
        open_sample(store, found, *sample);
    }
}

/// The name of the conversation, and the ways to open another one.
#[component]
pub(crate) fn Sources(store: Store, found: Found) -> impl IntoView {
    let name = move || {
        let loading = store.loading.get().map(|(name, _)| name);
        let loaded =
            store.document.with(|loaded| loaded.as_ref().map(|loaded| loaded.name.clone()));
        loaded.or(loading)
    };
    let heading = move || match name() {
        Some(name) => shown_name(&name).to_owned(),
        None => t!("No conversation").to_owned(),
    };
    let figures = move || {
        let document = store.document.get()?;
        let messages = plural(document.messages, "message", "messages");
        let rows = document.has_steps().then(|| thousands(document.rows));
        let excerpt = document.excerpt;
        let excerpt =
            excerpt.map(|excerpt| (thousands(excerpt.of), thousands(excerpt.budget_tokens)));
        let words = match (excerpt, rows) {
            (None, None) => messages,
            (None, Some(rows)) => t!("{messages} in {rows} rows", messages, rows),
            (Some((total, tokens)), None) => t!(
                "{messages} of {total}, the most recent that fit {tokens} tokens",
                messages,
                total,
                tokens
            ),
            (Some((total, tokens)), Some(rows)) => t!(
                "{messages} of {total}, the most recent that fit {tokens} tokens in {rows} rows",
                messages,
                total,
                tokens,
                rows
            ),
        };
        Some(format!("{words} · {}", document.format))
    };
    let about = move || {
        let sample = Sample::named(&name()?)?;
        Some(format!("{} ", t!("Sample: {about}.", about = sample.about())))
    };
    let sample = move |sample: Sample| {
        view! {
            <li>
                <button
                    type="button"
                    class="chip sample"
                    title=sample.about()
                    aria-pressed=move || (name().as_deref() == Some(sample.name())).to_string()
                    on:click=move |_| open_sample(store, found, sample)
                >
                    {sample.title()}
                </button>
            </li>
        }
    };
    let pick = move |event| {
        if let Some(file) = browser::chosen(&event) {
            open_file(store, found, file);
        }
    };
    view! {
        <section class="sources" aria-labelledby=HEADING>
            <div class="sources-name">
                <h2 id=HEADING tabindex="-1">{heading}</h2>
                <p class="figures">
                    <span class="sources-about">{about}</span>
                    <span class="sources-figures">{figures}</span>
                    <SavedState store />
                </p>
            </div>
            <div class="sources-choice">
                <ul class="chips" aria-label=t!("Samples")>{Sample::ALL.map(sample)}</ul>
                <label class="button file-button">
                    <input
                        type="file"
                        class="visually-hidden"
                        accept=".json,.jsonl,.txt,.gz,application/json,application/gzip,text/plain"
                        on:change=pick
                    />
                    {t!("Open your own")}
                </label>
                <KeptList store found />
            </div>
            <Paste store found />
            <Choices store found />
            <LoadProgress store />
        </section>
    }
}

/// The field to paste into, and whether to load only a part.
#[component]
fn Paste(store: Store, found: Found) -> impl IntoView {
    let pasted = RwSignal::new(String::new());
    let submit = move |_| open_text(store, found, pasted.get_untracked());
    let (before, after) = around(t!("Drop a file anywhere, press Ctrl+V, or {field}"), "{field}");
    let formats = Format::ALL.map(Format::title).join(", ");
    view! {
        <details class="paste">
            <summary>
                {before} <span class="paste-open">{t!("paste it into a field")}</span> {after}
            </summary>
            <div class="paste-body card">
                <label for="paste">{t!("A conversation")}</label>
                <p class="hint" id="paste-hint">
                    {t!("Messages as JSON or JSON lines, in one of these formats: {formats}. Or plain text in which each turn begins with “User:” or “Assistant:”. Session files of Claude Code, Codex, opencode and pi are read too, and exports of Langfuse.", formats)}
                </p>
                <textarea
                    id="paste"
                    rows="6"
                    spellcheck="false"
                    aria-describedby="paste-hint"
                    placeholder="[{ \"role\": \"user\", \"content\": \"…\" }, …]"
                    prop:value=pasted
                    on:input=move |event| pasted.set(event_target_value(&event))
                ></textarea>
                <div class="paste-actions">
                    <button
                        type="button"
                        class="button"
                        disabled=move || pasted.with(|text| text.trim().is_empty())
                        on:click=submit
                    >
                        {t!("Read the text")}
                    </button>
                    <RecentOnly store />
                </div>
            </div>
        </details>
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
            <label for="recent-only">{t!("Load only what fits the window")}</label>
            <p class="hint">{t!("System messages, and the latest of the others.")}</p>
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
                    {move || t!("The file has {number} conversations", number = several.get())}
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
                        {t!("Open this one")}
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
                <p class="reading">
                    {t!("Reading {name} … {share}", name = shown_name(&name), share = percent(done))}
                </p>
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
