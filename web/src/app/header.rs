//! The name of the page, and the choice of the theme.

use leptos::prelude::*;

use crate::browser::Theme;

/// The header.
#[component]
pub(super) fn Header() -> impl IntoView {
    let theme = RwSignal::new(Theme::chosen());
    let choice = move |option: Theme| {
        let id = format!("theme-{}", option.as_str());
        let choose = move |_| {
            theme.set(option);
            option.apply();
        };
        view! {
            <input
                type="radio"
                name="theme"
                id=id.clone()
                class="visually-hidden"
                prop:checked=move || theme.get() == option
                on:change=choose
            />
            <label for=id>{option.label()}</label>
        }
    };
    view! {
        <header class="header">
            <div class="brand">
                <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
                    <rect width="32" height="32" rx="8" />
                    <path d="M8.5 9.5h15M8.5 16h9.5M8.5 22.5h5" />
                </svg>
                <div>
                    <h1>"epitome"</h1>
                    <p class="tagline">"Keeps long conversations inside the context window."</p>
                </div>
            </div>
            <fieldset class="segmented theme">
                <legend class="visually-hidden">"Theme"</legend>
                {Theme::ALL.map(choice)}
            </fieldset>
        </header>
    }
}
