//! Tool results are truncated more and more as they age.

use super::reduction::{Proposal, Proposals, Reduction};
use super::shorten::shorten;
use crate::history::{Change, PartChange};
use crate::message::Part;
use crate::plan::Action;
use crate::policy::TruncateToolResults;
use epitome_text::note::truncated;

/// Truncates every result that is longer than its age allows, always from the original text.
pub(super) fn propose(reduction: &Reduction, settings: &TruncateToolResults) -> Proposals {
    let conversation = reduction.conversation;
    let (log, meter, scale) = (conversation.log(), conversation.meter(), reduction.scale);
    let len = log.len();
    let index = conversation.index();
    let list = (conversation.projection().covered..len)
        .rev()
        .filter(|position| index.note(*position).is_some_and(|note| note.results))
        .filter(|position| reduction.is_seen(*position) && !reduction.is_protected(*position))
        .filter_map(|position| {
            let messages_ago = u32::try_from(len - position).unwrap_or(u32::MAX);
            let max_tokens = settings.limit(messages_ago)?;
            let limit = scale.to_meter(max_tokens);
            // Most results are short. This check reads one stored number, and saves a look at every part for
            // each plan.
            if !reduction.may_exceed(position, limit) {
                return None;
            }
            let original = log.message(position)?;
            let is_longer = |part: usize| {
                reduction.result_tokens(position, part).is_some_and(|tokens| tokens > limit)
            };
            let changes: Vec<PartChange> = original
                .parts
                .iter()
                .enumerate()
                .filter_map(|(part, original)| match original {
                    Part::ToolResult { text, .. } if is_longer(part) => {
                        let whole = meter.result_tokens(position, part);
                        let note = truncated(scale.to_provider(whole), max_tokens);
                        let text = shorten(text, whole, limit, meter, &note);
                        Some(PartChange { part, change: Change::Text { text } })
                    }
                    _ => None,
                })
                .collect();
            (!changes.is_empty()).then_some(Proposal::Rewrite { position, changes })
        })
        .collect();
    Proposals { action: Action::TruncateToolResults, list, until_target: false }
}
