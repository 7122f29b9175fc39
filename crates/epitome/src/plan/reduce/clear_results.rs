//! Replaces all tool results except the newest ones by a placeholder, and if the settings say so, clears the inputs of their
//! calls.

use super::clear::{is_signed, without_values};
use super::reduction::{Proposal, Proposals, Reduction};
use crate::history::{Change, PartChange};
use crate::message::{CallId, Message, Part};
use crate::plan::Action;
use crate::policy::{ClearToolResults, ToolFilter};

/// Clears all results except the newest `keep` ones. Results of excluded tools stay and are not counted.
pub(super) fn propose(reduction: &Reduction, settings: &ClearToolResults) -> Proposals {
    let conversation = reduction.conversation;
    let (log, index) = (conversation.log(), conversation.index());
    let excluded = ToolFilter::Only(settings.exclude_tools.clone());
    let mut to_keep = usize::try_from(settings.keep).unwrap_or(usize::MAX);
    let mut list = Vec::new();
    for position in (conversation.projection().covered..log.len()).rev() {
        let note = index.note(position);
        if !note.is_some_and(|note| note.results) || !reduction.is_seen(position) {
            continue;
        }
        let Some(original) = log.message(position) else { continue };
        let called = index.called(log, position, original);
        let is_excluded = |call: &CallId, name: Option<&str>| {
            let asked = called.iter().find(|(other, _)| *other == call).map(|(_, tool)| *tool);
            asked.or(name).is_some_and(|tool| excluded.allows(tool))
        };
        let mut changes = Vec::new();
        let mut cleared = Vec::new();
        for (part, content) in original.parts.iter().enumerate().rev() {
            let Part::ToolResult { call, name, .. } = content else { continue };
            if is_excluded(call, name.as_deref()) {
                continue;
            }
            // What was cleared before is not proposed again: each plan would copy and count it.
            let is_cleared = reduction.text(position, part) == Some(settings.placeholder.as_str());
            if to_keep > 0 {
                to_keep -= 1;
            } else if !is_cleared && !reduction.is_protected(position) {
                let text = settings.placeholder.clone();
                changes.push(PartChange { part, change: Change::Text { text } });
                cleared.push(call);
            }
        }
        changes.reverse();
        if !changes.is_empty() {
            list.push(Proposal::Rewrite { position, changes });
        }
        if settings.clear_tool_inputs {
            list.extend(clear_inputs(reduction, position, &cleared));
        }
    }
    Proposals { action: Action::ClearToolResults, list, until_target: false }
}

/// Clears the inputs of these calls, whose results are in the message at a position.
fn clear_inputs(reduction: &Reduction, position: usize, calls: &[&CallId]) -> Vec<Proposal> {
    let log = reduction.conversation.log();
    let start = reduction.exchange_of(position).map_or(position, |exchange| exchange.start);
    let may_change = |at: &usize| reduction.is_seen(*at) && !reduction.is_protected(*at);
    let asked = (start..=position).filter(may_change).filter_map(|at| Some((at, log.message(at)?)));
    let asked = asked.filter(|(_, message)| !is_signed(reduction, message));
    let cleared = |message: &Message| -> Vec<PartChange> {
        let parts = message.parts.iter().enumerate();
        let change = |(part, content): (usize, &Part)| match content {
            Part::ToolCall { call, arguments, .. } if calls.contains(&call) => {
                let arguments = without_values(arguments)?;
                Some(PartChange { part, change: Change::Arguments { arguments } })
            }
            _ => None,
        };
        parts.filter_map(change).collect()
    };
    asked
        .map(|(position, message)| Proposal::Rewrite { position, changes: cleared(message) })
        .filter(
            |proposal| !matches!(proposal, Proposal::Rewrite { changes, .. } if changes.is_empty()),
        )
        .collect()
}
