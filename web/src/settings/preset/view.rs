//! How the preset is shown, and the fields that differ from it.

use leptos::prelude::*;

use super::model::PRESETS;
use crate::browser::focus;
use crate::settings::{Form, SettingsState};

const PRESET: &str = "preset";

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
    let changed = Memo::new(move |_| form.with(|form| !form.changed_fields().is_empty()));
    let agent = move || {
        let agent = form.with(|form| form.agent().to_owned());
        (!agent.is_empty()).then(|| {
            view! {
                <p class="notice">
                    "These are the settings of the agent “" {agent.clone()} "”. "
                    <button
                        type="button"
                        class="link"
                        on:click=move |_| {
                            form.update(|form| form.show_agent(""));
                            focus(PRESET);
                        }
                    >
                        "Back to the settings of all agents"
                    </button>
                </p>
            }
        })
    };
    view! {
        {agent}
        <div class="field preset">
            <label for=PRESET>"Preset"</label>
            <select id=PRESET aria-describedby="preset-about" prop:value=chosen on:change=choose>
                {options}
            </select>
            <p class="hint" id="preset-about">{about}</p>
            <Show when=move || changed.get()>
                <p class="hint">
                    "Your settings differ from it. "
                    <button
                        type="button"
                        class="link"
                        on:click=move |_| {
                            form.update(Form::reset_to_preset);
                            focus(PRESET);
                        }
                    >
                        "Back to the preset"
                    </button>
                </p>
            </Show>
        </div>
    }
}
