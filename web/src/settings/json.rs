//! Every setting as JSON, to read, to change and to keep.

use leptos::prelude::*;

use crate::form::Settings;
use crate::store::Store;

/// The settings as a text, and whose they are.
#[component]
pub(super) fn Json(store: Store) -> impl IntoView {
    let draft = RwSignal::new(None::<String>);
    let problem = RwSignal::new(None::<String>);
    let text = move || draft.get().unwrap_or_else(|| store.settings.with(Settings::json));
    let changed = move || draft.with(Option::is_some);
    let apply = move |_| {
        let text = draft.get_untracked().unwrap_or_default();
        let taken = store.settings.try_update(|settings| settings.take_json(&text));
        match taken {
            Some(Ok(())) => {
                draft.set(None);
                problem.set(None);
                store.announce("The settings are in force.");
            }
            Some(Err(told)) => problem.set(Some(told)),
            None => {}
        }
    };
    let discard = move |_| {
        draft.set(None);
        problem.set(None);
    };
    view! {
        <Agent store />
        <div class="field">
            <label for="all-settings">"All settings as JSON"</label>
            <textarea
                id="all-settings"
                rows="14"
                spellcheck="false"
                autocomplete="off"
                prop:value=text
                aria-invalid=move || problem.with(Option::is_some).to_string()
                aria-describedby="all-settings-hint all-settings-error"
                on:input=move |event| draft.set(Some(event_target_value(&event)))
            ></textarea>
            <p class="field-error" id="all-settings-error" role="status">{problem}</p>
            <div class="result-actions">
                <button type="button" class="button" disabled=move || !changed() on:click=apply>
                    "Apply"
                </button>
                <button type="button" class="button quiet" disabled=move || !changed() on:click=discard>
                    "Discard"
                </button>
            </div>
            <p class="hint" id="all-settings-hint">
                "Leave a line out, and the preset’s value holds. The page and the npm package take the "
                "same text as a policy."
            </p>
        </div>
    }
}

/// Whose settings are shown.
#[component]
fn Agent(store: Store) -> impl IntoView {
    let agent = move || store.settings.with(|settings| settings.agent().to_owned());
    let known = move || {
        let names = store.settings.with(|settings| settings.agents().cloned().collect::<Vec<_>>());
        names.into_iter().map(|name| view! { <option value=name></option> }).collect_view()
    };
    let choose = move |event| {
        let name = event_target_value(&event);
        store.settings.update(|settings| settings.show(&name));
    };
    view! {
        <div class="field">
            <label for="agent">"Agent " <span class="optional">"(optional)"</span></label>
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
                "With a name here, the form shows and changes the settings of that agent alone."
            </p>
        </div>
    }
}
