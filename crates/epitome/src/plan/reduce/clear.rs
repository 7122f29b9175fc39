//! Long arguments of old tool calls are shortened; every name in them stays, so that a model that reads
//! the call does not learn to call with others.

use serde_json::{Map, Value};

use super::draft::{Draft, Proposal, Proposals};
use crate::contract::ReasoningPolicy;
use crate::history::{Change, PartChange};
use crate::message::{Message, Part};
use crate::plan::Action;
use crate::policy::ClearToolInputs;

/// Values of at most this many characters stay as they are.
const SHORT: usize = 64;

/// Calls with long arguments outside the protected end, newest first.
pub(super) fn propose(draft: &Draft, prune: &ClearToolInputs) -> Proposals {
    let tokenizer = draft.conversation.tokenizer();
    let mut list = Vec::new();
    for position in draft.old_positions(prune.protect_fraction, prune.arg_threshold_tokens) {
        let calls = draft.conversation.outline().note(position).is_some_and(|note| note.calls);
        if !calls {
            continue;
        }
        let Some(original) = draft.conversation.log().message(position) else { continue };
        if draft.is_protected(position) || is_sealed(draft, original) {
            continue;
        }
        let calls = original.parts.iter().enumerate();
        let calls = calls.filter(|(_, part)| matches!(part, Part::ToolCall { .. }));
        let changes: Vec<PartChange> = calls
            .filter_map(|(part, _)| {
                let seen = draft.text(position, part)?;
                if tokenizer.count(seen) <= prune.arg_threshold_tokens {
                    return None;
                }
                let change = Change::Arguments { arguments: pruned(seen)? };
                Some(PartChange { part, change })
            })
            .collect();
        if !changes.is_empty() {
            list.push(Proposal::Rewrite { position, changes });
        }
    }
    Proposals { action: Action::ClearToolInputs, list, until_target: false }
}

/// True for a message whose calls are sealed along with the thoughts that led to them.
fn is_sealed(draft: &Draft, message: &Message) -> bool {
    let sealed = |part: &Part| matches!(part, Part::Reasoning { signature: Some(_), .. });
    draft.conversation.contract().reasoning == ReasoningPolicy::WholeTurn
        && message.parts.iter().any(sealed)
}

/// The arguments with every long value told by its length; `None` where they are no JSON object, or
/// nothing in them is long.
fn pruned(arguments: &str) -> Option<String> {
    let given: Map<String, Value> = serde_json::from_str(arguments).ok()?;
    let mut changed = false;
    let kept: Map<String, Value> = given
        .into_iter()
        .map(|(name, value)| {
            let length = match &value {
                Value::String(text) => text.chars().count(),
                Value::Array(_) | Value::Object(_) => value.to_string().chars().count(),
                _ => 0,
            };
            if length <= SHORT {
                return (name, value);
            }
            changed = true;
            (name, Value::String(format!("[{length} characters left out]")))
        })
        .collect();
    changed.then(|| Value::Object(kept).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c3_names_stay_and_long_values_are_told_by_their_length() {
        let long = "x".repeat(100);
        let arguments = format!(
            r#"{{"path":"a.rs","content":"{long}","lines":[1,2],"deep":{{"b":"{long}"}}}}"#
        );
        assert_eq!(
            pruned(&arguments).unwrap(),
            r#"{"path":"a.rs","content":"[100 characters left out]","lines":[1,2],"deep":"[108 characters left out]"}"#
        );
    }

    #[test]
    fn c3_what_is_no_object_or_short_is_left_alone() {
        for arguments in ["{\"a\":", "[1]", "\"text\"", "{}", r#"{"a":"short","n":12345}"#] {
            assert_eq!(pruned(arguments), None, "{arguments}");
        }
    }
}
