//! Long arguments of old tool calls are shortened. Every name in them stays, so that a model that reads the
//! call does not learn to call the tool with other names.

use serde_json::{Map, Value};

use super::reduction::{Proposal, Proposals, Reduction};
use crate::contract::ReasoningPolicy;
use crate::history::{Change, PartChange};
use crate::message::{Message, Part};
use crate::plan::Action;
use crate::policy::ClearToolInputs;

/// Values of at most this many characters stay.
const SHORT: usize = 64;

/// Shortens calls with long arguments outside the protected end, newest first.
pub(super) fn propose(reduction: &Reduction, settings: &ClearToolInputs) -> Proposals {
    let conversation = reduction.conversation;
    let limit = reduction.scale.to_meter(settings.arg_threshold_tokens);
    let mut list = Vec::new();
    for position in reduction.old_positions(settings.protect_fraction, limit) {
        // The index is asked first, so that a plan reads no message without a call.
        if !conversation.index().note(position).is_some_and(|note| note.calls) {
            continue;
        }
        let Some(original) = conversation.log().message(position) else { continue };
        if reduction.is_protected(position) || is_signed(reduction, original) {
            continue;
        }
        let calls = original.parts.iter().enumerate();
        let calls = calls.filter(|(_, part)| matches!(part, Part::ToolCall { .. }));
        let changes: Vec<PartChange> = calls
            .filter_map(|(part, _)| {
                let arguments = reduction.text(position, part)?;
                if conversation.meter().count(arguments) <= limit {
                    return None;
                }
                let change = Change::Arguments { arguments: cleared(arguments)? };
                Some(PartChange { part, change })
            })
            .collect();
        if !changes.is_empty() {
            list.push(Proposal::Rewrite { position, changes });
        }
    }
    Proposals { action: Action::ClearToolInputs, list, until_target: false }
}

/// True for a message whose calls the provider checks together with the signed reasoning before them: it
/// refuses the message if they change.
fn is_signed(reduction: &Reduction, message: &Message) -> bool {
    let is_signed = |part: &Part| matches!(part, Part::Reasoning { signature: Some(_), .. });
    reduction.conversation.contract().reasoning == ReasoningPolicy::WholeTurn
        && message.parts.iter().any(is_signed)
}

/// The arguments with every long value replaced by its length; `None` if they are not a JSON object or no
/// value is long.
fn cleared(arguments: &str) -> Option<String> {
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
    fn c3_names_stay_and_long_values_are_replaced_by_their_length() {
        let long = "x".repeat(100);
        let arguments = format!(
            r#"{{"path":"a.rs","content":"{long}","lines":[1,2],"deep":{{"b":"{long}"}}}}"#
        );
        assert_eq!(
            cleared(&arguments).unwrap(),
            r#"{"path":"a.rs","content":"[100 characters left out]","lines":[1,2],"deep":"[108 characters left out]"}"#
        );
    }

    #[test]
    fn c3_short_arguments_and_what_is_not_an_object_stay() {
        for arguments in ["{\"a\":", "[1]", "\"text\"", "{}", r#"{"a":"short","n":12345}"#] {
            assert_eq!(cleared(arguments), None, "{arguments}");
        }
    }
}
