//! What a part of either form of the Vercel AI SDK's messages holds.

use std::borrow::Cow;

use epitome::history::PLACEHOLDER_RESULT;
use epitome::message::Role;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::content::{Attachment, Content, Source, What};
use crate::issue::Code;
use crate::path::Path;

/// What the model is told of a call that a person did not allow, where no reason was given.
pub(crate) const DENIED: &str = "Tool call execution denied.";

/// The name of a tool that nobody told; there must be one.
pub(crate) const NAMELESS: &str = "unknown";

/// Who speaks in a message of either form.
pub(crate) fn role_of(object: &Map<String, Value>, content: &mut Content<'_>) -> Role {
    let name = object.get("role").and_then(Value::as_str).unwrap_or_default();
    let role = match name {
        "system" => return Role::System,
        "user" => return Role::User,
        "assistant" => return Role::Assistant,
        "tool" => return Role::Tool,
        _ => match name.to_ascii_lowercase().as_str() {
            "system" | "developer" => Role::System,
            "assistant" | "ai" | "model" => Role::Assistant,
            "tool" | "function" => Role::Tool,
            _ => Role::User,
        },
    };
    let message = format!("the role {name:?} is unknown; read as {}", role.as_str());
    content.note(&Path::key("role"), Code::UnknownRole, message);
    role
}

/// A part that neither form has, which is noted.
pub(crate) fn unknown<'a>(at: &Path, part: &'a Value, content: &mut Content<'a>) -> What<'a> {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or("untyped");
    let code = match kind {
        "tool_use" | "tool_result" | "tool-invocation" | "function_call" => Code::ForeignPart,
        _ => Code::UnknownPart,
    };
    let message = format!("a part of type {kind:?} is not known; it is kept as it is");
    content.note(at, code, message);
    What::opaque(kind, part)
}

/// True for what a provider has compacted itself.
pub(crate) fn is_compaction(part: &Value, metadata: Option<&Value>) -> bool {
    let named = |value: &Value, key: &str, end: &str| {
        value.get(key).and_then(Value::as_str).is_some_and(|name| name.ends_with(end))
    };
    let mut providers = metadata.and_then(Value::as_object).into_iter().flat_map(Map::values);
    named(part, "kind", ".compaction") || providers.any(|own| named(own, "type", "compaction"))
}

/// The seal on a thought: all that its provider said of it, as JSON.
pub(crate) fn seal(metadata: &Value) -> Option<Cow<'_, str>> {
    let told = metadata.as_object().is_some_and(|told| !told.is_empty());
    told.then(|| metadata.to_string().into())
}

/// What a provider said of a thought, from its seal; `None` for a seal of another format's.
pub(crate) fn unsealed(seal: &str, lost: &mut Vec<String>) -> Option<Value> {
    let metadata = serde_json::from_str(seal).ok().filter(Value::is_object);
    if metadata.is_none() {
        lost.push("the seal of the model's thoughts is left out".into());
    }
    metadata
}

/// Has a part say this under a key.
pub(crate) fn set(part: &mut Value, key: &str, value: impl Into<Value>) {
    if let Some(part) = part.as_object_mut() {
        part.insert(key.into(), value.into());
    }
}

/// The arguments of a call as JSON, as they are where they came as JSON in a text.
pub(crate) fn arguments_of(input: &Value) -> Cow<'_, str> {
    match input {
        Value::String(text) if is_json(text) => text.into(),
        other => other.to_string().into(),
    }
}

/// The arguments of a call as a value, or as the text where that is no JSON.
pub(crate) fn input_of(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(input) => input,
        Err(_) if arguments.trim().is_empty() => json!({}),
        Err(_) => arguments.into(),
    }
}

/// Gives a call other arguments, as JSON in a text where they came so.
pub(crate) fn put_input(item: &mut Value, arguments: &str) {
    let Some(object) = item.as_object_mut() else { return };
    let worded = matches!(object.get("input"), Some(Value::String(text)) if is_json(text));
    let input = if worded { arguments.into() } else { input_of(arguments) };
    object.insert("input".into(), input);
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// A value as the model is sent it: a text as it is, anything else as JSON.
pub(crate) fn worded(value: Option<&Value>) -> Cow<'_, str> {
    match value {
        Some(Value::String(text)) => text.into(),
        Some(other) => other.to_string().into(),
        None => "null".into(),
    }
}

/// True for a result that is written as an error: there was none.
pub(crate) fn is_error(failed: bool, text: &str) -> bool {
    failed || text == PLACEHOLDER_RESULT
}

/// A picture or a file, in any of the ways in which the AI SDK has held one.
pub(crate) fn attachment(part: &Value) -> Attachment<'_> {
    let text = |key: &str| part.get(key).and_then(Value::as_str);
    let held = ["data", "image", "url"].into_iter().find_map(|key| part.get(key)).map(held);
    let named = || part.get("fileId").or(part.get("providerReference")).map(reference);
    let mut attachment = held.or_else(named).unwrap_or_default();
    let is_image = text("type").is_some_and(|kind| kind.starts_with("image"));
    let told = text("mediaType").map(Cow::Borrowed);
    attachment.media_type = told.or(attachment.media_type).or(is_image.then_some("image".into()));
    attachment.name = text("filename").map(Cow::Borrowed);
    attachment
}

fn held(value: &Value) -> Attachment<'_> {
    match value {
        // Base64 has no colon, and what comes before one in an address is short.
        Value::String(text) if text.bytes().take(20).any(|byte| byte == b':') => {
            Attachment::at(text)
        }
        Value::String(text) => Attachment::bytes(None, text),
        _ => match value.get("type").and_then(Value::as_str) {
            Some("data") => value.get("data").map(held).unwrap_or_default(),
            Some("url") => value.get("url").map(held).unwrap_or_default(),
            Some("reference") => value.get("reference").map(reference).unwrap_or_default(),
            Some(_) => Attachment::default(),
            None => reference(value),
        },
    }
}

/// A file that a provider keeps: its name, or the names by provider.
fn reference(value: &Value) -> Attachment<'_> {
    let by_provider = || value.as_object()?.values().find_map(Value::as_str);
    let id = value.as_str().or_else(by_provider);
    let source = id.map_or(Source::Elsewhere, |id| Source::Id(id.into()));
    Attachment { source, ..Attachment::default() }
}

/// The type of a picture or file, which must be told.
pub(crate) fn media_type<'a>(media: &'a Attachment<'_>) -> &'a str {
    match media.media_type.as_deref() {
        None => "application/octet-stream",
        Some("image") => "image/*",
        Some(kind) => kind,
    }
}
