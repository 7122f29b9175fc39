//! Vercel AI SDK `ModelMessage`: what is sent to a model.

use std::borrow::Cow;

use epitome::message::Role;
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Value, json};

use super::part::{
    AI_SDK_USAGE, DENIED, UNNAMED_TOOL, arguments_of, as_sent, attachment, input_of, is_compaction,
    is_error, media_type, metadata_of, role_of, set, set_input, signature_of, unknown,
};
use crate::attachment::{Attachment, Source};
use crate::conformance::{Conformance, Sample};
use crate::content::{Content, ContentPart};
use crate::dialect::{Dialect, Turn};
use crate::issue::IssueCode;
use crate::path::Path;
use crate::shape::{ShapeError, kind};
use crate::text::{append, first_text_with, joined};
use crate::usage_fields::UsageFields;

/// Vercel AI SDK `ModelMessage`: what is sent to a model.
///
/// Bytes and URLs that are objects in JavaScript arrive here as placeholder values, and stay in their places.
pub(crate) struct AiSdkModel;

impl AiSdkModel {
    /// What the provider accepts.
    pub(crate) const CONTRACT: Contract = Contract {
        system: SystemPlace::Separate,
        first: First::Anyone,
        last: Last::Anyone,
        neighbours: Neighbours::Free,
        results: ResultPlace::DirectlyAfter,
        blank_text: BlankText::Allowed,
        reasoning: ReasoningPolicy::WholeTurn,
        summary: SummaryRole::User,
    };

    /// Where the provider reports token counts.
    pub(crate) const USAGE_FIELDS: UsageFields = AI_SDK_USAGE;
}

impl Dialect for AiSdkModel {
    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        let Value::Object(object) = value else {
            return Err(ShapeError::expected("an object with role and content", value));
        };
        let mut content = Content::default();
        let role = role_of(object, &mut content);
        let at = Path::key("content");
        // Approvals in a tool message are read after its results, so that results follow their calls.
        let mut last = Vec::new();
        match object.get("content") {
            Some(Value::String(text)) => content.push(role, at, ContentPart::Text(text.into())),
            Some(Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    let at = at.clone().at(index);
                    match part_of(role, &at, part, &mut content) {
                        part @ ContentPart::Result { .. } => content.push(Role::Tool, at, part),
                        part if role == Role::Tool => last.push((at, part)),
                        part => content.push(role, at, part),
                    }
                }
            }
            None | Some(Value::Null) => {
                content.note(&at, IssueCode::MissingContent, "the content is missing");
            }
            Some(other) => {
                let message = format!("the content is {}; read as text", kind(other));
                content.note(&at, IssueCode::NotText, message);
                content.push(role, at, ContentPart::Text(other.to_string().into()));
            }
        }
        last.into_iter().for_each(|(at, part)| content.push(role, at, part));
        Ok(content.or_empty_step(role))
    }

    fn set_result(&self, item: &mut Value, text: &str) {
        let Some(object) = item.as_object_mut() else { return };
        let Some(Value::Object(output)) = object.get_mut("output") else {
            object.insert("output".into(), json!({ "type": "text", "value": text }));
            return;
        };
        let (key, kind, value) = match output.get("type").and_then(Value::as_str) {
            Some("execution-denied") => ("reason", "execution-denied", text.into()),
            // The new value is a text, and a shortened JSON value is not JSON any more. Only the error itself
            // has to stay.
            Some("error-text" | "error-json") => ("value", "error-text", text.into()),
            Some("content") => {
                let parts = output.get("value").and_then(Value::as_array);
                let parts = parts.map(Vec::as_slice).unwrap_or_default();
                // A change is about the text only, so that images and files stay.
                let media = parts.iter().filter(|part| !is_text(part)).cloned();
                let new = json!({ "type": "text", "text": text });
                let text = first_text_with(parts, text, new);
                ("value", "content", std::iter::once(text).chain(media).collect())
            }
            _ => ("value", "text", text.into()),
        };
        output.insert("type".into(), kind.into());
        output.insert(key.into(), value);
    }

    fn set_arguments(&self, item: &mut Value, arguments: &str) {
        set_input(item, arguments);
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        let mut content = Vec::new();
        let mut results = Vec::new();
        for part in &turn.parts {
            let to = match part {
                ContentPart::Result { .. } | ContentPart::Approval { granted: Some(_), .. } => {
                    &mut results
                }
                _ => &mut content,
            };
            to.extend(write_part(part, lost));
        }
        let content = match turn.parts.as_slice() {
            [ContentPart::Text(text)] => text.as_ref().into(),
            _ if turn.role == Role::System => {
                let texts =
                    content.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
                texts.collect::<Vec<_>>().join("\n").into()
            }
            _ => Value::Array(content),
        };
        let empty = content.as_array().is_some_and(Vec::is_empty);
        // The SDK has approval responses and the results of the app's tools only in tool messages, so that one
        // turn can become two messages.
        let first = (turn.role != Role::Tool && !empty)
            .then(|| json!({ "role": turn.role.as_str(), "content": content }));
        let second = (!results.is_empty()).then(|| json!({ "role": "tool", "content": results }));
        first.into_iter().chain(second).collect()
    }

    fn merge(&self, first: &mut Value, second: Value) {
        append(first, second, "content", |text| json!({ "type": "text", "text": text }));
    }
}

impl Conformance for AiSdkModel {
    fn recognizes(&self, sample: Sample<'_>) -> bool {
        let Sample::Part(part) = sample else { return false };
        match part.get("type").and_then(Value::as_str).unwrap_or_default() {
            "tool-call" | "tool-result" | "reasoning" => true,
            "tool-approval-request" | "tool-approval-response" => true,
            "image" | "file" => part.get("mediaType").is_some(),
            _ => false,
        }
    }
}

fn part_of<'a>(
    role: Role,
    at: &Path,
    part: &'a Value,
    content: &mut Content<'a>,
) -> ContentPart<'a> {
    let text = |key: &str| part.get(key).and_then(Value::as_str);
    let owned = |key: &str| Cow::Borrowed(text(key).unwrap_or_default());
    let options = part.get("providerOptions");
    let flag = |key: &str| part.get(key).and_then(Value::as_bool).unwrap_or_default();
    let read = match text("type") {
        Some(kind @ ("text" | "custom")) if is_compaction(part, options) => {
            content.pinned = true;
            Some(ContentPart::opaque(text("kind").unwrap_or(kind), part))
        }
        Some("text") => ContentPart::text(text("text")),
        Some("reasoning") => Some(ContentPart::Reasoning {
            text: owned("text"),
            signature: options.and_then(signature_of),
        }),
        Some("image" | "file") => Some(attachment(part).into()),
        Some(kind @ "tool-call") if flag("providerExecuted") => {
            Some(ContentPart::opaque(kind, part))
        }
        Some("tool-call") => {
            let arguments = part.get("input").map(arguments_of).unwrap_or_else(|| {
                let at = at.clone().then("input");
                content.note(&at, IssueCode::MissingArguments, "the input is missing");
                "".into()
            });
            Some(ContentPart::Call {
                call: owned("toolCallId"),
                name: owned("toolName"),
                arguments,
            })
        }
        // An assistant message has only results of tools that the provider ran itself.
        Some(kind @ "tool-result") if role == Role::Assistant => {
            Some(ContentPart::opaque(kind, part))
        }
        Some("tool-result") => Some(result(at, part, content)),
        Some("tool-approval-request") => Some(ContentPart::Approval {
            approval: owned("approvalId"),
            call: Some(owned("toolCallId")),
            granted: None,
        }),
        Some("tool-approval-response") => Some(ContentPart::Approval {
            approval: owned("approvalId"),
            call: None,
            granted: Some(flag("approved")),
        }),
        Some(kind @ "reasoning-file") => Some(ContentPart::opaque(kind, part)),
        Some(kind @ "custom") => Some(ContentPart::opaque(text("kind").unwrap_or(kind), part)),
        _ => None,
    };
    read.unwrap_or_else(|| unknown(at, part, content))
}

fn is_text(part: &Value) -> bool {
    part.get("type").and_then(Value::as_str) == Some("text")
}

fn result<'a>(at: &Path, part: &'a Value, content: &mut Content<'a>) -> ContentPart<'a> {
    let field = |key: &str| part.get(key).and_then(Value::as_str);
    let output = part.get("output");
    let inside = |key: &str| output.and_then(|output| output.get(key));
    let (mut media, mut failed) = (Vec::new(), false);
    let text = match inside("type").and_then(Value::as_str) {
        Some("text") => as_sent(inside("value")),
        Some("json") => inside("value").map_or("null".into(), |value| value.to_string().into()),
        Some("error-text" | "error-json") => {
            failed = true;
            as_sent(inside("value"))
        }
        Some("execution-denied") => {
            failed = true;
            inside("reason").and_then(Value::as_str).unwrap_or(DENIED).into()
        }
        Some("content") => {
            let mut texts = Vec::new();
            for part in inside("value").and_then(Value::as_array).into_iter().flatten() {
                match part.get("type").and_then(Value::as_str) {
                    Some("text") => texts.push(as_sent(part.get("text"))),
                    Some("custom") | None => texts.push(part.to_string().into()),
                    Some(_) => media.push(attachment(part)),
                }
            }
            joined(texts)
        }
        _ => {
            let at = at.clone().then("output");
            match output.or(part.get("result")) {
                Some(other) => {
                    let message = "expected an object with type and value; read as text";
                    content.note(&at, IssueCode::NotText, message);
                    as_sent(Some(other))
                }
                None => {
                    let message = "the output is missing; read as empty";
                    content.note(&at, IssueCode::MissingContent, message);
                    "".into()
                }
            }
        }
    };
    let call = field("toolCallId").unwrap_or_default().into();
    let name = field("toolName").map(Cow::Borrowed);
    ContentPart::Result { call, name, text, media, failed }
}

/// Writes a part, if the format can hold it.
fn write_part(part: &ContentPart<'_>, lost: &mut Vec<String>) -> Option<Value> {
    Some(match part {
        ContentPart::Text(text) => json!({ "type": "text", "text": text }),
        ContentPart::Reasoning { text, signature } => {
            let mut part = json!({ "type": "reasoning", "text": text });
            match signature.as_deref().and_then(|signature| metadata_of(signature, lost)) {
                Some(options) => set(&mut part, "providerOptions", options),
                None if text.is_empty() => return None,
                None => {}
            }
            part
        }
        ContentPart::Call { call, name, arguments } => {
            let input = input_of(arguments);
            json!({ "type": "tool-call", "toolCallId": call, "toolName": name, "input": input })
        }
        ContentPart::Result { call, name, text, media, failed } => {
            let name = name.as_deref().unwrap_or(UNNAMED_TOOL);
            let output = output(text, media, *failed, lost);
            json!({ "type": "tool-result", "toolCallId": call, "toolName": name, "output": output })
        }
        ContentPart::Approval { approval, granted: Some(approved), .. } => {
            json!({ "type": "tool-approval-response", "approvalId": approval, "approved": approved })
        }
        ContentPart::Approval { approval, call, granted: None } => {
            json!({ "type": "tool-approval-request", "approvalId": approval, "toolCallId": call })
        }
        ContentPart::Image(media) | ContentPart::File(media) => {
            let data = match &media.source {
                Source::Base64(data) | Source::Url(data) => data,
                Source::Id(_) | Source::Unknown => {
                    lost.push("an image or file that only another provider has is left out".into());
                    return None;
                }
            };
            let mut file = json!({ "type": "file", "mediaType": media_type(media), "data": data });
            if let Some(name) = &media.name {
                set(&mut file, "filename", name.as_ref());
            }
            file
        }
        ContentPart::Opaque { kind, .. } => {
            lost.push(format!("a part of type {kind:?} is left out"));
            return None;
        }
        ContentPart::NotSent => return None,
    })
}

fn output(text: &str, media: &[Attachment<'_>], failed: bool, lost: &mut Vec<String>) -> Value {
    if media.is_empty() {
        let kind = if is_error(failed, text) { "error-text" } else { "text" };
        return json!({ "type": kind, "value": text });
    }
    let mut parts = Vec::new();
    if !text.is_empty() {
        parts.push(json!({ "type": "text", "text": text }));
    }
    for media in media {
        let form = if media.is_image() { "image" } else { "file" };
        parts.extend(match &media.source {
            Source::Base64(data) => {
                let kind = media_type(media);
                Some(json!({ "type": format!("{form}-data"), "data": data, "mediaType": kind }))
            }
            Source::Url(url) => Some(json!({ "type": format!("{form}-url"), "url": url })),
            Source::Id(_) | Source::Unknown => {
                lost.push("an image or file that only another provider has is left out".into());
                None
            }
        });
    }
    json!({ "type": "content", "value": parts })
}

#[cfg(test)]
mod tests;
