//! The settings: one module for each topic, with its fields and its view; then all of them as JSON.
//!
//! A topic's fields read a policy and write it back. The policy is the truth: what no field shows stays as it is.
//! Errors of the engine are shown at the field that has the name of the policy field, see [`error_field`].

mod counting;
mod error_field;
mod field;
mod form;
mod json;
mod keep;
mod kept;
mod preset;
mod reducers;
mod result;
mod state;
mod summarizer;
mod summary;
mod triggers;
mod window;

use leptos::prelude::*;

pub(crate) use counting::CountingProgress;
use counting::CountingSettings;
pub(crate) use field::number::whole;
pub(crate) use form::Form;
use json::JsonSettings;
use keep::KeepSettings;
use preset::PresetSettings;
use reducers::ReducerSettings;
use result::ResultSettings;
pub(crate) use state::SettingsState;
use summarizer::SummarizerSettings;
pub(crate) use summarizer::{Summarizer, find_summarizer};
use summary::SummarySettings;
use triggers::{MainTriggerSettings, RequestTriggerSettings};
use window::WindowSettings;
pub(crate) use window::tight_window;

/// All settings.
#[component]
pub(crate) fn Settings(
    settings: SettingsState,
    /// Tokens of the loaded conversation.
    #[prop(into)]
    tokens: Signal<Option<u32>>,
    /// Receives what screen readers announce.
    announcement: RwSignal<String>,
) -> impl IntoView {
    view! {
        <section class="settings card" aria-labelledby="settings-heading">
            <h2 id="settings-heading">"Settings"</h2>
            <InvalidSettings settings />
            <WindowSettings settings tokens />
            <MainTriggerSettings settings />
            <SummarizerSettings settings />
            <details class="more all-settings">
                <summary>"More settings"</summary>
                <PresetSettings settings />
                <KeepSettings settings />
                <div class="sections">
                <Section title="Requests and the tool loop">
                    <RequestTriggerSettings settings />
                </Section>
                <Section title="Reducers: save tokens without a model">
                    <ReducerSettings settings />
                </Section>
                <Section title="The summary">
                    <SummarySettings settings />
                </Section>
                <Section title="The result">
                    <ResultSettings settings />
                </Section>
                <Section title="Token counting and retries">
                    <CountingSettings settings />
                </Section>
                <Section title="All settings as JSON, and agents">
                    <JsonSettings settings announcement />
                </Section>
                </div>
                <p class="hint">
                    "Settings are kept in this browser for the next visit, without keys and headers."
                </p>
            </details>
        </section>
    }
}

/// A group of settings that is closed at first.
#[component]
fn Section(
    /// The topic.
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

/// The error of invalid settings, because their field may be in a closed section.
#[component]
fn InvalidSettings(settings: SettingsState) -> impl IntoView {
    move || {
        settings.error.get().map(|error| {
            view! {
                <p class="notice error">
                    <strong>"These settings are not valid; the previous ones stay active. "</strong>
                    {error.field} " " {error.problem} "."
                </p>
            }
        })
    }
}
