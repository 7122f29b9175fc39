//! The loaded document, and how to open another one.

use leptos::prelude::*;

use super::{Choices, Found, LoadProgress, RecentOnly};
use crate::browser;
use crate::load::command::open_file;
use crate::number::{duration, plural, thousands};
use crate::store::Store;

/// The name of the document, and how to open another one.
#[component]
pub(crate) fn Loaded(store: Store, found: Found) -> impl IntoView {
    let document = move || store.document.get().unwrap_or_default();
    let pick = move |event| {
        if let Some(file) = browser::chosen(&event) {
            open_file(store, found, file);
        }
    };
    let figures = move || {
        let document = document();
        let megabytes = f64::from(document.memory_bytes) / 1_048_576.0;
        let excerpt = document.excerpt.map(|excerpt| {
            format!(
                " of {}, the most recent that fit {} tokens",
                thousands(excerpt.of),
                thousands(excerpt.budget_tokens)
            )
        });
        let rows = document.has_steps().then(|| format!(" in {} rows", thousands(document.rows)));
        format!(
            "{}{}{} · {} · read in {} · {megabytes:.1} MB of memory",
            plural(document.messages, "message", "messages"),
            excerpt.unwrap_or_default(),
            rows.unwrap_or_default(),
            document.format,
            duration(document.read_ms),
        )
    };
    view! {
        <section class="loaded" aria-labelledby="loaded-heading">
            <div class="loaded-name">
                <h2 id="loaded-heading">{move || document().name.clone()}</h2>
                <p class="figures">{figures}</p>
            </div>
            <div class="loaded-actions">
                <RecentOnly store />
                <label class="button file-button">
                    <input
                        type="file"
                        class="visually-hidden"
                        accept=".json,.jsonl,.gz,application/json,application/gzip"
                        on:change=pick
                    />
                    "Open another file"
                </label>
                <button type="button" class="button" on:click=move |_| store.clear()>
                    "Start over"
                </button>
            </div>
            <Choices store found />
            <LoadProgress store />
        </section>
    }
}
