//! Long arguments of old tool calls are shortened. Every name in them stays, so that a model that reads the
//! call does not learn to call the tool with other names.

use serde_json::{Map, Value};

use super::reduction::{Proposal, Proposals, Reduction};
use crate::contract::ReasoningPolicy;
use crate::history::{Change, PartChange};
use crate::message::{Message, Part};
use crate::plan::Action;
use crate::policy::ClearToolInputs;
use epitome_text::note::{characters_left_out, items_left_out};

/// Values of at most this many characters stay, as long as all of them fit.
const SHORT: usize = 64;
/// What a short value becomes where all of them do not fit.
const ANY: &str = "…";

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
                let fits = |arguments: &str| conversation.meter().count(arguments) <= limit;
                if fits(arguments) {
                    return None;
                }
                let arguments = cleared(arguments, fits)?;
                Some(PartChange { part, change: Change::Arguments { arguments } })
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
pub(super) fn is_signed(reduction: &Reduction, message: &Message) -> bool {
    reduction.conversation.contract().reasoning == ReasoningPolicy::WholeTurn
        && message.has_signed_reasoning()
}

/// Shorter arguments: every long value is replaced by its length, and if that does not fit, every value of an
/// object by [`ANY`], and of an array all but the first items that fit by their number. `None` if nothing becomes
/// shorter, or if the arguments are not JSON.
///
/// An object keeps all of its names, even if it does not fit then. Asks `fits` about log n times for n items.
fn cleared(arguments: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    let given: Value = serde_json::from_str(arguments).ok()?;
    let cleared = match given {
        Value::Object(map) => {
            let map: Map<String, Value> =
                map.into_iter().map(|(name, value)| (name, shortened(value))).collect();
            let text = Value::Object(map.clone()).to_string();
            match fits(&text) {
                true => text,
                false => {
                    let any = |(name, _)| (name, Value::String(ANY.to_owned()));
                    Value::Object(map.into_iter().map(any).collect()).to_string()
                }
            }
        }
        Value::Array(items) => {
            first_items(&items.into_iter().map(shortened).collect::<Vec<_>>(), fits)
        }
        other => shortened(other).to_string(),
    };
    (cleared.len() < arguments.len()).then_some(cleared)
}

/// Arguments with as little in them as [`cleared`] can leave: the names of an object, or the number of items.
pub(super) fn without_values(arguments: &str) -> Option<String> {
    cleared(arguments, |_| false)
}

/// As many of the first items as fit, and how many are left out.
fn first_items(items: &[Value], fits: impl Fn(&str) -> bool) -> String {
    let written = |kept: usize| {
        let rest = items.len() - kept;
        let note = (rest > 0).then(|| Value::String(items_left_out(rest)));
        Value::Array(items.iter().take(kept).cloned().chain(note).collect()).to_string()
    };
    let all = written(items.len());
    if fits(&all) {
        return all;
    }
    let (mut least, mut most) = (0, items.len());
    while least + 1 < most {
        let middle = least + (most - least) / 2;
        match fits(&written(middle)) {
            true => least = middle,
            false => most = middle,
        }
    }
    written(least)
}

/// A long value as its length; other values as they are.
fn shortened(value: Value) -> Value {
    let length = match &value {
        Value::String(text) => text.chars().count(),
        Value::Array(_) | Value::Object(_) => value.to_string().chars().count(),
        _ => 0,
    };
    match length <= SHORT {
        true => value,
        false => Value::String(characters_left_out(length)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleared(arguments: &str, characters: usize) -> Option<String> {
        super::cleared(arguments, |text| text.len() <= characters)
    }

    #[test]
    fn c3_names_stay_and_long_values_are_replaced_by_their_length() {
        let long = "x".repeat(100);
        let arguments = format!(
            r#"{{"path":"a.rs","content":"{long}","lines":[1,2],"deep":{{"b":"{long}"}}}}"#
        );
        assert_eq!(
            cleared(&arguments, 200).unwrap(),
            r#"{"path":"a.rs","content":"[100 characters left out]","lines":[1,2],"deep":"[108 characters left out]"}"#
        );
    }

    #[test]
    fn c3_many_short_values_are_replaced_and_their_names_stay() {
        let object: Map<String, Value> =
            (0..3).map(|at| (format!("k{at}"), "short text".into())).collect();
        let object = Value::Object(object).to_string();
        assert_eq!(cleared(&object, 1_000), None);
        assert_eq!(cleared(&object, 40).unwrap(), r#"{"k0":"…","k1":"…","k2":"…"}"#);
        assert_eq!(cleared(r#"{"a":1,"b":2}"#, 1), None, "nothing would become shorter");
    }

    #[test]
    fn c3_of_an_array_the_first_items_stay() {
        let array = Value::Array(vec![1.into(); 20]).to_string();
        assert_eq!(cleared(&array, 26).unwrap(), r#"[1,1,"[18 more left out]"]"#);
        assert_eq!(cleared(&array, 1).unwrap(), r#"["[20 more left out]"]"#);
        let long = Value::Array(vec![1.into(), "x".repeat(100).into()]).to_string();
        assert_eq!(cleared(&long, 40).unwrap(), r#"[1,"[100 characters left out]"]"#);
    }

    #[test]
    fn c3_of_a_text_the_length_stays_and_what_is_not_json_is_not_changed() {
        let text = format!("\"{}\"", "x".repeat(100));
        assert_eq!(cleared(&text, 50).unwrap(), r#""[100 characters left out]""#);
        assert_eq!(cleared("{\"a\":", 1), None);
    }
}
