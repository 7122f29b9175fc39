//! The tool calls of a LangChain message, each with every place that repeats it.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::path::Path;

/// A tool call. Its first place is the one that LangChain itself uses. The others repeat what the provider sent;
/// for some providers LangChain sends those back instead, so a change has to be made in all places.
#[derive(Debug, PartialEq)]
pub(super) struct Call<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    /// As text; `None` if they are missing.
    pub(super) arguments: Option<Cow<'a, str>>,
    pub(super) places: Vec<Path>,
    /// The index in [`LISTS`] of the last list that has it.
    list: usize,
    /// The index of its content block in the provider's stream.
    index: Option<u64>,
}

/// The calls of a message, in order. Linear in the size of the message, times the number of its calls.
pub(super) fn calls_of(body: &Map<String, Value>) -> Vec<Call<'_>> {
    let mut calls: Vec<Call<'_>> = Vec::new();
    for (list, (key, inner)) in LISTS.into_iter().enumerate() {
        let (found, at) = match inner {
            None => (body.get(key), Path::key(key)),
            Some(inner) => {
                (body.get(key).and_then(|outer| outer.get(inner)), Path::key(key).then(inner))
            }
        };
        match found {
            Some(Value::Array(elements)) => {
                for (index, element) in elements.iter().enumerate() {
                    add(&mut calls, list, at.clone().at(index), element);
                }
            }
            Some(call @ Value::Object(_)) if inner == Some("function_call") => {
                add(&mut calls, list, at, call);
            }
            _ => {}
        }
    }
    calls
}

/// Where calls are: a member of the body, or a member of a member. If a call is in several lists, the first of
/// them decides about its id, name and arguments.
const LISTS: [(&str, Option<&str>); 9] = [
    ("tool_calls", None),
    ("invalid_tool_calls", None),
    ("content", None),
    ("content_blocks", None),
    ("contentBlocks", None),
    ("additional_kwargs", Some("tool_calls")),
    ("additional_kwargs", Some("function_call")),
    ("tool_call_chunks", None),
    ("response_metadata", Some("output")),
];

/// Types of calls in lists that hold other things too.
const TYPES: [&str; 7] = [
    "tool_use",
    "tool_call",
    "invalid_tool_call",
    "tool_call_chunk",
    "functionCall",
    "function_call",
    "custom_tool_call",
];

/// Adds an element of a list: as a new call, as one more place of a known call, or not at all if it is not a
/// call.
fn add<'a>(calls: &mut Vec<Call<'a>>, list: usize, at: Path, value: &'a Value) {
    let lists_of_calls = ["tool_calls", "function_call", "tool_call_chunks", "invalid_tool_calls"];
    let mixed =
        LISTS.get(list).is_some_and(|(key, inner)| !lists_of_calls.contains(&inner.unwrap_or(key)));
    let kind = value.get("type").and_then(Value::as_str);
    let index = value.get("index").and_then(Value::as_u64);
    // Arguments that were streamed are in blocks of their own, after the block of their call and with its index.
    if mixed && kind == Some("input_json_delta") && index.is_some() {
        let own = calls.iter_mut().find(|call| call.index == index);
        own.into_iter().for_each(|call| call.places.push(at.clone()));
        return;
    }
    if !value.is_object() || mixed && !kind.is_some_and(|kind| TYPES.contains(&kind)) {
        return;
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    // Items of OpenAI Responses have an id of their own next to that of the call.
    let id = if text("call_id").is_empty() { text("id") } else { text("call_id") };
    let inside = body(value);
    let name = inside.get("name").and_then(Value::as_str).unwrap_or_default();
    let primary = matches!(LISTS.get(list), Some(("tool_calls" | "invalid_tool_calls", None)));
    // An entry without both is a later fragment of a streamed call. Its text is part of the call that the other
    // lists have whole.
    if !primary && id.is_empty() && name.is_empty() {
        return;
    }
    // Legacy function calls and calls of Gemini have no id, so the name has to do. Two elements of one list
    // are never the same call, even if their ids are equal.
    let same = |other: &&mut Call<'_>| {
        let alike = if id.is_empty() { !primary && other.name == name } else { other.id == id };
        alike && other.list != list
    };
    if let Some(known) = calls.iter_mut().find(same) {
        known.places.push(at);
        // The next call of the same name in this list is then another call.
        known.list = list;
        known.index = index.filter(|_| mixed).or(known.index);
        return;
    }
    // The result of a legacy function call names the function.
    let legacy = matches!(LISTS.get(list), Some((_, Some("function_call"))));
    let id = if legacy { name } else { id };
    let arguments =
        arguments_key(inside).and_then(|key| inside.get(key)).map(|value| match value {
            Value::String(text) => Cow::Borrowed(text.as_str()),
            other => other.to_string().into(),
        });
    let index = index.filter(|_| mixed);
    calls.push(Call { id, name, arguments, places: vec![at], list, index });
}

/// Replaces the arguments of a call in one of its places, in the form that this place has.
pub(super) fn set_arguments(call: &mut Value, arguments: &str) {
    // A streamed block has an empty text for arguments: they are in the blocks after it.
    let streamed = call.get("type").and_then(Value::as_str) == Some("tool_use");
    let inner = WRAPPERS.into_iter().find(|key| call.get(key).is_some_and(Value::is_object));
    let body = match inner {
        Some(inner) => call.get_mut(inner),
        None => Some(call),
    };
    let Some(body) = body else { return };
    let Some(slot) = arguments_key(body).and_then(|key| body.get_mut(key)) else { return };
    *slot = match slot {
        Value::String(text) if text.is_empty() && streamed => return,
        Value::String(_) => arguments.into(),
        _ => serde_json::from_str(arguments).unwrap_or_else(|_| arguments.into()),
    };
}

/// Members in which calls of some providers have their name and arguments.
const WRAPPERS: [&str; 3] = ["function", "custom", "functionCall"];

fn body(call: &Value) -> &Value {
    let inner = WRAPPERS.into_iter().find_map(|key| call.get(key));
    inner.filter(|inner| inner.is_object()).unwrap_or(call)
}

/// The member with the arguments of a call.
fn arguments_key(body: &Value) -> Option<&'static str> {
    let has = |key: &&str| body.get(key).is_some_and(|value| !value.is_null());
    ["args", "arguments", "input"].into_iter().find(has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(body: &Value, expected: &[(&str, Option<&str>, &[&str])]) {
        let found = calls_of(body.as_object().unwrap());
        let found: Vec<_> = found
            .iter()
            .map(|call| {
                let places: Vec<String> = call.places.iter().map(Path::to_string).collect();
                (call.id, call.arguments.as_deref(), places)
            })
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(id, arguments, places)| {
                (*id, *arguments, places.iter().map(|place| (*place).to_owned()).collect())
            })
            .collect();
        assert_eq!(found, expected, "{body}");
    }

    #[test]
    fn a_call_in_several_places_is_read_once() {
        let raw = json!({ "id": "a", "type": "function", "function": { "name": "f", "arguments": "{}" } });
        check(
            &json!({
                "tool_calls": [{ "id": "a", "name": "f", "args": {} }, { "id": "b", "name": "f", "args": { "x": 1 } }],
                "invalid_tool_calls": [{ "id": "c", "name": "f", "args": "{\"x", "error": "bad" }],
                "content": [{ "type": "text", "text": "so" }, { "type": "tool_use", "id": "b", "name": "f", "input": { "x": 1 } }],
                "additional_kwargs": { "tool_calls": [raw] },
                "tool_call_chunks": [{ "id": "c", "args": "{\"x" }],
                "response_metadata": { "output": [{ "type": "function_call", "id": "fc", "call_id": "a", "arguments": "{}" }] },
            }),
            &[
                (
                    "a",
                    Some("{}"),
                    &[
                        "tool_calls[0]",
                        "additional_kwargs.tool_calls[0]",
                        "response_metadata.output[0]",
                    ],
                ),
                ("b", Some("{\"x\":1}"), &["tool_calls[1]", "content[1]"]),
                ("c", Some("{\"x"), &["invalid_tool_calls[0]", "tool_call_chunks[0]"]),
            ],
        );
    }

    #[test]
    fn streamed_arguments_belong_to_the_call_before_them() {
        let block = |input| json!({ "type": "tool_use", "id": "a", "index": 1, "input": input });
        let delta = |input| json!({ "type": "input_json_delta", "index": 1, "input": input });
        check(
            &json!({
                "tool_calls": [{ "id": "a", "name": "f", "args": {} }],
                "content": [block(""), delta("{}"), { "type": "input_json_delta", "index": 7 }],
            }),
            &[("a", Some("{}"), &["tool_calls[0]", "content[0]", "content[1]"])],
        );
        for (mut before, after) in [(block(""), block("")), (delta("{}"), delta("{\"x\":1}"))] {
            set_arguments(&mut before, "{\"x\":1}");
            assert_eq!(before, after);
        }
    }

    #[test]
    fn two_elements_of_one_list_are_two_calls() {
        let call = json!({ "id": "a", "name": "f", "args": {} });
        check(
            &json!({ "tool_calls": [call, call] }),
            &[("a", Some("{}"), &["tool_calls[0]"]), ("a", Some("{}"), &["tool_calls[1]"])],
        );
    }

    #[test]
    fn calls_without_ids_are_matched_by_name() {
        check(
            &json!({
                "tool_calls": [{ "id": "a", "name": "f", "args": {} }],
                "content_blocks": [{ "type": "functionCall", "functionCall": { "name": "f", "args": {} } }],
                "additional_kwargs": { "function_call": { "name": "f", "arguments": "{}" } },
            }),
            &[(
                "a",
                Some("{}"),
                &["tool_calls[0]", "content_blocks[0]", "additional_kwargs.function_call"],
            )],
        );
        check(
            &json!({ "additional_kwargs": { "function_call": { "name": "f", "arguments": "{}" } } }),
            &[("f", Some("{}"), &["additional_kwargs.function_call"])],
        );
        check(
            &json!({
                "tool_calls": [{ "id": "a", "name": "f", "args": {} }],
                "invalid_tool_calls": [{ "name": "f", "args": "{" }],
                "tool_call_chunks": [{ "args": "{", "index": 0 }],
            }),
            &[("a", Some("{}"), &["tool_calls[0]"]), ("", Some("{"), &["invalid_tool_calls[0]"])],
        );
    }
}
