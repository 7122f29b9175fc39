//! The context window.

use epitome::Policy;
use leptos::prelude::*;

use super::SettingsState;
use super::field::number::whole;
use super::field::{TextField, TextInput};
use crate::language::t;

/// Common context windows.
const WINDOWS: [(u32, &str); 5] =
    [(8_000, "8k"), (32_000, "32k"), (128_000, "128k"), (200_000, "200k"), (1_000_000, "1M")];

/// The context window of the model.
pub(super) fn window() -> TextField {
    let read = |policy: &Policy| policy.window.to_string();
    TextField::new("window", t!("Window of the model"), t!("tokens"), read, |policy, text| {
        policy.window = whole(text)?;
        Ok(())
    })
    .about(t!("How many tokens the model can read at once."))
}

/// A window that a conversation of `tokens` overflows: 60 % of it.
pub(crate) fn tight_window(tokens: u32) -> u32 {
    let window = u64::from(tokens) * 6 / 10;
    u32::try_from(window.max(1)).unwrap_or(u32::MAX)
}

/// The window, with common sizes to choose.
#[component]
pub(super) fn WindowSettings(
    settings: SettingsState,
    /// Tokens of the loaded conversation.
    tokens: Signal<Option<u32>>,
) -> impl IntoView {
    let set = move |window: u32| settings.form.update(|form| form.set_window(window));
    let common = move |(window, label): (u32, &'static str)| {
        let chosen = move || (settings.policy.read().window == window).to_string();
        view! {
            <button type="button" class="chip" aria-pressed=chosen on:click=move |_| set(window)>
                {label} <span class="visually-hidden">" " {t!("tokens")}</span>
            </button>
        }
    };
    let tighten = move |_| {
        if let Some(tokens) = tokens.get_untracked() {
            set(tight_window(tokens));
        }
    };
    view! {
        <fieldset class="group">
            <legend>{t!("Window")}</legend>
            <TextInput settings field=window() />
            <div class="chips">
                {WINDOWS.map(common)}
                <button type="button" class="chip" on:click=tighten>
                    {t!("60 % of this conversation")}
                </button>
            </div>
        </fieldset>
    }
}
