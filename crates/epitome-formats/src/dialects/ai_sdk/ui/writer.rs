//! Writing the parts of a message, with results in the parts of their calls.

use epitome::message::Role;
use serde_json::{Map, Value, json};

use super::super::part::{UNNAMED_TOOL, input_of, is_error, media_type, metadata_of, set};
use super::tool_part::{outcome, tool_name};
use crate::content::ContentPart;

/// The prefix of the ids of written messages.
pub(super) const OWN_ID_PREFIX: &str = "epitome-";

/// Puts a result into the part of its call. False if no part has that call without a result.
pub(super) fn fill_call(parts: &mut [Value], result: &Value) -> bool {
    let is_open = |part: &Value| {
        tool_name(part).is_some()
            && part.get("toolCallId") == result.get("toolCallId")
            && part.get("providerExecuted") != Some(&Value::Bool(true))
            && outcome(part).is_none()
    };
    // A written part can also be a call without a result or a text, which must not be lost in another call.
    if tool_name(result).is_none() || outcome(result).is_none() {
        return false;
    }
    let part = parts.iter_mut().find(|part| is_open(part)).and_then(Value::as_object_mut);
    let Some(part) = part else { return false };
    for key in ["state", "output", "errorText"] {
        if let Some(value) = result.get(key) {
            part.insert(key.into(), value.clone());
        }
    }
    // The SDK refuses a call without input, and a result with an approval that was not granted.
    if part.get("input").is_none_or(Value::is_null) {
        part.insert("input".into(), json!({}));
    }
    let granted = |approval: &Value| approval.get("approved") == Some(&Value::Bool(true));
    if !part.get("approval").is_some_and(granted) {
        part.shift_remove("approval");
    }
    true
}

/// Writes a part and adds it to the parts of its message.
pub(super) fn write_part(
    parts: &mut Vec<Value>,
    part: &ContentPart<'_>,
    role: Role,
    lost: &mut Vec<String>,
) {
    let part = match part {
        ContentPart::Text(text) if role == Role::Assistant => {
            json!({ "type": "text", "text": text, "state": "done" })
        }
        ContentPart::Text(text) => json!({ "type": "text", "text": text }),
        ContentPart::Reasoning { text, signature } => {
            let mut part = json!({ "type": "reasoning", "text": text, "state": "done" });
            match signature.as_deref().and_then(|signature| metadata_of(signature, lost)) {
                Some(metadata) => set(&mut part, "providerMetadata", metadata),
                None if text.is_empty() => return,
                None => {}
            }
            part
        }
        ContentPart::Call { call, name, arguments } => {
            let mut part = Map::new();
            part.insert("type".into(), format!("tool-{name}").into());
            part.insert("toolCallId".into(), call.as_ref().into());
            part.insert("state".into(), "input-available".into());
            part.insert("input".into(), input_of(arguments));
            part.into()
        }
        ContentPart::Result { call, name, text, media, failed } => {
            if !media.is_empty() {
                lost.push("images and files in a tool result are left out".into());
            }
            // By itself this is a whole call. If `parts` has the call, the result goes in there.
            let mut part = match name {
                Some(name) => json!({ "type": format!("tool-{name}") }),
                None => json!({ "type": "dynamic-tool", "toolName": UNNAMED_TOOL }),
            };
            let (state, key) = match is_error(*failed, text) {
                true => ("output-error", "errorText"),
                false => ("output-available", "output"),
            };
            set(&mut part, "toolCallId", call.as_ref());
            set(&mut part, "state", state);
            set(&mut part, "input", json!({}));
            set(&mut part, key, text.as_ref());
            if fill_call(parts, &part) {
                return;
            }
            part
        }
        ContentPart::Approval { approval, call: Some(call), .. } => {
            let is_of_call = |part: &&mut Value| {
                part.get("toolCallId").and_then(Value::as_str) == Some(call.as_ref())
            };
            if let Some(part) = parts.iter_mut().find(is_of_call) {
                set(part, "state", "approval-requested");
                set(part, "approval", json!({ "id": approval }));
            }
            return;
        }
        ContentPart::Approval { .. } => {
            lost.push("the response to an approval request is left out".into());
            return;
        }
        ContentPart::Image(media) | ContentPart::File(media) => {
            let Some(url) = media.url() else {
                lost.push("an image or file that only another provider has is left out".into());
                return;
            };
            let mut file = json!({ "type": "file", "mediaType": media_type(media), "url": url });
            if let Some(name) = &media.name {
                set(&mut file, "filename", name.as_ref());
            }
            file
        }
        ContentPart::Opaque { kind, .. } => {
            lost.push(format!("a part of type {kind:?} is left out"));
            return;
        }
        ContentPart::NotSent => return,
    };
    parts.push(part);
}

/// An id for a written message: the same one for the same content, in every run and on every machine.
pub(super) fn id_of(role: Role, parts: &Value) -> String {
    let text = format!("{}{parts}", role.as_str());
    // FNV-1a.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{OWN_ID_PREFIX}{hash:016x}")
}
