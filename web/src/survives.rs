//! What survives a compaction: the summary, and what became of each fact of the messages that it replaced.

mod facts;

use std::sync::Arc;

use epitome::{Outcome, Report};
use leptos::prelude::*;

use crate::direction::marked;
use crate::run::Arriving;
use crate::store::Store;
use facts::Facts;

/// The summary and its facts: while it arrives, and afterwards.
#[component]
pub(crate) fn Survives(store: Store) -> impl IntoView {
    let running = Memo::new(move |_| store.progress.with(Option::is_some));
    let applied = move || {
        store.report.get().filter(|report| {
            matches!(report.outcome, Outcome::Applied { .. }) && report.summary.is_some()
        })
    };
    let content = move || {
        match (running.get(), applied()) {
        (true, _) => view! { <Arriving store /> }.into_any(),
        (false, Some(report)) => view! { <Written store report /> }.into_any(),
        (false, None) => view! {
            <p class="hint">
                "Every order number, path, date and amount in the replaced messages is looked up in the summary. Missing "
                "ones are appended word for word, as far as there is space. Names in the summary that no message has "
                "are reported here."
            </p>
        }
        .into_any(),
    }
    };
    view! {
        <section class="survives card" aria-labelledby="survives-heading">
            <h2 id="survives-heading">"What survives"</h2>
            {content}
        </section>
    }
}

/// A written summary and its facts.
#[component]
fn Written(store: Store, report: Arc<Report>) -> impl IntoView {
    let summary = report.summary.clone().unwrap_or_default();
    view! {
        <Facts store receipt=report.receipt.clone() />
        <details class="summary" open=true>
            <summary>"The summary"</summary>
            <div class="summary-text" tabindex="0" role="region" aria-label="The summary">
                {blocks(&summary)
                    .into_iter()
                    .map(|block| view! { <p>{marked(block).into_owned()}</p> })
                    .collect_view()}
            </div>
        </details>
    }
}

/// The least length of a block, in bytes: about what is seen of a summary at once.
const BLOCK: usize = 2_000;

/// Whole lines together, so that the browser lays out only those that are in view: a summary of 20,000 tokens would hold the
/// page for 40 ms.
fn blocks(summary: &str) -> Vec<&str> {
    let (mut blocks, mut rest) = (Vec::new(), summary);
    while !rest.is_empty() {
        let mut ends = rest.match_indices('\n').map(|(at, _)| at + 1);
        let end = ends.find(|end| *end >= BLOCK).unwrap_or(rest.len());
        let (block, after) = rest.split_at(end);
        blocks.push(block);
        rest = after;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_shown_in_blocks_of_whole_lines() {
        let line = "A line of the summary, é.\n";
        let summary = format!("{}The end.", line.repeat(200));
        let blocks = blocks(&summary);
        assert_eq!(blocks.concat(), summary);
        assert_eq!(blocks.len(), 3);
        assert!(blocks.iter().all(|block| block.ends_with(['\n', '.']) && block.len() < 2_100));
        assert!(super::blocks("").is_empty());
    }
}
