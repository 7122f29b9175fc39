//! Texts and lists inside messages, handled the same way in several formats.

use std::borrow::Cow;

use serde_json::{Value, json};

/// The texts, joined by line breaks. A single text is not copied.
pub(crate) fn joined<'a>(mut texts: Vec<Cow<'a, str>>) -> Cow<'a, str> {
    match texts.len() {
        0 | 1 => texts.pop().unwrap_or_default(),
        _ => texts.join("\n").into(),
    }
}

/// True for an id of letters, digits, `_` and `-`.
pub(crate) fn is_plain_id(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// True for a text that is JSON. Linear.
pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// True for a text that is a JSON object. Linear.
pub(crate) fn is_json_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && is_json(text)
}

/// The content of a tool result with another text. If the content is a list, parts that are not text stay, and so do
/// the other fields of the first text.
pub(crate) fn with_text(content: Option<&Value>, text: &str) -> Value {
    let Some(Value::Array(parts)) = content else { return text.into() };
    let is_text = |part: &&Value| part.get("text").is_some() || part.is_string();
    let others = parts.iter().filter(|part| !is_text(part)).cloned();
    let new = json!({ "type": "text", "text": text });
    std::iter::once(first_text_with(parts, text, new)).chain(others).collect()
}

/// The first part with a text, with another text; if there is none, `new`.
pub(crate) fn first_text_with(parts: &[Value], text: &str, new: Value) -> Value {
    let first = parts.iter().find(|part| part.get("text").is_some());
    first.and_then(Value::as_object).map_or(new, |first| {
        let mut first = first.clone();
        first.insert("text".into(), text.into());
        Value::Object(first)
    })
}

/// Appends the list `key` of `second` to the list `key` of `first`. A text in place of a list becomes a list
/// with one part, which `element` makes. Other fields of `second` are added if `first` has none of their names.
pub(crate) fn append(
    first: &mut Value,
    second: Value,
    key: &'static str,
    element: impl Fn(&str) -> Value,
) {
    let list = |value: Option<Value>| match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(elements)) => elements,
        Some(Value::String(text)) if text.is_empty() => Vec::new(),
        Some(Value::String(text)) => vec![element(&text)],
        Some(other) => vec![other],
    };
    let (Value::Object(first), Value::Object(mut second)) = (first, second) else { return };
    let mut elements = list(first.get_mut(key).map(Value::take));
    elements.extend(list(second.shift_remove(key)));
    first.insert(key.into(), Value::Array(elements));
    for (name, field) in second {
        first.entry(name).or_insert(field);
    }
}

/// Arguments for a format that requires an object. Other arguments are put into one, as `arguments`.
pub(crate) fn object_of(arguments: &str, lost: &mut Vec<String>) -> Value {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(input)) => Value::Object(input),
        Ok(Value::Null) => json!({}),
        Err(_) if arguments.trim().is_empty() => json!({}),
        _ => {
            lost.push(
                "arguments that are not a JSON object are put into one, as \"arguments\"".into(),
            );
            json!({ "arguments": arguments })
        }
    }
}
