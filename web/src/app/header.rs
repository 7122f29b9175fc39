//! What the page is, how to use it in an app, and the choices of language and theme.

use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser::{Theme, choose_language, copy};
use crate::language::{Language, t};
use crate::shortcuts;
use crate::store::Store;

/// How the package is installed.
const INSTALL: &str = "npm install epitome";

/// Where the source is, once the workspace names a public address.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// The header.
#[component]
pub(super) fn Header(store: Store) -> impl IntoView {
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
    let copy_install = move |_| {
        spawn_local(async move {
            let copied = copy(async { Ok(Array::of1(&INSTALL.into())) }).await;
            let copied = copied.err().unwrap_or_else(|| t!("Copied to the clipboard.").to_owned());
            store.announce(copied);
        });
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
                    <p class="tagline">
                        {t!("Keeps long conversations inside the context window of a model: a library in Rust for the browser and Node.")}
                    </p>
                </div>
            </div>
            <div class="header-links">
                <button type="button" class="install" title=t!("Copy") on:click=copy_install>
                    <code>{INSTALL}</code>
                </button>
                <a href="docs/index.html" title=t!("How to use the package, and all of its functions")>{t!("Docs")}</a>
                {(!REPOSITORY.is_empty())
                    .then(|| view! { <a href=REPOSITORY>{t!("Repository")}</a> })}
                <a href="chat/">{t!("Chat app")}</a>
                <a href="#doctor" title=t!("Why was a request refused?")>{t!("Doctor")}</a>
                <a href="#lab" title=t!("Strategies and packages, side by side")>{t!("Lab")}</a>
                <button type="button" class="link keys-link" on:click=move |_| shortcuts::show()>
                    {t!("Keys")}
                </button>
                <LanguageMenu />
                <fieldset class="segmented theme">
                    <legend class="visually-hidden">{t!("Theme")}</legend>
                    {Theme::ALL.map(choice)}
                </fieldset>
            </div>
        </header>
    }
}

/// The languages of the page. Each is a page of its own, which goes on with what the browser keeps.
#[component]
fn LanguageMenu() -> impl IntoView {
    let now = Language::of_page();
    let link = |language: Language| {
        let (code, document) = (language.code(), language.document());
        view! {
            <li>
                <a
                    href=document
                    lang=code
                    hreflang=code
                    aria-current=(language == now).then_some("true")
                    on:click=move |event| choose_language(&event, code, document)
                >
                    {language.title()}
                </a>
            </li>
        }
    };
    view! {
        <details class="menu language">
            <summary class="button" title=t!("Language")>
                <svg class="language-mark" viewBox="0 0 20 20" aria-hidden="true">
                    <circle cx="10" cy="10" r="7.5" />
                    <path d="M2.5 10h15M10 2.5c-5 4.5-5 10.5 0 15M10 2.5c5 4.5 5 10.5 0 15" />
                </svg>
                <span class="visually-hidden">{t!("Language")} ": "</span>
                <span class="language-name">{now.title()}</span>
            </summary>
            <ul class="menu-body card">{Language::ALL.map(link)}</ul>
        </details>
    }
}
