//! A part of a message in full: text as it is, JSON with line breaks.

use epitome::message::Part;
use leptos::prelude::*;
use serde_json::Value;

use super::picture::Picture;
use crate::direction::marked;
use crate::language::t;
use crate::messages::{approval, attachment, signed_reasoning};
use crate::number::{count, thousands};
use crate::store::Store;

/// The characters of a longer text that are shown at first.
const LONGEST: usize = 20_000;
/// Longer JSON is shown as it is, because formatting it would block the page.
const LONGEST_JSON: usize = 200_000;

/// A part, with its kind as a heading.
#[component]
pub(super) fn Content(
    store: Store,
    part: Part,
    /// The path of the offloaded tool result.
    offloaded: Option<String>,
    /// Of an image: the picture as a data URL, if the message has its data.
    picture: Option<String>,
) -> impl IntoView {
    let (heading, text) = match part {
        Part::Text { text } => (None, text),
        Part::Reasoning { text, signature: Some(_) } if text.is_empty() => {
            (Some(t!("Reasoning").to_owned()), signed_reasoning().to_owned())
        }
        Part::Reasoning { text, .. } => (Some(t!("Reasoning").to_owned()), text),
        Part::ToolCall { call, name, arguments } => {
            (Some(t!("Calls {name} · {call}", name, call)), pretty(arguments))
        }
        Part::ToolResult { call, name, text } => {
            let heading = match name {
                Some(name) => t!("Result of {name} · {call}", name, call),
                None => t!("Result · {call}", call),
            };
            (Some(heading), pretty(text))
        }
        Part::Approval { granted, .. } => {
            (Some(t!("Approval").to_owned()), approval(granted).to_owned())
        }
        Part::Image(media) => return view! { <Picture store media data=picture /> }.into_any(),
        Part::File(media) => (Some(t!("File").to_owned()), attachment(t!("file"), &media)),
        Part::Other { kind, characters } => {
            let text = t!("{characters} characters of JSON", characters = thousands(characters));
            (Some(t!("Passed through · {kind}", kind)), text)
        }
    };
    view! {
        <section class="part">
            {heading.map(|heading| view! { <h3>{heading}</h3> })}
            <Text text />
            {offloaded.map(|path| view! { <Offloaded store path /> })}
        </section>
    }
    .into_any()
}

/// An offloaded tool result, with a button that shows all of it.
#[component]
fn Offloaded(store: Store, path: String) -> impl IntoView {
    let (open, set_open) = signal(false);
    let name = path.clone();
    let all = move || {
        let all =
            store.read(|session| session.compactor()?.log().offloaded(&path).map(str::to_owned));
        open.get().then(|| view! { <Text text=pretty(all.unwrap_or_default()) /> })
    };
    view! {
        <p class="aside">
            <span class="hint">{t!("Offloaded to")} " " <code>{name}</code></span>
            <button
                type="button"
                class="button"
                aria-expanded=move || open.get().to_string()
                on:click=move |_| set_open.update(|open| *open = !*open)
            >
                {move || if open.get() { t!("Hide it") } else { t!("Show all of it") }}
            </button>
        </p>
        <div class="aside-text">{all}</div>
    }
}

#[component]
fn Text(text: String) -> impl IntoView {
    let text = marked(&text).into_owned();
    let characters = text.chars().count();
    let (all, set_all) = signal(characters <= LONGEST);
    let text = StoredValue::new(text);
    let shown = move || {
        let limit = if all.get() { usize::MAX } else { LONGEST };
        text.with_value(|text| text.chars().take(limit).collect::<String>())
    };
    let rest = thousands(count(characters));
    view! {
        <div class="part-text" dir="auto">{shown}</div>
        <Show when=move || !all.get()>
            <button type="button" class="button" on:click=move |_| set_all.set(true)>
                {t!("Show all {characters} characters", characters = rest)}
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
