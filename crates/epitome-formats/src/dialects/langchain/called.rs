//! The calls of a LangChain message, each with every place where it stands.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::path::Path;

/// A call. Its first place is the one that LangChain itself goes by; the others are what a provider sent,
/// kept beside it, and some of LangChain's converters send those instead.
#[derive(Debug, PartialEq)]
pub(super) struct Called<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    /// As text; `None` where there are none.
    pub(super) arguments: Option<Cow<'a, str>>,
    pub(super) places: Vec<Path>,
    /// The list that it was found in last.
    list: usize,
    /// Its number among the blocks that a provider streamed.
    index: Option<u64>,
}

/// The calls of a message, in order. Linear in what it holds, times its calls.
pub(super) fn called(body: &Map<String, Value>) -> Vec<Called<'_>> {
    let mut all: Vec<Called<'_>> = Vec::new();
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
                    add(&mut all, list, at.clone().at(index), element);
                }
            }
            Some(Value::Object(_)) if inner == Some("function_call") => {
                add(&mut all, list, at, found.unwrap_or(&Value::Null));
            }
            _ => {}
        }
    }
    all
}

/// Where calls stand, the most trusted first.
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

/// Types of what is a call in a list that holds other things too.
const TYPES: [&str; 7] = [
    "tool_use",
    "tool_call",
    "invalid_tool_call",
    "tool_call_chunk",
    "functionCall",
    "function_call",
    "custom_tool_call",
];

fn add<'a>(all: &mut Vec<Called<'a>>, list: usize, at: Path, value: &'a Value) {
    let typed = ["tool_calls", "function_call", "tool_call_chunks", "invalid_tool_calls"];
    let mixed = LISTS.get(list).is_some_and(|(key, inner)| !typed.contains(&inner.unwrap_or(key)));
    let kind = value.get("type").and_then(Value::as_str);
    let index = value.get("index").and_then(Value::as_u64);
    // What was streamed of the arguments stands behind the block that they are of.
    if mixed && kind == Some("input_json_delta") && index.is_some() {
        let own = all.iter_mut().find(|call| call.index == index);
        own.into_iter().for_each(|call| call.places.push(at.clone()));
        return;
    }
    if !value.is_object() || mixed && !kind.is_some_and(|kind| TYPES.contains(&kind)) {
        return;
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let id = if text("call_id").is_empty() { text("id") } else { text("call_id") };
    let inside = body(value);
    let name = inside.get("name").and_then(Value::as_str).unwrap_or_default();
    let own = matches!(LISTS.get(list), Some(("tool_calls" | "invalid_tool_calls", None)));
    if !own && id.is_empty() && name.is_empty() {
        return;
    }
    // What was called before calls had ids, and what Gemini calls, is known by its name only.
    let same = |other: &&mut Called<'_>| {
        let alike = if id.is_empty() { !own && other.name == name } else { other.id == id };
        alike && other.list != list
    };
    if let Some(known) = all.iter_mut().find(same) {
        known.places.push(at);
        known.list = list;
        known.index = index.filter(|_| mixed).or(known.index);
        return;
    }
    let legacy = matches!(LISTS.get(list), Some((_, Some("function_call"))));
    let id = if legacy { name } else { id };
    let arguments = key(inside).and_then(|key| inside.get(key)).map(|value| match value {
        Value::String(text) => Cow::Borrowed(text.as_str()),
        other => other.to_string().into(),
    });
    let index = index.filter(|_| mixed);
    all.push(Called { id, name, arguments, places: vec![at], list, index });
}

/// Gives a call other arguments, in whatever form it is.
pub(super) fn call_with(call: &mut Value, arguments: &str) {
    // The arguments of a block that was streamed stand behind it.
    let streamed = call.get("type").and_then(Value::as_str) == Some("tool_use");
    let inner = WRAPS.into_iter().find(|key| call.get(key).is_some_and(Value::is_object));
    let body = match inner {
        Some(inner) => call.get_mut(inner),
        None => Some(call),
    };
    let Some(body) = body else { return };
    let Some(slot) = key(body).and_then(|key| body.get_mut(key)) else { return };
    *slot = match slot {
        Value::String(text) if text.is_empty() && streamed => return,
        Value::String(_) => arguments.into(),
        _ => serde_json::from_str(arguments).unwrap_or_else(|_| arguments.into()),
    };
}

/// Keys under which a provider's call has its name and its arguments.
const WRAPS: [&str; 3] = ["function", "custom", "functionCall"];

fn body(call: &Value) -> &Value {
    let inner = WRAPS.into_iter().find_map(|key| call.get(key));
    inner.filter(|inner| inner.is_object()).unwrap_or(call)
}

/// The key of a call's arguments.
fn key(body: &Value) -> Option<&'static str> {
    let told = |key: &&str| body.get(key).is_some_and(|value| !value.is_null());
    ["args", "arguments", "input"].into_iter().find(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(body: &Value, expected: &[(&str, Option<&str>, &[&str])]) {
        let found = called(body.as_object().unwrap());
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
    fn a_call_that_stands_in_many_places_is_one() {
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
    fn what_was_streamed_belongs_to_the_call_before_it() {
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
            call_with(&mut before, "{\"x\":1}");
            assert_eq!(before, after);
        }
    }

    #[test]
    fn calls_of_one_list_are_never_one() {
        let call = json!({ "id": "a", "name": "f", "args": {} });
        check(
            &json!({ "tool_calls": [call, call] }),
            &[("a", Some("{}"), &["tool_calls[0]"]), ("a", Some("{}"), &["tool_calls[1]"])],
        );
    }

    #[test]
    fn what_has_no_id_is_known_by_its_name() {
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
