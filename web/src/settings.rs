//! The settings: what is set most beside the conversation, and all of them in a [`sheet`].
//!
//! One module for each subject has its fields, which read a policy and write it back; [`topic`] puts them in the order of the
//! sheet. The policy is the truth: what no field shows stays as it is. Errors of the engine are shown at the field that has the
//! name of the policy field, see [`error_field`].

mod code;
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
mod server;
mod setting;
mod sheet;
mod state;
mod summarizer;
mod summary;
mod team;
mod topic;
mod triggers;
mod window;

use leptos::prelude::*;

use crate::language::t;
use counting::CountingChange;
pub(crate) use counting::CountingProgress;
use field::TextInput;
pub(crate) use field::number::whole;
pub(crate) use form::Form;
pub(crate) use preset::preset_label;
pub(crate) use server::{AnswersFields, Server};
use sheet::Sheet;
pub(crate) use state::SettingsState;
use summarizer::SummarizerSettings;
pub(crate) use summarizer::{Summarizer, find_summarizer};
use triggers::{TriggerKind, main_kind, threshold_messages, threshold_share, threshold_tokens};
use window::WindowSettings;
pub(crate) use window::tight_window;

/// Window, threshold and summarizer, and the sheet with all settings.
#[component]
pub(crate) fn Settings(
    settings: SettingsState,
    /// Tokens of the loaded conversation.
    #[prop(into)]
    tokens: Signal<Option<u32>>,
    /// The name of its format.
    #[prop(into)]
    format: Signal<&'static str>,
) -> impl IntoView {
    let sheet = settings.sheet;
    let preset = move || {
        let (preset, changed) =
            settings.form.with(|form| (form.preset(), !form.changed_fields().is_empty()));
        let preset = preset_label(&preset);
        match changed {
            true => t!("Preset: {preset}, changed.", preset),
            false => t!("Preset: {preset}.", preset),
        }
    };
    view! {
        <section class="settings card" aria-labelledby="settings-heading">
            <h2 id="settings-heading">{t!("Settings")}</h2>
            <InvalidSettings settings />
            // The sheet shows it itself: what is behind it is not read.
            <Show when=move || !sheet.is_open()>
                <CountingChange counting=settings.counting />
            </Show>
            <WindowSettings settings tokens />
            <ThresholdSettings settings />
            <SummarizerSettings settings />
            <div class="more-settings">
                <button type="button" class="button" on:click=move |_| sheet.open()>
                    {t!("All settings")}
                </button>
                <p class="hint">{preset}</p>
            </div>
        </section>
        <Sheet settings format />
    }
}

/// From where on a compaction is due.
#[component]
fn ThresholdSettings(settings: SettingsState) -> impl IntoView {
    let kind = Memo::new(move |_| main_kind(&settings.policy.read()));
    let field = move || {
        let field = match kind.get() {
            Some(TriggerKind::Fill | TriggerKind::Budget) => threshold_share(),
            Some(TriggerKind::Tokens) => threshold_tokens(),
            Some(TriggerKind::Messages) => threshold_messages(),
            Some(TriggerKind::Manual) => {
                return view! { <p class="hint">{t!("Only when you ask for it.")}</p> }.into_any();
            }
            None => return view! { <p class="hint">{t!("By a rule in the JSON.")}</p> }.into_any(),
        };
        view! { <TextInput settings field /> }.into_any()
    };
    view! {
        <fieldset class="group">
            <legend>{t!("When to compact")}</legend>
            {field}
        </fieldset>
    }
}

/// What is wrong with the settings, because their field may not be in view.
#[component]
fn InvalidSettings(settings: SettingsState) -> impl IntoView {
    move || {
        settings.problem().map(|problem| {
            view! {
                <p class="notice error">
                    <strong>{t!("These settings are not valid; the previous ones stay active.")} " "</strong>
                    {problem}
                </p>
            }
        })
    }
}
