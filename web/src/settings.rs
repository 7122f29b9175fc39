//! The settings: first what matters, then the rest by what it is about, then all of it as JSON.

mod counting;
mod field;
mod json;
mod preset;
mod reducers;
mod result;
mod summarizer;
mod summary;
mod triggers;
mod window;

use leptos::prelude::*;

use crate::store::Store;
use counting::Counting;
use json::Json;
use preset::PresetSettings;
use reducers::Reducers;
use result::ResultSettings;
use summarizer::SummarizerSettings;
pub(crate) use summarizer::find_summarizer;
use summary::SummarySettings;
use triggers::{Requests, When};
use window::{Keep, Window};

/// All settings.
#[component]
pub(crate) fn Settings(store: Store) -> impl IntoView {
    view! {
        <section class="settings card" aria-labelledby="settings-heading">
            <h2 id="settings-heading">"Settings"</h2>
            <Trouble store />
            <PresetSettings store />
            <Window store />
            <When store />
            <Keep store />
            <SummarizerSettings store />
            <div class="sections">
                <Section title="Requests and the tool loop">
                    <Requests store />
                </Section>
                <Section title="Saving without a model">
                    <Reducers store />
                </Section>
                <Section title="The summary">
                    <SummarySettings store />
                </Section>
                <Section title="The result">
                    <ResultSettings store />
                </Section>
                <Section title="Counting and asking again">
                    <Counting store />
                </Section>
                <Section title="All settings as JSON, and agents">
                    <Json store />
                </Section>
            </div>
        </section>
    }
}

/// Settings that are out of the way until they are wanted.
#[component]
fn Section(
    /// What they are about.
    title: &'static str,
    children: Children,
) -> impl IntoView {
    view! {
        <details class="more section">
            <summary>{title}</summary>
            <div class="section-body">{children()}</div>
        </details>
    }
}

/// That something cannot work: its field may be out of sight.
#[component]
fn Trouble(store: Store) -> impl IntoView {
    move || {
        store.form_error.get().map(|error| {
            view! {
                <p class="notice error">
                    <strong>"These settings cannot work; the former ones hold. "</strong>
                    {error.field} " " {error.problem} "."
                </p>
            }
        })
    }
}
