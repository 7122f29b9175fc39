//! The preset to begin with, and how far the settings are from it.

use leptos::prelude::*;

use crate::form::PRESETS;
use crate::number::{count, plural, thousands};
use crate::store::Store;

/// The choice of the preset.
#[component]
pub(super) fn PresetSettings(store: Store) -> impl IntoView {
    let chosen = Memo::new(move |_| store.settings.with(crate::form::Settings::preset));
    let options = PRESETS.map(|preset| {
        let selected = move || chosen.get() == preset.name;
        view! { <option value=preset.name selected=selected>{preset.label}</option> }
    });
    let choose = move |event| {
        let name = event_target_value(&event);
        store.settings.update(|settings| settings.choose(&name));
    };
    let about = move || {
        let chosen = chosen.get();
        PRESETS.iter().find(|preset| preset.name == chosen).map(|preset| preset.about)
    };
    let widened = move || {
        let former = store.settings.with(crate::form::Settings::widened)?;
        let now = store.policy.read().window;
        Some(format!(
            " It cannot work in a window of {}, so the window is {} now.",
            thousands(former),
            thousands(now)
        ))
    };
    let own = Memo::new(move |_| store.settings.with(crate::form::Settings::own));
    let agent = move || {
        let agent = store.settings.with(|settings| settings.agent().to_owned());
        (!agent.is_empty()).then(|| {
            view! {
                <p class="notice">
                    "These are the settings of the agent “" {agent.clone()} "”. "
                    <button
                        type="button"
                        class="link"
                        on:click=move |_| store.settings.update(|settings| settings.show(""))
                    >
                        "Back to everybody’s"
                    </button>
                </p>
            }
        })
    };
    view! {
        {agent}
        <div class="field preset">
            <label for="preset">"Preset"</label>
            <select id="preset" aria-describedby="preset-about" prop:value=chosen on:change=choose>
                {options}
            </select>
            <p class="hint" id="preset-about">{about} {widened}</p>
            <Show when=move || own.with(|own| !own.is_empty())>
                <p class="hint">
                    {move || own.with(|own| plural(count(own.len()), "setting differs", "settings differ"))}
                    " from it: " {move || own.with(|own| own.join(", "))} ". "
                    <button
                        type="button"
                        class="link"
                        on:click=move |_| store.settings.update(crate::form::Settings::clear)
                    >
                        "Back to the preset"
                    </button>
                </p>
            </Show>
        </div>
    }
}
