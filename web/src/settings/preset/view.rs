//! How the preset is shown, and the fields that differ from it.

use leptos::prelude::*;

use super::model::PRESETS;
use crate::number::{count, plural};
use crate::settings::{Form, SettingsState};

/// The choice of the preset.
#[component]
pub(in crate::settings) fn PresetSettings(settings: SettingsState) -> impl IntoView {
    let form = settings.form;
    let chosen = Memo::new(move |_| form.with(Form::preset));
    let options = PRESETS.map(|preset| {
        let selected = move || chosen.get() == preset.name;
        view! { <option value=preset.name selected=selected>{preset.label}</option> }
    });
    let choose = move |event| {
        let name = event_target_value(&event);
        form.update(|form| form.choose_preset(&name));
    };
    let about = move || {
        let chosen = chosen.get();
        PRESETS.iter().find(|preset| preset.name == chosen).map(|preset| preset.about)
    };
    let changed = Memo::new(move |_| form.with(Form::changed_fields));
    let agent = move || {
        let agent = form.with(|form| form.agent().to_owned());
        (!agent.is_empty()).then(|| {
            view! {
                <p class="notice">
                    "These are the settings of the agent “" {agent.clone()} "”. "
                    <button
                        type="button"
                        class="link"
                        on:click=move |_| form.update(|form| form.show_agent(""))
                    >
                        "Back to the settings of all agents"
                    </button>
                </p>
            }
        })
    };
    let number = move || changed.with(|changed| count(changed.len()));
    view! {
        {agent}
        <div class="field preset">
            <label for="preset">"Preset"</label>
            <select id="preset" aria-describedby="preset-about" prop:value=chosen on:change=choose>
                {options}
            </select>
            <p class="hint" id="preset-about">{about}</p>
            <Show when=move || { number() > 0 }>
                <p class="hint">
                    {move || plural(number(), "setting differs", "settings differ")}
                    " from it: " {move || changed.with(|changed| changed.join(", "))} ". "
                    <button
                        type="button"
                        class="link"
                        on:click=move |_| form.update(Form::reset_to_preset)
                    >
                        "Back to the preset"
                    </button>
                </p>
            </Show>
        </div>
    }
}
