//! Vercel AI SDK `ModelMessage`: what goes to a model.

use std::borrow::Cow;

use epitome::message::Role;
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Value, json};

use super::part::{
    DENIED, NAMELESS, arguments_of, attachment, input_of, is_compaction, is_error, media_type,
    put_input, role_of, seal, set, unknown, unsealed, worded,
};
use crate::content::{Attachment, Content, Piece, Source, What};
use crate::dialect::{Dialect, Turn};
use crate::issue::Code;
use crate::path::Path;
use crate::registry::{ShapeError, kind};
use crate::text::{append, joined};

/// Vercel AI SDK `ModelMessage`: what goes to a model.
///
/// Bytes and addresses that are objects in JavaScript come as whatever stands in for them; they are left
/// where they are.
pub(crate) struct AiSdkModel;

impl Dialect for AiSdkModel {
    fn contract(&self) -> Contract {
        Contract {
            system: SystemPlace::Beside,
            first: First::Anyone,
            last: Last::Anyone,
            neighbours: Neighbours::Free,
            results: ResultPlace::Behind,
            blank_text: BlankText::Allowed,
            reasoning: ReasoningPolicy::WholeTurn,
            summary: SummaryRole::User,
        }
    }

    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        let Value::Object(object) = value else {
            return Err(ShapeError::expected("an object with role and content", value));
        };
        let mut content = Content::default();
        let role = role_of(object, &mut content);
        let at = Path::key("content");
        // What a tool's message holds besides results comes last, so that results follow their calls.
        let mut last = Vec::new();
        match object.get("content") {
            Some(Value::String(text)) => content.push(role, at, What::Text(text.into())),
            Some(Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    let at = at.clone().at(index);
                    match part_of(role, &at, part, &mut content) {
                        what @ What::Result { .. } => content.push(Role::Tool, at, what),
                        what if role == Role::Tool => last.push((at, what)),
                        what => content.push(role, at, what),
                    }
                }
            }
            None | Some(Value::Null) => {
                content.note(&at, Code::MissingContent, "the content is missing");
            }
            Some(other) => {
                let message = format!("the content is {}; read as text", kind(other));
                content.note(&at, Code::NotText, message);
                content.push(role, at, What::Text(other.to_string().into()));
            }
        }
        last.into_iter().for_each(|(at, what)| content.push(role, at, what));
        if content.pieces.is_empty() {
            content.pieces.push(Piece { role, items: Vec::new() });
        }
        Ok(content)
    }

    fn answer(&self, item: &mut Value, text: &str) {
        let Some(object) = item.as_object_mut() else { return };
        let Some(Value::Object(output)) = object.get_mut("output") else {
            object.insert("output".into(), json!({ "type": "text", "value": text }));
            return;
        };
        let (key, kind, value) = match output.get("type").and_then(Value::as_str) {
            Some("execution-denied") => ("reason", "execution-denied", text.into()),
            Some("error-text" | "error-json") => ("value", "error-text", text.into()),
            Some("content") => {
                let parts = output.get("value").and_then(Value::as_array).into_iter().flatten();
                let media: Vec<Value> = parts.filter(|part| !is_text(part)).cloned().collect();
                match media.is_empty() {
                    true => ("value", "text", text.into()),
                    false => {
                        let said = json!({ "type": "text", "text": text });
                        let parts = std::iter::once(said).chain(media).collect();
                        ("value", "content", parts)
                    }
                }
            }
            _ => ("value", "text", text.into()),
        };
        output.insert("type".into(), kind.into());
        output.insert(key.into(), value);
    }

    fn call_with(&self, item: &mut Value, arguments: &str) {
        put_input(item, arguments);
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        let mut said = Vec::new();
        let mut answered = Vec::new();
        for what in &turn.items {
            let to = match what {
                What::Result { .. } | What::Approval { granted: Some(_), .. } => &mut answered,
                _ => &mut said,
            };
            to.extend(written(what, lost));
        }
        let content = match turn.items.as_slice() {
            [What::Text(text)] => text.as_ref().into(),
            _ if turn.role == Role::System => {
                let texts = said.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
                texts.collect::<Vec<_>>().join("\n").into()
            }
            _ => Value::Array(said),
        };
        let empty = content.as_array().is_some_and(Vec::is_empty);
        let first = (turn.role != Role::Tool && !empty)
            .then(|| json!({ "role": turn.role.as_str(), "content": content }));
        let answers =
            (!answered.is_empty()).then(|| json!({ "role": "tool", "content": answered }));
        first.into_iter().chain(answers).collect()
    }

    fn join(&self, first: &mut Value, second: Value) {
        append(first, second, "content", |text| json!({ "type": "text", "text": text }));
    }
}

fn part_of<'a>(role: Role, at: &Path, part: &'a Value, content: &mut Content<'a>) -> What<'a> {
    let text = |key: &str| part.get(key).and_then(Value::as_str);
    let owned = |key: &str| Cow::Borrowed(text(key).unwrap_or_default());
    let options = part.get("providerOptions");
    let flag = |key: &str| part.get(key).and_then(Value::as_bool).unwrap_or_default();
    let read = match text("type") {
        Some(kind @ ("text" | "custom")) if is_compaction(part, options) => {
            content.pinned = true;
            Some(What::opaque(text("kind").unwrap_or(kind), part))
        }
        Some("text") => What::text(text("text")),
        Some("reasoning") => {
            Some(What::Reasoning { text: owned("text"), signature: options.and_then(seal) })
        }
        Some("image" | "file") => Some(attachment(part).what()),
        Some(kind @ "tool-call") if flag("providerExecuted") => Some(What::opaque(kind, part)),
        Some("tool-call") => {
            let arguments = part.get("input").map(arguments_of).unwrap_or_else(|| {
                let at = at.clone().then("input");
                content.note(&at, Code::MissingArguments, "the input is missing");
                "".into()
            });
            Some(What::Call { call: owned("toolCallId"), name: owned("toolName"), arguments })
        }
        // Only what a provider ran itself has its result there.
        Some(kind @ "tool-result") if role == Role::Assistant => Some(What::opaque(kind, part)),
        Some("tool-result") => Some(result(at, part, content)),
        Some("tool-approval-request") => Some(What::Approval {
            approval: owned("approvalId"),
            call: Some(owned("toolCallId")),
            granted: None,
        }),
        Some("tool-approval-response") => Some(What::Approval {
            approval: owned("approvalId"),
            call: None,
            granted: Some(flag("approved")),
        }),
        Some(kind @ "reasoning-file") => Some(What::opaque(kind, part)),
        Some(kind @ "custom") => Some(What::opaque(text("kind").unwrap_or(kind), part)),
        _ => None,
    };
    read.unwrap_or_else(|| unknown(at, part, content))
}

fn is_text(part: &Value) -> bool {
    part.get("type").and_then(Value::as_str) == Some("text")
}

fn result<'a>(at: &Path, part: &'a Value, content: &mut Content<'a>) -> What<'a> {
    let field = |key: &str| part.get(key).and_then(Value::as_str);
    let output = part.get("output");
    let inside = |key: &str| output.and_then(|output| output.get(key));
    let (mut media, mut failed) = (Vec::new(), false);
    let text = match inside("type").and_then(Value::as_str) {
        Some("text") => worded(inside("value")),
        Some("json") => inside("value").map_or("null".into(), |value| value.to_string().into()),
        Some("error-text" | "error-json") => {
            failed = true;
            worded(inside("value"))
        }
        Some("execution-denied") => {
            failed = true;
            inside("reason").and_then(Value::as_str).unwrap_or(DENIED).into()
        }
        Some("content") => {
            let mut texts = Vec::new();
            for part in inside("value").and_then(Value::as_array).into_iter().flatten() {
                match part.get("type").and_then(Value::as_str) {
                    Some("text") => texts.push(worded(part.get("text"))),
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
                    content.note(&at, Code::NotText, message);
                    worded(Some(other))
                }
                None => {
                    let message = "the output is missing; read as empty";
                    content.note(&at, Code::MissingContent, message);
                    "".into()
                }
            }
        }
    };
    let call = field("toolCallId").unwrap_or_default().into();
    let name = field("toolName").map(Cow::Borrowed);
    What::Result { call, name, text, media, failed }
}

/// A thing as a part, where the format can hold it.
fn written(what: &What<'_>, lost: &mut Vec<String>) -> Option<Value> {
    Some(match what {
        What::Text(text) => json!({ "type": "text", "text": text }),
        What::Reasoning { text, signature } => {
            let mut part = json!({ "type": "reasoning", "text": text });
            match signature.as_deref().and_then(|seal| unsealed(seal, lost)) {
                Some(options) => set(&mut part, "providerOptions", options),
                None if text.is_empty() => return None,
                None => {}
            }
            part
        }
        What::Call { call, name, arguments } => {
            let input = input_of(arguments);
            json!({ "type": "tool-call", "toolCallId": call, "toolName": name, "input": input })
        }
        What::Result { call, name, text, media, failed } => {
            let name = name.as_deref().unwrap_or(NAMELESS);
            let output = output(text, media, *failed, lost);
            json!({ "type": "tool-result", "toolCallId": call, "toolName": name, "output": output })
        }
        What::Approval { approval, granted: Some(approved), .. } => {
            json!({ "type": "tool-approval-response", "approvalId": approval, "approved": approved })
        }
        What::Approval { approval, call, granted: None } => {
            json!({ "type": "tool-approval-request", "approvalId": approval, "toolCallId": call })
        }
        What::Image(media) | What::File(media) => {
            let data = match &media.source {
                Source::Base64(data) | Source::Url(data) => data,
                Source::Id(_) | Source::Elsewhere => {
                    lost.push("a picture or file that another provider keeps is left out".into());
                    return None;
                }
            };
            let mut file = json!({ "type": "file", "mediaType": media_type(media), "data": data });
            if let Some(name) = &media.name {
                set(&mut file, "filename", name.as_ref());
            }
            file
        }
        What::Opaque { kind, .. } => {
            lost.push(format!("a part of type {kind:?} is left out"));
            return None;
        }
        What::Silent => return None,
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
            Source::Id(_) | Source::Elsewhere => {
                lost.push("a picture or file that another provider keeps is left out".into());
                None
            }
        });
    }
    json!({ "type": "content", "value": parts })
}

#[cfg(test)]
mod tests;
