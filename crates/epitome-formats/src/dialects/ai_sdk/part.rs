//! Parts as both message formats of the Vercel AI SDK have them.

use std::borrow::Cow;

use epitome::history::PLACEHOLDER_RESULT;
use epitome::message::Role;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::attachment::{Attachment, Source};
use crate::content::{Content, ContentPart};
use crate::issue::IssueCode;
use crate::path::Path;
use crate::usage_fields::UsageFields;

/// The result of a call that was not approved, if no reason was given. It is the text that the SDK sends.
pub(crate) const DENIED: &str = "Tool call execution denied.";

/// The tool name for results without one; the SDK requires a name.
pub(crate) const UNNAMED_TOOL: &str = "unknown";

/// Where usage objects of versions 4 to 6 report token counts, in the results of the SDK and in those of its
/// providers.
pub(crate) const AI_SDK_USAGE: UsageFields = UsageFields {
    prompt: &["/inputTokens", "/inputTokens/total", "/promptTokens"],
    completion: &["/outputTokens", "/outputTokens/total", "/completionTokens"],
    total: &["/totalTokens"],
    cached: &["/inputTokenDetails/cacheReadTokens", "/inputTokens/cacheRead", "/cachedInputTokens"],
    cache_written: &["/inputTokenDetails/cacheWriteTokens", "/inputTokens/cacheWrite"],
    reasoning: &[
        "/outputTokenDetails/reasoningTokens",
        "/outputTokens/reasoning",
        "/reasoningTokens",
    ],
    ..UsageFields::NONE
};

/// The role of a message.
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
    content.note(&Path::key("role"), IssueCode::UnknownRole, message);
    role
}

/// Reads a part of an unknown type and adds an issue for it.
pub(crate) fn unknown<'a>(
    at: &Path,
    part: &'a Value,
    content: &mut Content<'a>,
) -> ContentPart<'a> {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or("untyped");
    let code = match kind {
        "tool_use" | "tool_result" | "tool-invocation" | "function_call" => IssueCode::ForeignPart,
        _ => IssueCode::UnknownPart,
    };
    let message = format!("a part of type {kind:?} is unknown; it is kept as it is");
    content.note(at, code, message);
    ContentPart::opaque(kind, part)
}

/// True for a compaction by the provider itself.
pub(crate) fn is_compaction(part: &Value, metadata: Option<&Value>) -> bool {
    let named = |value: &Value, key: &str, end: &str| {
        value.get(key).and_then(Value::as_str).is_some_and(|name| name.ends_with(end))
    };
    let mut providers = metadata.and_then(Value::as_object).into_iter().flat_map(Map::values);
    named(part, "kind", ".compaction") || providers.any(|own| named(own, "type", "compaction"))
}

/// The signature of reasoning: all provider metadata, as JSON. The SDK keeps what each provider signs with
/// under names of its own, so the metadata is kept as a whole.
pub(crate) fn signature_of(metadata: &Value) -> Option<Cow<'_, str>> {
    let has_metadata = metadata.as_object().is_some_and(|metadata| !metadata.is_empty());
    has_metadata.then(|| metadata.to_string().into())
}

/// The provider metadata in a signature; `None` for a signature of another format, which is lost.
pub(crate) fn metadata_of(signature: &str, lost: &mut Vec<String>) -> Option<Value> {
    let metadata = serde_json::from_str(signature).ok().filter(Value::is_object);
    if metadata.is_none() {
        lost.push("the signature of reasoning is left out".into());
    }
    metadata
}

/// Sets a member of a part.
pub(crate) fn set(part: &mut Value, key: &str, value: impl Into<Value>) {
    if let Some(part) = part.as_object_mut() {
        part.insert(key.into(), value.into());
    }
}

/// The arguments of a call as JSON. A text that is JSON is used as it is.
pub(crate) fn arguments_of(input: &Value) -> Cow<'_, str> {
    match input {
        Value::String(text) if is_json(text) => text.into(),
        other => other.to_string().into(),
    }
}

/// Arguments as a value; as a text if they are not valid JSON.
pub(crate) fn input_of(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(input) => input,
        Err(_) if arguments.trim().is_empty() => json!({}),
        Err(_) => arguments.into(),
    }
}

/// Replaces the input of a call. Input that is JSON in a text stays in this form.
pub(crate) fn set_input(item: &mut Value, arguments: &str) {
    let Some(object) = item.as_object_mut() else { return };
    let is_text = matches!(object.get("input"), Some(Value::String(text)) if is_json(text));
    let input = if is_text { arguments.into() } else { input_of(arguments) };
    object.insert("input".into(), input);
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// A value as it is sent to the model: a text as it is, anything else as JSON.
pub(crate) fn as_sent(value: Option<&Value>) -> Cow<'_, str> {
    match value {
        Some(Value::String(text)) => text.into(),
        Some(other) => other.to_string().into(),
        None => "null".into(),
    }
}

/// True for a result that is written as an error: a failed one, and a placeholder for a missing one.
pub(crate) fn is_error(failed: bool, text: &str) -> bool {
    failed || text == PLACEHOLDER_RESULT
}

/// Reads an image or a file, in the forms of all versions of the SDK.
pub(crate) fn attachment(part: &Value) -> Attachment<'_> {
    let text = |key: &str| part.get(key).and_then(Value::as_str);
    let inline = ["data", "image", "url"].into_iter().find_map(|key| part.get(key)).map(data);
    let stored = || part.get("fileId").or(part.get("providerReference")).map(reference);
    let mut attachment = inline.or_else(stored).unwrap_or_default();
    let is_image = text("type").is_some_and(|kind| kind.starts_with("image"));
    let media_type = text("mediaType").map(Cow::Borrowed);
    attachment.media_type =
        media_type.or(attachment.media_type).or(is_image.then_some("image".into()));
    attachment.name = text("filename").map(Cow::Borrowed);
    attachment
}

fn data(value: &Value) -> Attachment<'_> {
    match value {
        // Base64 has no colon, and a URL has one after its scheme, which is short.
        Value::String(text) if text.bytes().take(20).any(|byte| byte == b':') => {
            Attachment::at(text)
        }
        Value::String(text) => Attachment::bytes(None, text),
        _ => match value.get("type").and_then(Value::as_str) {
            Some("data") => value.get("data").map(data).unwrap_or_default(),
            Some("url") => value.get("url").map(data).unwrap_or_default(),
            Some("reference") => value.get("reference").map(reference).unwrap_or_default(),
            Some(_) => Attachment::default(),
            None => reference(value),
        },
    }
}

/// A file that the provider stores: its id, or an object with ids by provider.
fn reference(value: &Value) -> Attachment<'_> {
    let by_provider = || value.as_object()?.values().find_map(Value::as_str);
    let id = value.as_str().or_else(by_provider);
    let source = id.map_or(Source::Unknown, |id| Source::Id(id.into()));
    Attachment { source, ..Attachment::default() }
}

/// The media type of an image or file. The SDK requires one.
pub(crate) fn media_type<'a>(media: &'a Attachment<'_>) -> &'a str {
    match media.media_type.as_deref() {
        None => "application/octet-stream",
        Some("image") => "image/*",
        Some(kind) => kind,
    }
}
