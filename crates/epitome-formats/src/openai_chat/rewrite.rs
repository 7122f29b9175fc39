//! A message with some of its parts changed; everything else in it stays as it came.

use epitome::history::{Change, PartChange};
use epitome::message::{MessageId, Part};
use serde_json::{Map, Value, json};

use super::read;

/// See [`Format::rewrite`](crate::Format::rewrite).
pub fn rewrite(original: &Value, changes: &[PartChange]) -> Value {
    let mut value = original.clone();
    let Ok(reading) = read(MessageId::from(""), original) else { return value };
    let parts = &reading.message.parts;
    let Value::Object(object) = &mut value else { return value };
    for PartChange { part, change } in changes {
        let calls_before = parts.iter().take(*part).filter(|part| is_call(part)).count();
        match (change, parts.get(*part)) {
            (
                Change::Text { text } | Change::Offload { text, .. },
                Some(Part::ToolResult { .. }),
            ) => say(object, text),
            (Change::Arguments { arguments }, Some(Part::ToolCall { .. })) => {
                call_with(object, calls_before, arguments);
            }
            (Change::Remove, Some(Part::Reasoning { .. })) => {
                object.shift_remove("reasoning_content");
                object.shift_remove("reasoning");
            }
            // The engine changes nothing else.
            _ => {}
        }
    }
    value
}

fn is_call(part: &Part) -> bool {
    matches!(part, Part::ToolCall { .. })
}

/// Puts a text in the place of all the text of a result; pictures in it stay.
fn say(object: &mut Map<String, Value>, text: &str) {
    let content = match object.get_mut("content") {
        Some(Value::Array(parts)) => {
            let is_text = |part: &Value| part.get("text").is_some() || part.is_string();
            let others = parts.iter().filter(|part| !is_text(part)).cloned();
            let said = json!({ "type": "text", "text": text });
            Value::Array(std::iter::once(said).chain(others).collect())
        }
        _ => text.into(),
    };
    object.insert("content".into(), content);
}

/// Gives the call at an index other arguments, written as they were: a string, or an object.
fn call_with(object: &mut Map<String, Value>, index: usize, arguments: &str) {
    let calls = object.get("tool_calls").and_then(Value::as_array).map_or(0, Vec::len);
    let call = match index < calls {
        true => object.get_mut("tool_calls").and_then(|calls| calls.get_mut(index)),
        false => object.get_mut("function_call"),
    };
    let Some(call) = call else { return };
    let body = match ["function", "custom"].into_iter().find(|key| call.get(key).is_some()) {
        Some(key) => call.get_mut(key),
        None => Some(call),
    };
    let key = |body: &Value| if body.get("arguments").is_some() { "arguments" } else { "input" };
    if let Some(slot) = body.and_then(|body| body.get_mut(key(body))) {
        let object = slot.is_object().then(|| serde_json::from_str(arguments).ok()).flatten();
        *slot = object.unwrap_or_else(|| arguments.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(original: &Value, part: usize, change: Change, expected: &Value) {
        assert_eq!(&rewrite(original, &[PartChange { part, change }]), expected);
    }

    #[test]
    fn a_result_says_something_else_and_keeps_its_pictures() {
        let text = Change::Text { text: "short".into() };
        check(
            &json!({ "role": "tool", "tool_call_id": "a", "content": "long", "x": 1 }),
            0,
            text.clone(),
            &json!({ "role": "tool", "tool_call_id": "a", "content": "short", "x": 1 }),
        );
        let picture = json!({ "type": "image_url", "image_url": { "url": "u" } });
        let parts = json!([{ "type": "text", "text": "long" }, picture]);
        let short = json!([{ "type": "text", "text": "short" }, picture]);
        check(
            &json!({ "role": "tool", "tool_call_id": "a", "content": parts }),
            1,
            text,
            &json!({ "role": "tool", "tool_call_id": "a", "content": short }),
        );
    }

    #[test]
    fn a_call_has_other_arguments_and_keeps_its_form() {
        let arguments = Change::Arguments { arguments: "{\"a\":2}".into() };
        let call = |arguments: Value| json!({ "id": "c", "function": { "name": "f", "arguments": arguments } });
        let message = |second: Value| json!({ "role": "assistant", "content": "so", "tool_calls": [call(json!("{}")), call(second)] });
        let one = json!("{\"a\":1}");
        check(&message(one), 2, arguments.clone(), &message(json!("{\"a\":2}")));
        check(&message(json!({ "a": 1 })), 2, arguments.clone(), &message(json!({ "a": 2 })));
        let old = |arguments: &str| json!({ "role": "assistant", "function_call": { "name": "f", "arguments": arguments } });
        check(&old("{}"), 0, arguments, &old("{\"a\":2}"));
    }

    #[test]
    fn thoughts_can_be_left_out() {
        check(
            &json!({ "role": "assistant", "content": "so", "reasoning_content": "hm" }),
            0,
            Change::Remove,
            &json!({ "role": "assistant", "content": "so" }),
        );
    }
}
