//! The state of a tool part, which holds a call together with its approval and its result.

use std::borrow::Cow;

use serde_json::Value;

use super::super::part::{DENIED, UNNAMED_TOOL, as_sent};

/// The type of a part; empty if it has none.
pub(super) fn type_of(part: &Value) -> &str {
    part.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The name of the tool; `None` for a part that is not a tool part.
pub(super) fn tool_name(part: &Value) -> Option<&str> {
    match type_of(part) {
        "dynamic-tool" => part.get("toolName").and_then(Value::as_str).or(Some(UNNAMED_TOOL)),
        // The form of earlier versions, with the whole call inside. It is not read.
        "tool-invocation" if part.get("toolInvocation").is_some() => None,
        kind => kind.strip_prefix("tool-"),
    }
}

/// The state of a call. If the part does not have a known one, its other fields decide.
pub(super) fn state_of(part: &Value) -> &'static str {
    let state = part.get("state").and_then(Value::as_str);
    let known = STATES.into_iter().find(|known| state == Some(known));
    known.unwrap_or_else(|| match ["errorText", "output"].map(|key| part.get(key).is_some()) {
        [true, _] => "output-error",
        [_, true] => "output-available",
        _ => "input-available",
    })
}

const STATES: [&str; 7] = [
    "input-streaming",
    "input-available",
    "approval-requested",
    "approval-responded",
    "output-available",
    "output-error",
    "output-denied",
];

/// The result that is sent to the model, and whether it is an error; `None` for a call without a result.
pub(super) fn outcome(part: &Value) -> Option<(Cow<'_, str>, bool)> {
    let text = |path: &str| part.pointer(path).and_then(Value::as_str).map(Cow::Borrowed);
    let denied = part.pointer("/approval/approved") == Some(&Value::Bool(false));
    match state_of(part) {
        "output-available" => Some((as_sent(part.get("output")), false)),
        "output-error" => Some((text("/errorText").unwrap_or_default(), true)),
        "approval-responded" if !denied => None,
        "output-denied" | "approval-responded" => {
            Some((text("/approval/reason").unwrap_or(DENIED.into()), true))
        }
        _ => None,
    }
}
