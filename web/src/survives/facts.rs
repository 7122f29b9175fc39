//! The receipt of a compaction: which facts the summary kept, which were appended, which are only in the history, and which
//! are in no message.

use std::sync::Arc;

use epitome::facts::{Fact, Receipt};
use leptos::prelude::*;

use crate::browser::is_open;
use crate::direction::marked;
use crate::messages::{MessageLinks, further};
use crate::number::{count, thousands};
use crate::store::Store;

/// The number of facts that a list shows.
const MAX_FACTS: usize = 60;

/// What happened to each fact of the summarized messages.
#[component]
pub(super) fn Facts(store: Store, receipt: Receipt) -> impl IntoView {
    let Receipt { kept, appended, given_up, unlisted, unsupported, unattributed, pinned: _ } =
        receipt;
    let invented = match unsupported.is_empty() {
        true => view! {
            <p class="verdict" data-verdict="good">
                "No name, path or code in the summary is made up: each one is in a message."
            </p>
        }
        .into_any(),
        false => view! {
            <p class="verdict" data-verdict="bad">
                <strong>{marked(&unsupported.join(", ")).into_owned()}</strong>
                ": in the summary, but not in any message. The summarizer may have made this up."
            </p>
        }
        .into_any(),
    };
    let nobody = (!unattributed.is_empty()).then(|| {
        view! {
            <p class="notice">
                "The summary does not say who said this, or names somebody else: "
                {marked(&unattributed.join(" ")).into_owned()}
            </p>
        }
    });
    let unlisted =
        (unlisted > 0).then(|| format!("{} further mentions are not listed.", thousands(unlisted)));
    view! {
        {invented}
        {nobody}
        <List store title="in the summary" mark="✓" facts=kept />
        <List store title="appended to it, word for word" mark="+" facts=appended />
        <List store title="only in the history" mark="○" facts=given_up />
        <p class="hint">{unlisted}</p>
    }
}

/// Facts with the same outcome.
#[component]
fn List(
    store: Store,
    /// What happened to them.
    title: &'static str,
    /// The same as a mark.
    mark: &'static str,
    facts: Vec<Fact>,
) -> impl IntoView {
    let number = count(facts.len());
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
        view! {
            <details class="summary" on:toggle=toggle>
                <summary>
                    <span class="fact-mark" aria-hidden="true">{mark}</span>
                    <strong>{thousands(number)}</strong>
                    {format!(" {} {title}", if number == 1 { "fact" } else { "facts" })}
                </summary>
                <ul class="facts" tabindex="0" aria-label=format!("Facts {title}")>{rows}</ul>
            </details>
        }
    })
}

/// A fact with its sources. While the pointer or the focus is on it, the rows of its sources are lit.
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
    view! {
        <li
            on:pointerenter=move |_| enter(&())
            on:pointerleave=move |_| dark()
            on:focusin=move |_| focus(&())
            on:focusout=move |_| dark()
        >
            <span class="fact-text">{marked(&fact.text).into_owned()}</span>
            <span class="hint">
                {format!(" {} · {} ", fact.kind.as_str(), fact.speaker)} <MessageLinks store positions />
            </span>
        </li>
    }
}
