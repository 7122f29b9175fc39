//! How the triggers are shown.

use leptos::prelude::*;

use super::model::{
    TriggerKind, fixed_tokens, main_kind, output_reserve, phase, reactive, reactive_fields,
    request_boundary, request_boundary_fields, safety_margin, target, threshold_messages,
    threshold_share, threshold_tokens, trigger_kind,
};
use crate::settings::SettingsState;
use crate::settings::field::{Checkbox, Select, TextInput};

/// The main trigger, and the target.
#[component]
pub(in crate::settings) fn MainTriggerSettings(settings: SettingsState) -> impl IntoView {
    let kind = Memo::new(move |_| main_kind(&settings.policy.read()));
    // A match, so that a new kind does not compile until it says which fields it has.
    let fields = move || match kind.get() {
        Some(TriggerKind::Fill) => view! {
            <TextInput settings field=threshold_share() />
            <TextInput settings field=fixed_tokens() />
        }
        .into_any(),
        Some(TriggerKind::Tokens) => {
            view! { <TextInput settings field=threshold_tokens() /> }.into_any()
        }
        Some(TriggerKind::Messages) => {
            view! { <TextInput settings field=threshold_messages() /> }.into_any()
        }
        Some(TriggerKind::Budget) => view! {
            <TextInput settings field=threshold_share() />
            <TextInput settings field=output_reserve() />
            <TextInput settings field=safety_margin() />
        }
        .into_any(),
        Some(TriggerKind::Manual) | None => ().into_any(),
    };
    view! {
        <fieldset class="group when">
            <legend>"When to compact"</legend>
            <Select settings choice=trigger_kind() />
            <div class="fields">
                {fields}
                <TextInput settings field=target() />
                <Show when=move || kind.get() != Some(TriggerKind::Manual)>
                    <Select settings choice=phase() />
                </Show>
            </div>
            <p class="hint">"Percentages are shares of the window."</p>
        </fieldset>
    }
}

/// The triggers with a switch: at request start, and in the tool loop.
#[component]
pub(in crate::settings) fn RequestTriggerSettings(settings: SettingsState) -> impl IntoView {
    let at_request = Memo::new(move |_| request_boundary().read(&settings.policy.read()));
    let in_loop = Memo::new(move |_| reactive().read(&settings.policy.read()));
    view! {
        <Checkbox settings switch=request_boundary() />
        <Show when=move || at_request.get()>
            <div class="fields inset">
                {request_boundary_fields().map(|field| view! { <TextInput settings field /> })}
            </div>
        </Show>
        <Checkbox settings switch=reactive() />
        <Show when=move || in_loop.get()>
            <div class="fields inset">
                {reactive_fields().map(|field| view! { <TextInput settings field /> })}
            </div>
        </Show>
    }
}
