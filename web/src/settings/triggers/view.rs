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
    let is = move |wanted: TriggerKind| move || kind.get() == Some(wanted);
    let share = move || matches!(kind.get(), Some(TriggerKind::Fill | TriggerKind::Budget));
    view! {
        <fieldset class="group when">
            <legend>"When to compact"</legend>
            <Select settings choice=trigger_kind() />
            <div class="fields">
                <Show when=share>
                    <TextInput settings field=threshold_share() />
                </Show>
                <Show when=is(TriggerKind::Tokens)>
                    <TextInput settings field=threshold_tokens() />
                </Show>
                <Show when=is(TriggerKind::Messages)>
                    <TextInput settings field=threshold_messages() />
                </Show>
                <Show when=is(TriggerKind::Fill)>
                    <TextInput settings field=fixed_tokens() />
                </Show>
                <Show when=is(TriggerKind::Budget)>
                    <TextInput settings field=output_reserve() />
                    <TextInput settings field=safety_margin() />
                </Show>
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
