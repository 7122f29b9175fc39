//! Tool results take less and less as they age.

use super::draft::{Draft, Proposal, Proposals};
use super::shorten::shorten;
use crate::history::{Change, PartChange};
use crate::message::Part;
use crate::plan::Action;
use crate::policy::TruncateToolResults;

/// Every result that is longer than its age allows, cut anew from what the tool said.
pub(super) fn propose(draft: &Draft, age: &TruncateToolResults) -> Proposals {
    let len = draft.conversation.log().len();
    let tokenizer = draft.conversation.tokenizer();
    let outline = draft.conversation.outline();
    let list = (draft.conversation.projection().covered..len)
        .rev()
        .filter(|position| outline.note(*position).is_some_and(|note| note.results))
        .filter(|position| draft.is_seen(*position) && !draft.is_protected(*position))
        .filter_map(|position| {
            let ago = u32::try_from(len - position).unwrap_or(u32::MAX);
            let limit = age.limit(ago).filter(|limit| draft.may_exceed(position, *limit))?;
            let original = draft.conversation.log().message(position)?;
            let longer = |part: usize| {
                draft.result_tokens(position, part).is_some_and(|tokens| tokens > limit)
            };
            let changes: Vec<PartChange> = original
                .parts
                .iter()
                .enumerate()
                .filter_map(|(part, original)| match original {
                    Part::ToolResult { text, .. } if longer(part) => {
                        let whole = draft.conversation.meter().result_tokens(position, part);
                        let note =
                            format!("[truncated: {whole} tokens at first, at most {limit} now]");
                        let text = shorten(text, whole, limit, tokenizer, &note);
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
