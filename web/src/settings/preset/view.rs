//! How the preset is shown, and the fields that differ from it.

use epitome::policy::PRESETS;
use leptos::prelude::*;

use super::model::{preset_about, preset_label};
use crate::browser::focus;
use crate::language::t;
use crate::settings::{Form, SettingsState};

const PRESET: &str = "preset";

/// The choice of the preset.
#[component]
pub(in crate::settings) fn PresetSettings(settings: SettingsState) -> impl IntoView {
    let form = settings.form;
    let chosen = Memo::new(move |_| form.with(Form::preset));
    let options = PRESETS.map(|preset| {
        let selected = move || chosen.get() == preset;
        view! { <option value=preset selected=selected>{preset_label(preset)}</option> }
    });
    let choose = move |event| {
        let name = event_target_value(&event);
        form.update(|form| form.choose_preset(&name));
    };
    let about = move || preset_about(&chosen.get());
    let changed = Memo::new(move |_| form.with(|form| !form.changed_fields().is_empty()));
    let agent = move || {
        let agent = form.with(|form| form.agent().to_owned());
        (!agent.is_empty()).then(|| {
            view! {
                <p class="notice">
                    {t!("These are the settings of the agent “{agent}”.", agent)} " "
                    <button
                        type="button"
                        class="link"
                        on:click=move |_| {
                            form.update(|form| form.show_agent(""));
                            focus(PRESET);
                        }
                    >
                        {t!("Back to the settings of all agents")}
                    </button>
                </p>
            }
        })
    };
    view! {
        {agent}
        <div class="field preset">
            <label for=PRESET>{t!("Preset")}</label>
            <select id=PRESET aria-describedby="preset-about" prop:value=chosen on:change=choose>
                {options}
            </select>
            <p class="hint" id="preset-about">{about}</p>
            <Show when=move || changed.get()>
                <p class="hint">
                    {t!("Your settings differ from it.")} " "
                    <button
                        type="button"
                        class="link"
                        on:click=move |_| {
                            form.update(Form::reset_to_preset);
                            focus(PRESET);
                        }
                    >
                        {t!("Back to the preset")}
                    </button>
                </p>
            </Show>
        </div>
    }
}
