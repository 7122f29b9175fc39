//! What differs from the preset, as JSON and as TypeScript, to copy into an app.

use std::borrow::Cow;

use js_sys::Array;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::field::{Options, options};
use super::{Form, SettingsState};
use crate::browser::copy;
use crate::language::t;

/// The language of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    TypeScript,
    Json,
}

options!(Language {
    TypeScript: "typescript", "TypeScript";
    Json: "json", "JSON";
});

impl Language {
    /// The settings in this language, for an app whose messages have this format.
    fn write(self, form: &Form, format: &str) -> String {
        match self {
            Self::TypeScript => typescript(&form.difference(), format, form.agent()),
            Self::Json => form.difference(),
        }
    }
}

/// TypeScript that creates a compactor with this policy, which is JSON on several lines.
fn typescript(policy: &str, format: &str, agent: &str) -> String {
    let policy: Vec<Cow<'_, str>> = policy.lines().map(without_quotes).collect();
    let policy = policy.join("\n");
    let agent = match agent {
        "" => String::new(),
        agent => format!(", agent: {agent:?}"),
    };
    format!(
        "import {{ createCompactor, type PolicySpec }} from \"epitome\";\n\n\
         const policy: PolicySpec = {policy};\n\n\
         const compactor = await createCompactor({{ format: \"{format}\", policy{agent} }});\n"
    )
}

/// A line of JSON with its key as TypeScript writes it, if it has one that needs no quotes.
fn without_quotes(line: &str) -> Cow<'_, str> {
    let text = line.trim_start();
    let parts = text.strip_prefix('"').and_then(|rest| rest.split_once("\": "));
    let is_name = |key: &str| {
        !key.starts_with(|c: char| c.is_ascii_digit())
            && !key.is_empty()
            && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match parts.filter(|(key, _)| is_name(key)) {
        Some((key, value)) => {
            let indentation = " ".repeat(line.len() - text.len());
            format!("{indentation}{key}: {value}").into()
        }
        None => line.into(),
    }
}

/// The code, with a button that copies it.
#[component]
pub(super) fn Code(
    settings: SettingsState,
    /// The name of the format of the loaded conversation.
    format: Signal<&'static str>,
) -> impl IntoView {
    let language = RwSignal::new(Language::TypeScript);
    let text =
        Memo::new(move |_| settings.form.with(|form| language.get().write(form, format.get())));
    let copied = RwSignal::new(String::new());
    let copy_text = move |_| {
        let text = text.get_untracked();
        spawn_local(async move {
            let result = copy(async move { Ok(Array::of1(&text.into())) }).await;
            copied.set(result.err().unwrap_or_else(|| t!("Copied to the clipboard.").to_owned()));
        });
    };
    let option = move |option: &Language| {
        let option = *option;
        let id = format!("code-{}", option.name());
        let choose = move |_| {
            copied.set(String::new());
            language.set(option);
        };
        view! {
            <input
                type="radio"
                name="code-language"
                id=id.clone()
                class="visually-hidden"
                prop:checked=move || language.get() == option
                on:change=choose
            />
            <label for=id>{option.label()}</label>
        }
    };
    view! {
        <div class="code">
            <div class="code-head">
                <fieldset class="segmented">
                    <legend class="visually-hidden">{t!("Language")}</legend>
                    {Language::ALL.iter().map(option).collect_view()}
                </fieldset>
                <button type="button" class="button" on:click=copy_text>
                    {move || t!("Copy {language}", language = language.get().label())}
                </button>
            </div>
            <pre class="code-text" tabindex="0" role="region" aria-label=t!("Your settings as code")>
                {text}
            </pre>
            <p class="hint" role="status">{copied}</p>
            <p class="hint">
                {t!("The preset, the window, and what differs from the preset. Keys and the summarizer are not in it.")}
            </p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lose_their_quotes_and_values_stay_as_they_are() {
        let policy = "{\n  \"preset\": \"fill\",\n  \"agents\": {\n    \"my agent\": {\n      \"target\": 0.4\n    }\n  },\n  \"prompt\": \"a \\\"b\\\": c\"\n}";
        let expected = "import { createCompactor, type PolicySpec } from \"epitome\";\n\nconst policy: PolicySpec = {\n  preset: \"fill\",\n  agents: {\n    \"my agent\": {\n      target: 0.4\n    }\n  },\n  prompt: \"a \\\"b\\\": c\"\n};\n\nconst compactor = await createCompactor({ format: \"anthropic\", policy, agent: \"my agent\" });\n";
        assert_eq!(typescript(policy, "anthropic", "my agent"), expected);
        for line in ["  \"a\\\": 1\",", "  \"1\": 2", "  \"\": 2", "  ]"] {
            assert_eq!(without_quotes(line), line);
        }
    }
}
