//! Where the fields of a part are.

use serde_json::{Map, Value};

/// A field of a part, in camel case or snake case: the provider accepts both. Some programs write `null` for
/// a missing field.
pub(super) fn field<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let found = |name: &str| value.get(name).filter(|found| !found.is_null());
    found(name).or_else(|| found(&snake(name)))
}

/// A field that is a text.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    field(value, name).and_then(Value::as_str)
}

/// A field that determines the type of a part, such as `functionCall`.
pub(super) fn body<'a>(part: &'a Value, name: &str) -> Option<&'a Value> {
    field(part, name).filter(|body| body.is_object())
}

/// The same, mutable.
pub(super) fn body_mut<'a>(part: &'a mut Value, name: &str) -> Option<&'a mut Map<String, Value>> {
    let is_camel_case = part.get(name).is_some_and(Value::is_object);
    let body = if is_camel_case { part.get_mut(name) } else { part.get_mut(snake(name)) };
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

/// The text of a response with a single text under one of the usual keys, with that key.
pub(super) fn only_text(response: &Value) -> Option<(&str, &str)> {
    let mut members = response.as_object()?.iter();
    match (members.next()?, members.next()) {
        ((key, Value::String(text)), None) if TEXT_KEYS.contains(&key.as_str()) => {
            Some((key, text))
        }
        _ => None,
    }
}

/// Keys that tools use for their only text. They carry no meaning, except for that of an error.
const TEXT_KEYS: [&str; 4] = ["output", "result", "return_value", FAILURE];

/// The key of an error.
pub(super) const FAILURE: &str = "error";

/// Parts that are kept as they are: calls and results of the provider's own tools, and the like.
pub(super) const KNOWN: [&str; 5] =
    ["executableCode", "codeExecutionResult", "toolCall", "toolResponse", "audioTranscription"];

/// The name of the tool in a call id that the reader made of it: `look` in `look#2`.
pub(super) fn tool_name_in(call: &str) -> &str {
    match call.rsplit_once('#') {
        Some((name, number)) if number.chars().all(|digit| digit.is_ascii_digit()) => name,
        _ => call,
    }
}
