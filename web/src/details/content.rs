//! A part of a message in full: text as it is, JSON set out over lines.

use epitome::message::Part;
use leptos::prelude::*;
use serde_json::Value;

use crate::messages::{SEALED, attachment, leave};
use crate::number::{count, thousands};
use crate::store::Store;

/// Longer texts are shown in part, until the whole is asked for.
const LONGEST: usize = 20_000;
/// Longer JSON is shown as it came: setting it out would be felt.
const LONGEST_JSON: usize = 200_000;

/// A part, under a heading that says what it is.
#[component]
pub(super) fn Content(
    store: Store,
    part: Part,
    /// The name of what was put aside of it.
    aside: Option<String>,
) -> impl IntoView {
    let (heading, text) = match part {
        Part::Text { text } => (None, text),
        Part::Reasoning { text, signature: Some(_) } if text.is_empty() => {
            (Some("Reasoning".to_owned()), SEALED.to_owned())
        }
        Part::Reasoning { text, .. } => (Some("Reasoning".to_owned()), text),
        Part::ToolCall { call, name, arguments } => {
            (Some(format!("Calls {name} · {call}")), pretty(arguments))
        }
        Part::ToolResult { call, name, text } => {
            let of = name.map(|name| format!(" of {name}")).unwrap_or_default();
            (Some(format!("Result{of} · {call}")), pretty(text))
        }
        Part::Approval { granted, .. } => (Some("Approval".to_owned()), leave(granted).to_owned()),
        Part::Image(media) => (Some("Picture".to_owned()), attachment("image", &media)),
        Part::File(media) => (Some("File".to_owned()), attachment("file", &media)),
        Part::Other { kind, characters } => {
            let text = format!("{} characters of JSON", thousands(characters));
            (Some(format!("Kept as it is · {kind}")), text)
        }
    };
    view! {
        <section class="part">
            {heading.map(|heading| view! { <h3>{heading}</h3> })}
            <Text text />
            {aside.map(|path| view! { <Aside store path /> })}
        </section>
    }
}

/// A tool result that was put aside, and the way back to all of it.
#[component]
fn Aside(store: Store, path: String) -> impl IntoView {
    let (open, set_open) = signal(false);
    let name = path.clone();
    let all = move || {
        let all =
            store.read(|session| session.compactor()?.log().offloaded(&path).map(str::to_owned));
        open.get().then(|| view! { <Text text=pretty(all.unwrap_or_default()) /> })
    };
    view! {
        <p class="aside">
            <span class="hint">"Put aside as " <code>{name}</code></span>
            <button
                type="button"
                class="button"
                aria-expanded=move || open.get().to_string()
                on:click=move |_| set_open.update(|open| *open = !*open)
            >
                {move || if open.get() { "Hide it again" } else { "Show all of it" }}
            </button>
        </p>
        <div class="aside-text">{all}</div>
    }
}

#[component]
fn Text(text: String) -> impl IntoView {
    let characters = text.chars().count();
    let (all, set_all) = signal(characters <= LONGEST);
    let text = StoredValue::new(text);
    let shown = move || {
        let limit = if all.get() { usize::MAX } else { LONGEST };
        text.with_value(|text| text.chars().take(limit).collect::<String>())
    };
    let rest = thousands(count(characters));
    view! {
        <div class="part-text">{shown}</div>
        <Show when=move || !all.get()>
            <button type="button" class="button" on:click=move |_| set_all.set(true)>
                {format!("Show all {rest} characters")}
            </button>
        </Show>
    }
}

fn pretty(text: String) -> String {
    if text.len() > LONGEST_JSON || !text.trim_start().starts_with(['{', '[']) {
        return text;
    }
    let parsed = serde_json::from_str::<Value>(&text).ok();
    parsed.and_then(|value| serde_json::to_string_pretty(&value).ok()).unwrap_or(text)
}
