//! The receipt of a compaction: which facts the summary kept, which were appended, which are only in the history, and which
//! are in no message.

use std::sync::Arc;

use epitome::facts::{Fact, Kind, Receipt};
use epitome::message::MessageId;
use leptos::prelude::*;

use crate::browser::is_open;
use crate::direction::marked;
use crate::language::{around, t};
use crate::messages::{MessageLinks, further};
use crate::number::{count, plural, thousands};
use crate::store::Store;

/// The number of facts that a list shows.
const MAX_FACTS: usize = 60;

/// What happened to each fact of the summarized messages.
#[component]
pub(super) fn Facts(store: Store, receipt: Receipt) -> impl IntoView {
    let Receipt { kept, appended, given_up, unlisted, unsupported, unattributed, pinned: _ } =
        receipt;
    let (before, after) = around(
        t!(
            "{names}: in the summary, but not in any message. The summarizer may have made this up."
        ),
        "{names}",
    );
    let invented = match unsupported.is_empty() {
        true => nothing_made_up().into_any(),
        false => view! {
            <p class="verdict" data-verdict="bad">
                {before} <strong>{marked(&unsupported.join(", ")).into_owned()}</strong> {after}
            </p>
        }
        .into_any(),
    };
    let nobody = (!unattributed.is_empty()).then(|| {
        view! {
            <p class="notice">
                {t!("The summary does not say who said this, or names somebody else: {quotes}", quotes = marked(&unattributed.join(" ")))}
            </p>
        }
    });
    let unlisted = (unlisted > 0)
        .then(|| t!("{number} further mentions are not listed.", number = thousands(unlisted)));
    let in_summary = plural(count(kept.len()), "fact in the summary", "facts in the summary");
    let added = plural(
        count(appended.len()),
        "fact appended to it, word for word",
        "facts appended to it, word for word",
    );
    let in_history =
        plural(count(given_up.len()), "fact only in the history", "facts only in the history");
    view! {
        {invented}
        {nobody}
        <List store title=in_summary label=t!("Facts in the summary") mark="✓" facts=kept />
        <List
            store
            title=added
            label=t!("Facts appended to it, word for word")
            mark="+"
            facts=appended
        />
        <List store title=in_history label=t!("Facts only in the history") mark="○" facts=given_up />
        <p class="hint">{unlisted}</p>
    }
}

/// That everything in a summary is in a message.
pub(super) fn nothing_made_up() -> impl IntoView {
    view! {
        <p class="verdict" data-verdict="good">
            {t!("No name, path or code in the summary is made up: each one is in a message.")}
        </p>
    }
}

/// Facts with the same outcome.
#[component]
fn List(
    store: Store,
    /// How many there are, and what happened to them.
    title: String,
    /// The list, for screen readers.
    label: &'static str,
    /// The same as a mark.
    mark: &'static str,
    facts: Vec<Fact>,
) -> impl IntoView {
    let number = count(facts.len());
    let facts = Arc::new(facts);
    let of_list = facts.clone();
    let lit = Memo::new(move |_| {
        let id = pointed(store);
        id.is_some_and(|id| of_list.iter().any(|fact| fact.sources.contains(&id)))
    });
    // Rows are built when someone looks: after a long compaction they would hold the page up for nothing.
    let open = RwSignal::new(false);
    let toggle = move |event| open.set(is_open(&event));
    let more = further(facts.len(), MAX_FACTS);
    let rows = move || {
        open.get().then(|| {
            let listed = facts.iter().take(MAX_FACTS);
            let listed = listed.map(|fact| view! { <FactRow store fact=fact.clone() /> });
            let more = more.clone().map(|more| view! { <li class="hint">{more}</li> });
            (listed.collect_view(), more)
        })
    };
    (number > 0).then(|| {
        let shown = thousands(number);
        // Without the number in it, as in a language that has a word for one, nothing is strong.
        let (before, shown, after) = match title.split_once(&shown) {
            Some((before, after)) => (before.to_owned(), Some(shown), after.to_owned()),
            None => (title, None, String::new()),
        };
        view! {
            <details class="summary" class:lit=move || lit.get() on:toggle=toggle>
                <summary>
                    <span class="fact-mark" aria-hidden="true">{mark}</span>
                    {before}
                    {shown.map(|shown| view! { <strong>{shown}</strong> })}
                    {after}
                </summary>
                <ul class="facts" tabindex="0" aria-label=label>{rows}</ul>
            </details>
        }
    })
}

/// The message under the pointer or with the focus.
fn pointed(store: Store) -> Option<MessageId> {
    let position = store.pointed.get()?;
    store.read(|session| session.message(position).map(|message| message.id.clone()))
}

/// A fact with its sources. It is lit while one of them has the pointer or the focus. While the pointer or the focus is on it, the rows of its sources are lit.
#[component]
fn FactRow(store: Store, fact: Fact) -> impl IntoView {
    let positions: Vec<usize> = store.read(|session| {
        let log = session.compactor().map(epitome::Compactor::log);
        fact.sources.iter().filter_map(|id| log?.position(id)).collect()
    });
    let lit = Arc::new(positions.clone());
    let light = move |_: &()| store.lit.set(lit.clone());
    let (enter, focus) = (light.clone(), light);
    let dark = move || store.lit.set(Arc::default());
    let sources = fact.sources.clone();
    let pointed_at = move || pointed(store).is_some_and(|id| sources.contains(&id));
    view! {
        <li
            class:lit=pointed_at
            on:pointerenter=move |_| enter(&())
            on:pointerleave=move |_| dark()
            on:focusin=move |_| focus(&())
            on:focusout=move |_| dark()
        >
            <span class="fact-text">{marked(&fact.text).into_owned()}</span>
            <span class="hint">
                {format!(" {} · {} ", kind_name(fact.kind), speaker_name(&fact.speaker))} <MessageLinks store positions />
            </span>
        </li>
    }
}

/// What a kind of facts is called.
fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Checklist => t!("checklist"),
        Kind::Decision => t!("decision"),
        Kind::Negation => t!("negation"),
        Kind::Url => t!("url"),
        Kind::Path => t!("path"),
        Kind::Package => t!("package"),
        Kind::Identifier => t!("identifier"),
        Kind::Quote => t!("quote"),
        Kind::Name => t!("name"),
        Kind::Number => t!("number"),
    }
}

/// What the speaker of a fact is called. The name of an author or a tool stays as it is.
fn speaker_name(speaker: &str) -> String {
    let (role, name) = match speaker.split_once(' ') {
        Some((role, name)) => (role, Some(name)),
        None => (speaker, None),
    };
    let role = match role {
        "user" => t!("user"),
        "assistant" => t!("assistant"),
        "system" => t!("system"),
        "tool" => t!("tool"),
        "earlier" => t!("earlier"),
        other => other,
    };
    match name {
        Some(name) => format!("{role} {name}"),
        None => role.to_owned(),
    }
}
