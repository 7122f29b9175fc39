//! The search in the messages, also in those that are only in the history, and what else the list is limited to.

use leptos::prelude::*;

use super::MESSAGES;
use super::layout::Layout;
use crate::browser::{focus, has_focus, scroll_to_start};
use crate::label::role_label;
use crate::language::t;
use crate::number::{count, plural};
use crate::store::{Filter, Kind, Perspective, Store, Treatment};

/// The id of the field.
const SEARCH: &str = "message-search";

/// Goes to the field, and has what it finds in view.
pub(crate) fn begin_search() {
    focus(SEARCH);
    scroll_to_start(MESSAGES);
}

/// Keeps what is searched for in view while it is typed: what is found moves it, where the page has no more room below.
pub(super) fn show_matches() {
    if has_focus(SEARCH) {
        scroll_to_start(MESSAGES);
    }
}

/// The field, and what the list is limited to.
#[component]
pub(super) fn Search(store: Store, layout: Memo<Layout>) -> impl IntoView {
    let words = move || store.filter.with(|filter| filter.words.clone());
    let search = move |event| {
        let words = event_target_value(&event);
        if store.filter.with_untracked(|filter| filter.words.is_empty()) {
            scroll_to_start(MESSAGES);
        }
        store.filter.update(|filter| filter.words = words);
    };
    let clear = move |_| {
        store.filter.set(Filter::default());
        focus(SEARCH);
    };
    let limits = move || {
        let Filter { kind, treatment, span, .. } = store.filter.get();
        let mut found = plural(count(layout.with(Layout::messages)), "message", "messages");
        found = match kind {
            Some(Kind::Of(role)) => {
                t!("{messages} of role {role}", messages = found, role = role_label(role))
            }
            Some(Kind::Pinned) => t!("{messages} that are pinned", messages = found),
            Some(Kind::Reasoning) => t!("{messages} with reasoning", messages = found),
            Some(Kind::Images) => t!("{messages} with images", messages = found),
            None => found,
        };
        if let Some(treatment) = treatment {
            found = those(treatment, &found);
        }
        if span.is_some() {
            found = t!("{messages}, chosen in the picture", messages = found);
        }
        found
    };
    let is_limited = move || store.filter.with(|filter| filter.treatment == Some(Treatment::Gone));
    let limit = move |_| {
        let treatment = (!is_limited()).then_some(Treatment::Gone);
        store.perspective.set(Perspective::Conversation);
        store.filter.update(|filter| filter.treatment = treatment);
    };
    view! {
        <div class="search">
            <input
                id=SEARCH
                type="search"
                autocomplete="off"
                spellcheck="false"
                aria-label=t!("Search the messages")
                placeholder=t!("Search, also what a summary has replaced")
                prop:value=words
                on:input=search
            />
            <Show when=move || store.is_compacted()>
                <button
                    type="button"
                    class="button"
                    aria-pressed=move || is_limited().to_string()
                    on:click=limit
                >
                    {t!("Replaced messages only")}
                </button>
            </Show>
            <Show when=move || store.filter.with(Filter::is_set)>
                <p class="hint" role="status">{limits}</p>
                <button type="button" class="link" on:click=clear>{t!("Show all messages")}</button>
            </Show>
        </div>
    }
}

/// The messages, in words, that are treated like that.
fn those(treatment: Treatment, messages: &str) -> String {
    match treatment {
        Treatment::Gone => t!("{messages} that are only in the history", messages),
        Treatment::Kept => t!("{messages} that stay word for word", messages),
        Treatment::Shortened => t!("{messages} that are shortened", messages),
        Treatment::Removed => t!("{messages} that are removed", messages),
        Treatment::Summarized => t!("{messages} that become the summary", messages),
    }
}
