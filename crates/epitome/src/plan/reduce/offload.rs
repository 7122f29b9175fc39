//! Large tool results are stored under a path; a beginning and an end of them stay in the view.

use epitome_columns::SortedMap;

use super::reduction::{Proposal, Proposals, Reduction};
use super::shorten::shorten;
use crate::history::{Change, PartChange};
use crate::message::{CallId, Message, Part};
use crate::plan::Action;
use crate::policy::OffloadToolResults;
use crate::tokens::MeterTokens;
use epitome_text::note::put_aside;

/// Offloads large results outside the protected end, newest first.
pub(super) fn propose(reduction: &Reduction, settings: &OffloadToolResults) -> Proposals {
    let conversation = reduction.conversation;
    let (log, meter, index) = (conversation.log(), conversation.meter(), conversation.index());
    let scale = reduction.scale;
    let limit = scale.to_meter(settings.max_tokens);
    let large: Vec<(usize, Vec<usize>)> = reduction
        .old_positions(settings.protect_fraction, limit)
        .filter(|position| index.note(*position).is_some_and(|note| note.results))
        .filter(|position| !reduction.is_protected(*position))
        .map(|position| (position, large_results(reduction, position, limit)))
        .filter(|(_, parts)| !parts.is_empty())
        .collect();
    let result = |position: usize, part: usize| match log.message(position)?.parts.get(part)? {
        Part::ToolResult { call, text, .. } => Some((call, text)),
        _ => None,
    };
    // How many results each of their calls has: a path by the call alone must not be used twice.
    let mut answers: SortedMap<&CallId, u32> = SortedMap::new();
    for (position, parts) in &large {
        let calls = parts.iter().filter_map(|part| Some(result(*position, *part)?.0));
        answers.extend(calls.map(|call| (call, 0)));
    }
    if !answers.is_empty() {
        for call in log.messages().flat_map(Message::results) {
            if let Some(count) = answers.get_mut(call) {
                *count += 1;
            }
        }
    }
    let list = large.into_iter().filter_map(|(position, parts)| {
        let message = log.message(position)?;
        let change = |part: usize| {
            let (call, text) = result(position, part)?;
            let path = path(call, message, part, answers.get(call).copied().unwrap_or(0));
            // From the original, even if the result is truncated in the view: the path leads to the original,
            // and a text that is cut twice would have two notes.
            let whole = meter.result_tokens(position, part);
            let note = put_aside(scale.to_provider(whole), &path);
            let kept = scale.to_meter(settings.keep_tokens);
            let text = shorten(text, whole, kept, meter, &note);
            Some(PartChange { part, change: Change::Offload { text, path } })
        };
        let changes = parts.into_iter().filter_map(change).collect();
        Some(Proposal::Rewrite { position, changes })
    });
    Proposals { action: Action::OffloadToolResults, list: list.collect(), until_target: false }
}

/// The parts of a message that are results longer than `limit` as they are seen.
fn large_results(reduction: &Reduction, position: usize, limit: MeterTokens) -> Vec<usize> {
    let message = reduction.conversation.log().message(position);
    let parts = message.map_or(&[][..], |message| &message.parts);
    let is_large =
        |part: usize| reduction.result_tokens(position, part).is_some_and(|tokens| tokens > limit);
    let results = parts.iter().enumerate();
    let results = results.filter(|(_, part)| matches!(part, Part::ToolResult { .. }));
    results.map(|(part, _)| part).filter(|part| is_large(*part)).collect()
}

/// The path of a result: named after its call, and after its message too if the call's id is empty, shared
/// by several results, or has characters that a file name cannot have.
fn path(call: &CallId, message: &Message, part: usize, answers: u32) -> String {
    let plain = |name: &str| -> String {
        let is_kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        name.chars().map(|c| if is_kept(c) { c } else { '_' }).collect()
    };
    let name = plain(call.as_str());
    if answers == 1 && !name.is_empty() && name == call.as_str() {
        return format!("tool-results/{name}.txt");
    }
    format!("tool-results/{name}-{}-{part}.txt", plain(message.id.as_str()))
}
