//! Large tool results are put aside under a name; a beginning and an end of them stay.

use std::collections::BTreeMap;

use super::draft::{Draft, Proposal, Proposals};
use super::shorten::shorten;
use crate::history::{Change, PartChange};
use crate::message::{CallId, Message, Part};
use crate::plan::Action;
use crate::policy::OffloadToolResults;

/// Large results outside the protected end, newest first.
pub(super) fn propose(draft: &Draft, offload: &OffloadToolResults) -> Proposals {
    let tokenizer = draft.conversation.tokenizer();
    let log = draft.conversation.log();
    let outline = draft.conversation.outline();
    let large: Vec<(usize, Vec<usize>)> = draft
        .old_positions(offload.protect_fraction, offload.max_tokens)
        .filter(|position| outline.note(*position).is_some_and(|note| note.results))
        .filter(|position| !draft.is_protected(*position))
        .map(|position| (position, large(draft, position, offload.max_tokens)))
        .filter(|(_, parts)| !parts.is_empty())
        .collect();
    let result = |position: usize, part: usize| match log.message(position)?.parts.get(part)? {
        Part::ToolResult { call, text, .. } => Some((call, text)),
        _ => None,
    };
    // How often each of their calls is answered.
    let mut answers: BTreeMap<&CallId, u32> = BTreeMap::new();
    for (position, parts) in &large {
        let calls = parts.iter().filter_map(|part| Some(result(*position, *part)?.0));
        answers.extend(calls.map(|call| (call, 0)));
    }
    if !answers.is_empty() {
        for call in log.messages().flat_map(Message::results) {
            answers.entry(call).and_modify(|count| *count += 1);
        }
    }
    let list = large.into_iter().filter_map(|(position, parts)| {
        let message = log.message(position)?;
        let change = |part: usize| {
            let (call, text) = result(position, part)?;
            let path = path(call, message, part, answers.get(call).copied().unwrap_or(0));
            let whole = draft.conversation.meter().result_tokens(position, part);
            let note = format!("[put aside: all {whole} tokens are in {path}]");
            let text = shorten(text, whole, offload.keep_tokens, tokenizer, &note);
            Some(PartChange { part, change: Change::Offload { text, path } })
        };
        let changes = parts.into_iter().filter_map(change).collect();
        Some(Proposal::Rewrite { position, changes })
    });
    Proposals { action: Action::OffloadToolResults, list: list.collect(), until_target: false }
}

/// The results of a message that are longer than this as they are seen, by part.
fn large(draft: &Draft, position: usize, max_tokens: u32) -> Vec<usize> {
    let parts =
        draft.conversation.log().message(position).map_or(&[][..], |message| &message.parts);
    let is_large =
        |part: usize| draft.result_tokens(position, part).is_some_and(|tokens| tokens > max_tokens);
    let results = parts.iter().enumerate();
    let results = results.filter(|(_, part)| matches!(part, Part::ToolResult { .. }));
    results.map(|(part, _)| part).filter(|part| is_large(*part)).collect()
}

/// A name for a result: that of its call, and of its message where calls share an id or have none.
fn path(call: &CallId, message: &Message, part: usize, answers: u32) -> String {
    let plain = |name: &str| -> String {
        let kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        name.chars().map(|c| if kept(c) { c } else { '_' }).collect()
    };
    let name = plain(call.as_str());
    if answers == 1 && !name.is_empty() && name == call.as_str() {
        return format!("tool-results/{name}.txt");
    }
    format!("tool-results/{name}-{}-{part}.txt", plain(message.id.as_str()))
}
