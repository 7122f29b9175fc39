//! What saves tokens without a model. Each reducer proposes changes; a [`Reduction`] decides which are made.

mod clear;
mod clear_results;
mod deduplicate;
mod drop_oldest;
mod excerpt_request;
mod offload;
mod reduction;
mod shorten;
mod truncate;

pub(super) use reduction::{Reduced, Reduction};

use crate::policy::{Reducer, ReducerRule};
use reduction::Proposals;

/// What the reducer of a rule proposes; `None` if it is not to run now.
fn propose(reduction: &Reduction, rule: &ReducerRule) -> Option<Proposals> {
    Some(match &rule.reducer {
        Reducer::Deduplicate => deduplicate::propose(reduction),
        Reducer::TruncateToolResults(settings) => truncate::propose(reduction, settings),
        Reducer::ClearToolInputs(settings) => clear::propose(reduction, settings),
        Reducer::ClearToolResults(settings) => clear_results::propose(reduction, settings),
        Reducer::OffloadToolResults(settings) => {
            // On its own it offloads every large result; in a compaction, only as many as it takes.
            let until_target = rule.when.is_none();
            Proposals { until_target, ..offload::propose(reduction, settings) }
        }
        Reducer::ExcerptLastRequest => excerpt_request::propose(reduction),
        // The last resort: only if no summarizer can make room.
        Reducer::DropOldest => {
            if reduction.policy.summary.summarizer().is_some() {
                return None;
            }
            drop_oldest::propose(reduction)
        }
    })
}
