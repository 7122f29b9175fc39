//! One setting of the sheet, with the settings that depend on it below.

use epitome::Policy;
use leptos::prelude::*;

use crate::browser::focus;
use crate::language::t;
use crate::settings::SettingsState;
use crate::settings::field::{Checkbox, Select, TextInput, element_id};
use crate::settings::setting::{Field, Setting};

/// The row of a setting, as long as it has a meaning. `preset` is the policy without changes.
pub(super) fn row(settings: SettingsState, preset: Memo<Policy>, setting: Setting) -> AnyView {
    let parts = StoredValue::new(setting.parts.clone());
    let has_parts = !setting.parts.is_empty();
    let setting = StoredValue::new(setting);
    let policy = settings.policy;
    let applies = Memo::new(move |_| setting.with_value(|setting| setting.applies(&policy.read())));
    let changed = Memo::new(move |_| {
        let (policy, preset) = (policy.read(), preset.read());
        setting.with_value(|setting| {
            settings.form.with(|form| setting.is_changed(form, &policy, &preset))
        })
    });
    let field = move || setting.with_value(|setting| control(settings, setting.field.clone()));
    let dependent = move || {
        let rows = parts.get_value().into_iter().map(|part| row(settings, preset, part));
        has_parts.then(|| view! { <div class="dependent">{rows.collect_view()}</div> })
    };
    view! {
        <Show when=move || applies.get()>
            <div class="setting">
                <div class="setting-field" class:changed=changed>
                    {field()}
                    <Show when=move || changed.get()>
                        <Reset settings preset setting />
                    </Show>
                </div>
                {dependent()}
            </div>
        </Show>
    }
    .into_any()
}

fn control(settings: SettingsState, field: Field) -> AnyView {
    match field {
        Field::Text(field) => view! { <TextInput settings field /> }.into_any(),
        Field::Choice(choice) => view! { <Select settings choice /> }.into_any(),
        Field::Switch(switch) => view! { <Checkbox settings switch /> }.into_any(),
    }
}

/// What the preset has, and the button that takes a change back.
#[component]
fn Reset(
    settings: SettingsState,
    preset: Memo<Policy>,
    setting: StoredValue<Setting>,
) -> impl IntoView {
    let (label, id) = setting.with_value(|setting| {
        let field = &setting.field;
        let id = match field {
            Field::Text(text) => element_id(&text.name),
            Field::Choice(choice) => element_id(&format!("{}-choice", choice.name)),
            Field::Switch(switch) => element_id(&format!("{}-switch", switch.name)),
        };
        (field.label(), id)
    });
    let form = settings.form;
    let usual = move || {
        let value = setting.with_value(|setting| setting.field.value(&preset.read()));
        match form.with(|form| form.agent().is_empty()) {
            true => t!("Preset: {value}", value),
            false => t!("All agents: {value}", value),
        }
    };
    let reset = move |_| {
        setting.with_value(|setting| {
            form.update(|form| setting.reset(form, &preset.get_untracked()));
        });
        // The button is gone then.
        focus(&id);
    };
    view! {
        <p class="setting-change">
            <span class="badge" data-action="summarized">{t!("changed")}</span>
            <span>{usual}</span>
            <button type="button" class="link" on:click=reset>
                {t!("Reset")} <span class="visually-hidden">" " {t!("“{label}”", label)}</span>
            </button>
        </p>
    }
}
