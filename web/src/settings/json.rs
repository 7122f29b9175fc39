//! All settings as JSON, to read, edit and copy; and the choice of the agent whose settings are shown.

use leptos::prelude::*;

use super::{Form, SettingsState};
use crate::browser::focus;
use crate::language::t;

const TEXT: &str = "all-settings";

/// The settings as JSON.
#[component]
pub(super) fn JsonSettings(settings: SettingsState) -> impl IntoView {
    let edited = RwSignal::new(None::<String>);
    let problem = RwSignal::new(None::<String>);
    let applied = RwSignal::new(false);
    let text = move || edited.get().unwrap_or_else(|| settings.form.with(Form::json));
    let changed = move || edited.with(Option::is_some);
    let discard = move || {
        edited.set(None);
        problem.set(None);
        // The buttons cannot have the focus any more.
        focus(TEXT);
    };
    let apply = move |_| {
        let text = edited.get_untracked().unwrap_or_default();
        match settings.form.try_update(|form| form.apply_json(&text)) {
            Some(Ok(())) => {
                discard();
                applied.set(true);
            }
            Some(Err(error)) => problem.set(Some(error)),
            None => {}
        }
    };
    view! {
        <div class="field">
            <label for=TEXT>{t!("All settings as JSON")}</label>
            <textarea
                id=TEXT
                rows="14"
                spellcheck="false"
                autocomplete="off"
                prop:value=text
                aria-invalid=move || problem.with(Option::is_some).to_string()
                aria-describedby="all-settings-hint all-settings-error"
                on:input=move |event| {
                    applied.set(false);
                    edited.set(Some(event_target_value(&event)));
                }
            ></textarea>
            <p class="field-error" id="all-settings-error" role="status">{problem}</p>
            <p class="hint" role="status">
                {move || applied.get().then(|| t!("The settings are applied."))}
            </p>
            <div class="result-actions">
                <button type="button" class="button" disabled=move || !changed() on:click=apply>
                    {t!("Apply")}
                </button>
                <button type="button" class="button quiet" disabled=move || !changed() on:click=move |_| discard()>
                    {t!("Discard")}
                </button>
            </div>
            <p class="hint" id="all-settings-hint">
                {t!("A field that you leave out has the preset’s value. The npm package accepts the same JSON as a policy.")}
            </p>
        </div>
    }
}

/// The agent whose settings are shown.
#[component]
pub(super) fn Agent(settings: SettingsState) -> impl IntoView {
    let form = settings.form;
    let agent = move || form.with(|form| form.agent().to_owned());
    let known = move || {
        let names = form.with(|form| form.agents().cloned().collect::<Vec<_>>());
        names.into_iter().map(|name| view! { <option value=name></option> }).collect_view()
    };
    let choose = move |event| {
        let name = event_target_value(&event);
        form.update(|form| form.show_agent(&name));
    };
    view! {
        <div class="field">
            <label for="agent">{t!("Agent")} " " <span class="optional">{t!("(optional)")}</span></label>
            <input
                id="agent"
                type="text"
                list="agents"
                autocomplete="off"
                spellcheck="false"
                aria-describedby="agent-hint"
                prop:value=agent
                on:change=choose
            />
            <datalist id="agents">{known}</datalist>
            <p class="hint" id="agent-hint">
                {t!("With a name here, the form shows and changes only the settings of that agent.")}
            </p>
        </div>
    }
}
