//! The window, and what stays of its end.

use leptos::prelude::*;

use super::field::{Field, Select};
use crate::form::{keep_amount, keep_kind, window};
use crate::load::tight_window;
use crate::store::Store;

/// Windows of models people use.
const WINDOWS: [(u32, &str); 5] =
    [(8_000, "8k"), (32_000, "32k"), (128_000, "128k"), (200_000, "200k"), (1_000_000, "1M")];

/// The window of the model.
#[component]
pub(super) fn Window(store: Store) -> impl IntoView {
    let set = move |window: u32| store.settings.update(|settings| settings.set_window(window));
    let usual = move |(window, label): (u32, &'static str)| {
        let chosen = move || (store.policy.read().window == window).to_string();
        view! {
            <button type="button" class="chip" aria-pressed=chosen on:click=move |_| set(window)>
                {label} <span class="visually-hidden">" tokens"</span>
            </button>
        }
    };
    let tighten = move |_| {
        let tokens = store.pressure.with_untracked(|pressure| pressure.map(|p| p.tokens));
        if let Some(tokens) = tokens {
            set(tight_window(tokens));
        }
    };
    view! {
        <fieldset class="group">
            <legend>"Window"</legend>
            <Field store entry=window() />
            <div class="chips">
                {WINDOWS.map(usual)}
                <button type="button" class="chip" on:click=tighten>
                    "60 % of this conversation"
                </button>
            </div>
        </fieldset>
    }
}

/// The tail.
#[component]
pub(super) fn Keep(store: Store) -> impl IntoView {
    view! {
        <fieldset class="group">
            <legend>"Keep the end"</legend>
            <div class="fields">
                <Field store entry=keep_amount() />
                <Select store choice=keep_kind() />
            </div>
        </fieldset>
    }
}
