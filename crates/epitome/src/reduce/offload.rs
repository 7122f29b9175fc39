//! Large tool results are put aside under a name; a beginning and an end of them stay.

use std::collections::BTreeMap;

use super::draft::{Draft, Proposal, Proposals};
use super::shorten::shorten;
use crate::history::{Change, PartChange};
use crate::message::{CallId, Message, Part};
use crate::plan::Fate;
use crate::policy::Offload;

/// Large results outside the protected end, newest first.
pub(super) fn propose(draft: &Draft, offload: &Offload) -> Proposals {
    let mut answers: Option<BTreeMap<&CallId, u32>> = None;
    let tokenizer = draft.conversation.tokenizer();
    let log = draft.conversation.log();
    let mut list = Vec::new();
    for position in draft.old_positions(offload.protect_fraction) {
        let Some(original) = log.message(position) else { continue };
        if draft.is_protected(position) {
            continue;
        }
        let large = |part: usize| {
            let text = draft.text(position, part);
            text.is_some_and(|text| tokenizer.count(text) > offload.max_tokens)
        };
        let mut changes = Vec::new();
        for (part, original_part) in original.parts.iter().enumerate() {
            let Part::ToolResult { call, text, .. } = original_part else { continue };
            if !large(part) {
                continue;
            }
            let answers = answers.get_or_insert_with(|| count_answers(log.messages()));
            let path = path(call, original, part, answers.get(call).copied().unwrap_or(0));
            let whole = tokenizer.count(text);
            let note = format!("[put aside: all {whole} tokens are in {path}]");
            let text = shorten(text, offload.keep_tokens, tokenizer, &note);
            changes.push(PartChange { part, change: Change::Offload { text, path } });
        }
        if !changes.is_empty() {
            list.push(Proposal::Rewrite { position, changes });
        }
    }
    Proposals { fate: Fate::Offload, list, until_target: false }
}

fn count_answers<'a>(messages: impl Iterator<Item = &'a Message>) -> BTreeMap<&'a CallId, u32> {
    let mut answers = BTreeMap::new();
    for call in messages.flat_map(Message::results) {
        *answers.entry(call).or_default() += 1;
    }
    answers
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
