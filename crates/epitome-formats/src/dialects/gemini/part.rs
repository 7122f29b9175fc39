//! Where the parts of a message have what they say.

use serde_json::{Map, Value};

/// A field of a part. The provider takes both spellings, and some programs write `null` for what is not there.
pub(super) fn field<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let found = |name: &str| value.get(name).filter(|found| !found.is_null());
    found(name).or_else(|| found(&snake(name)))
}

/// A text in a part.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    field(value, name).and_then(Value::as_str)
}

/// What stands under one of the names that tell what a part is.
pub(super) fn body<'a>(part: &'a Value, name: &str) -> Option<&'a Value> {
    field(part, name).filter(|body| body.is_object())
}

/// The same, to be changed.
pub(super) fn body_mut<'a>(part: &'a mut Value, name: &str) -> Option<&'a mut Map<String, Value>> {
    let there = part.get(name).is_some_and(Value::is_object);
    let body = if there { part.get_mut(name) } else { part.get_mut(snake(name)) };
    body?.as_object_mut()
}

/// `functionCall` as `function_call`.
fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 2);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// The one thing that a response says, with its key.
pub(super) fn only_text(response: &Value) -> Option<(&str, &str)> {
    let mut members = response.as_object()?.iter();
    match (members.next()?, members.next()) {
        ((key, Value::String(text)), None) if SAID.contains(&key.as_str()) => Some((key, text)),
        _ => None,
    }
}

/// Keys that say nothing about what stands under them, except that one of them is a failure.
const SAID: [&str; 4] = ["output", "result", "return_value", FAILURE];

/// The key of what went wrong.
pub(super) const FAILURE: &str = "error";

/// What stays as it is: what the provider's own tools were asked and answered, and the like.
pub(super) const KNOWN: [&str; 5] =
    ["executableCode", "codeExecutionResult", "toolCall", "toolResponse", "audioTranscription"];

/// The tool in a name that was made of it.
pub(super) fn tool_in(call: &str) -> &str {
    match call.rsplit_once('#') {
        Some((name, number)) if number.chars().all(|digit| digit.is_ascii_digit()) => name,
        _ => call,
    }
}
