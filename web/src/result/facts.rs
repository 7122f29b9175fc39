//! The receipt of a compaction: which facts the summary kept, which were appended, which are only in the history.

use epitome::facts::{Fact, Receipt};
use leptos::prelude::*;

use crate::direction::marked;
use crate::number::{count, thousands};

/// The number of facts that a list shows.
const MAX_FACTS: usize = 60;

/// What happened to each fact of the summarized messages.
pub(super) fn facts(receipt: &Receipt) -> impl IntoView + use<> {
    let Receipt { kept, appended, given_up, unlisted, unsupported, unattributed, pinned: _ } =
        receipt;
    let number = |facts: &[Fact]| thousands(count(facts.len()));
    let mut line = format!(
        "Facts: {} kept, {} appended word for word, {} only in the history",
        number(kept),
        number(appended),
        number(given_up)
    );
    if *unlisted > 0 {
        line.push_str(&format!(", and {} mentions of others", thousands(*unlisted)));
    }
    let invented = (!unsupported.is_empty()).then(|| {
        view! {
            <p class="notice warn">
                "In the summary, but not in any message: " {marked(&unsupported.join(", ")).into_owned()}
                ". The summarizer may have made this up."
            </p>
        }
    });
    let nobody = (!unattributed.is_empty()).then(|| {
        view! {
            <p class="notice">
                "The summary does not say who said this: "
                {marked(&unattributed.join(" ")).into_owned()}
            </p>
        }
    });
    view! {
        {invented}
        {nobody}
        <details class="summary">
            <summary>{line}</summary>
            {list("Appended to the summary", appended)}
            {list("Only in the history", given_up)}
        </details>
    }
}

fn list(title: &'static str, facts: &[Fact]) -> Option<impl IntoView + use<>> {
    let rows: Vec<_> = facts
        .iter()
        .take(MAX_FACTS)
        .map(|fact| {
            let sources: Vec<String> = fact.sources.iter().map(|id| number_of(id.as_str())).collect();
            view! {
                <li>
                    <span class="fact-text">{marked(&fact.text).into_owned()}</span>
                    <span class="hint">
                        {format!(" {} · {} {}", fact.kind.as_str(), fact.speaker, sources.join(", "))}
                    </span>
                </li>
            }
        })
        .collect();
    let more = facts.len().saturating_sub(MAX_FACTS);
    let more = (more > 0)
        .then(|| view! { <li class="hint">{format!("and {} more", thousands(count(more)))}</li> });
    (!facts.is_empty()).then(|| {
        view! {
            <h3>{title}</h3>
            <ul class="facts">{rows} {more}</ul>
        }
    })
}

/// The message number of an id: the loaded message at index `n` has the id `mn`.
fn number_of(id: &str) -> String {
    let index = id.strip_prefix('m').and_then(|index| index.parse::<u32>().ok());
    index.map_or_else(|| id.to_owned(), |index| format!("#{}", index.saturating_add(1)))
}
