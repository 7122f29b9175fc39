//! The kinds of fields on the page: a text, a choice, a switch, each with what is wrong with it right
//! below.

use leptos::prelude::*;

use crate::form::{Choice, Entry, Switch, Width, place};
use crate::store::Store;

/// A field that is typed.
#[component]
pub(super) fn Field(
    store: Store,
    /// Which one.
    entry: Entry,
    /// More than one line.
    #[prop(optional)]
    lines: Option<u32>,
) -> impl IntoView {
    let id = element_id(&entry.name);
    let error_id = format!("{id}-error");
    let unit_id = format!("{id}-unit");
    let (label, unit) = (entry.label, entry.unit);
    let wide = entry.width == Width::Wide;
    let entry = StoredValue::new(entry);
    let error = Memo::new(move |_| entry.with_value(|entry| problem(store, &entry.name)));
    let text = Memo::new(move |_| {
        let policy = store.policy.read();
        entry.with_value(|entry| store.settings.with(|settings| settings.text(entry, &policy)))
    });
    let write = move |event| {
        let text = event_target_value(&event);
        entry.with_value(|entry| store.settings.update(|settings| settings.take(entry, text)));
    };
    let invalid = move || error.with(Option::is_some).to_string();
    let described = (unit_id.clone(), format!("{unit_id} {error_id}"));
    let described = move || match error.with(Option::is_some) {
        true => described.1.clone(),
        false => described.0.clone(),
    };
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
                error.get().map(|text| view! { <p class="field-error" id=id>{label} " " {text}</p> })
            }}
        </div>
    }
}

/// A field that is one of a few.
#[component]
pub(super) fn Select(
    store: Store,
    /// Which one.
    choice: Choice,
) -> impl IntoView {
    let id = element_id(&format!("{}-choice", choice.name));
    let (label, options) = (choice.label, choice.options);
    let choice = StoredValue::new(choice);
    let chosen = Memo::new(move |_| choice.with_value(|choice| choice.read(&store.policy.read())));
    let other = move || {
        let known = options.iter().any(|(name, _)| *name == chosen.get());
        (!known).then(
            || view! { <option value="other" selected>"Something else: see the JSON"</option> },
        )
    };
    let options = options.iter().map(|(name, label)| {
        view! { <option value=*name selected=move || chosen.get() == *name>{*label}</option> }
    });
    let choose = move |event| {
        let name = event_target_value(&event);
        choice.with_value(|choice| {
            store.settings.update(|settings| {
                // What was typed beside it was meant for what was chosen before.
                settings.forget(&choice.name);
                settings.edit(|policy| choice.write(policy, &name));
            });
        });
    };
    view! {
        <div class="field wide">
            <label for=id.clone()>{label}</label>
            <select id=id prop:value=chosen on:change=choose>
                {other}
                {options.collect_view()}
            </select>
        </div>
    }
}

/// A field that is on or off.
#[component]
pub(super) fn Toggle(
    store: Store,
    /// Which one.
    switch: Switch,
) -> impl IntoView {
    let id = element_id(&switch.name);
    let hint_id = format!("{id}-hint");
    let (label, hint) = (switch.label, switch.hint);
    let switch = StoredValue::new(switch);
    let on = Memo::new(move |_| switch.with_value(|switch| switch.read(&store.policy.read())));
    let turn = move |event| {
        let on = event_target_checked(&event);
        switch.with_value(|switch| {
            store.settings.update(|settings| {
                settings.forget(&format!("{}.", switch.name));
                settings.edit(|policy| switch.write(policy, on));
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
            <p class="hint" id=hint_id>{hint}</p>
        </div>
    }
}

fn element_id(name: &str) -> String {
    format!("field-{}", name.replace('.', "-"))
}

/// What is wrong with a field.
fn problem(store: Store, name: &str) -> Option<String> {
    let error = store.form_error.get()?;
    let holds = error.field == name || place(&store.policy.read(), &error.field) == name;
    holds.then(|| format!("{}.", error.problem.trim_end_matches('.')))
}
