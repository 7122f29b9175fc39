//! How fields are shown: a text input, a select, a checkbox, each with its error right below.

use leptos::prelude::*;

use super::model::Extent;
use super::{Choice, OTHER, Switch, TextField};
use crate::language::t;
use crate::settings::SettingsState;
use crate::settings::error_field::form_field;

/// Where fields are shown, as the beginning of their ids: the same field may be in view at two places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place(pub(crate) &'static str);

/// A field that is typed.
#[component]
pub(crate) fn TextInput(
    settings: SettingsState,
    /// The field.
    field: TextField,
) -> impl IntoView {
    let id = element_id(&field.name);
    let error_id = format!("{id}-error");
    let hint_id = format!("{id}-hint");
    let (label, unit, about) = (field.label, field.unit, field.about);
    let (wide, lines) = match field.extent {
        Extent::Number => (false, None),
        Extent::Line => (true, None),
        Extent::Lines(lines) => (true, Some(lines)),
    };
    let field = StoredValue::new(field);
    let error = Memo::new(move |_| field.with_value(|field| problem(settings, &field.name)));
    let text = Memo::new(move |_| {
        let policy = settings.policy.read();
        field.with_value(|field| settings.form.with(|form| form.text(field, &policy)))
    });
    let write = move |event| {
        let text = event_target_value(&event);
        field.with_value(|field| settings.form.update(|form| form.set_text(field, text)));
    };
    let invalid = move || error.with(Option::is_some).to_string();
    let unit_id = format!("{id}-unit");
    let usual = format!("{unit_id} {hint_id}");
    let with_error = format!("{usual} {error_id}");
    let described =
        move || if error.with(Option::is_some) { with_error.clone() } else { usual.clone() };
    let input = match lines {
        Some(lines) => view! {
            <textarea
                id=id.clone()
                rows=lines.to_string()
                prop:value=text
                aria-invalid=invalid
                aria-describedby=described
                on:input=write
            ></textarea>
        }
        .into_any(),
        None => view! {
            <div class="field-input">
                <input
                    id=id.clone()
                    type="text"
                    inputmode=if unit.is_empty() { "text" } else { "decimal" }
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=text
                    aria-invalid=invalid
                    aria-describedby=described
                    on:input=write
                />
                <span class="unit" id=unit_id>{unit}</span>
            </div>
        }
        .into_any(),
    };
    view! {
        <div class="field" class:wide=wide>
            <label for=id>{label}</label>
            {input}
            {move || {
                let id = error_id.clone();
                error.get().map(|problem| {
                    let words = t!("{field} {problem}.", field = label, problem);
                    view! { <p class="field-error" id=id>{words}</p> }
                })
            }}
            <p class="hint" id=hint_id>{about}</p>
        </div>
    }
}

/// A field that is one of a few options.
#[component]
pub(crate) fn Select(
    settings: SettingsState,
    /// The field.
    choice: Choice,
) -> impl IntoView {
    let id = element_id(&format!("{}-choice", choice.name));
    let hint_id = format!("{id}-hint");
    let (label, options, about) = (choice.label, choice.options, choice.about);
    let choice = StoredValue::new(choice);
    let chosen =
        Memo::new(move |_| choice.with_value(|choice| choice.read(&settings.policy.read())));
    let other = move || {
        (chosen.get() == OTHER).then(
            || view! { <option value=OTHER selected>{t!("Something else: see the JSON")}</option> },
        )
    };
    let options = options().into_iter().map(|(name, label)| {
        view! { <option value=name selected=move || chosen.get() == name>{label}</option> }
    });
    let choose = move |event| {
        let name = event_target_value(&event);
        choice.with_value(|choice| {
            settings.form.update(|form| {
                // Text in the dependent fields belongs to the option that was chosen before.
                form.discard_text(&choice.name);
                form.edit(|policy| choice.write(policy, &name));
            });
        });
    };
    view! {
        <div class="field wide">
            <label for=id.clone()>{label}</label>
            <select id=id aria-describedby=hint_id.clone() prop:value=chosen on:change=choose>
                {other}
                {options.collect_view()}
            </select>
            <p class="hint" id=hint_id>{about}</p>
        </div>
    }
}

/// A field that is on or off.
#[component]
pub(crate) fn Checkbox(
    settings: SettingsState,
    /// The field.
    switch: Switch,
) -> impl IntoView {
    let id = element_id(&format!("{}-switch", switch.name));
    let hint_id = format!("{id}-hint");
    let (label, about) = (switch.label, switch.about);
    let switch = StoredValue::new(switch);
    let on = Memo::new(move |_| switch.with_value(|switch| switch.read(&settings.policy.read())));
    let turn = move |event| {
        let on = event_target_checked(&event);
        switch.with_value(|switch| {
            settings.form.update(|form| {
                form.discard_text(&switch.name);
                form.edit(|policy| switch.write(policy, on));
            });
        });
    };
    view! {
        <div class="option">
            <input
                type="checkbox"
                id=id.clone()
                aria-describedby=hint_id.clone()
                prop:checked=on
                on:change=turn
            />
            <label for=id>{label}</label>
            <p class="hint" id=hint_id>{about}</p>
        </div>
    }
}

/// The id of a field's element at the place where it is shown.
pub(crate) fn element_id(name: &str) -> String {
    let Place(place) = use_context().unwrap_or(Place("field"));
    format!("{place}-{}", name.replace('.', "-"))
}

/// The error of a field, as the end of a sentence that begins with its label, without the full stop.
pub(crate) fn problem(settings: SettingsState, name: &str) -> Option<String> {
    let error = settings.error.get()?;
    let here = error.field == name || form_field(&settings.policy.read(), &error.field) == name;
    here.then(|| error.problem.trim_end_matches('.').to_owned())
}
