//! A labelled input of the policy's form, with what is wrong with it right below.

use leptos::prelude::*;

use crate::store::{Form, Store};

/// One number of the form, as typed.
#[component]
pub(super) fn Field(
    store: Store,
    /// Name of the policy's field, which errors carry.
    name: &'static str,
    /// What it is called.
    label: &'static str,
    /// What it is counted in.
    unit: &'static str,
    /// Reads it from the form.
    read: fn(&Form) -> &String,
    /// Writes it to the form.
    write: fn(&mut Form) -> &mut String,
) -> impl IntoView {
    let id = format!("field-{}", name.replace('.', "-"));
    let error_id = format!("{id}-error");
    let error = Memo::new(move |_| problem(store, name));
    let described = error_id.clone();
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <div class="field-input">
                <input
                    id=id
                    type="text"
                    inputmode="decimal"
                    autocomplete="off"
                    prop:value=move || store.form.with(|form| read(form).clone())
                    aria-invalid=move || error.with(Option::is_some).to_string()
                    aria-describedby=move || error.with(Option::is_some).then(|| described.clone())
                    on:input=move |event| {
                        store.form.update(|form| *write(form) = event_target_value(&event));
                    }
                />
                <span class="unit">{unit}</span>
            </div>
            {move || {
                let id = error_id.clone();
                error.get().map(|text| view! { <p class="field-error" id=id>{label} " " {text}</p> })
            }}
        </div>
    }
}

/// What is wrong with a field of the policy.
fn problem(store: Store, name: &str) -> Option<String> {
    let error = store.form_error.get()?;
    let holds = error.field == name;
    holds.then(|| format!("{}.", error.problem.trim_end_matches('.')))
}
