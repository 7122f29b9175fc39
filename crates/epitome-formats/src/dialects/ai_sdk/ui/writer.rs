//! Messages that are written, and what came of a call put into its part.

use epitome::message::Role;
use serde_json::{Map, Value, json};

use super::super::part::{NAMELESS, input_of, is_error, media_type, set, unsealed};
use super::{outcome, tool_name};
use crate::content::What;

/// How the ids of written messages begin.
pub(super) const OWN: &str = "epitome-";

/// Puts into the part of a call what came of it. False where there is no such part.
pub(super) fn fill(parts: &mut [Value], answer: &Value) -> bool {
    let waits = |part: &Value| {
        tool_name(part).is_some()
            && part.get("toolCallId") == answer.get("toolCallId")
            && part.get("providerExecuted") != Some(&Value::Bool(true))
            && outcome(part).is_none()
    };
    if tool_name(answer).is_none() || outcome(answer).is_none() {
        return false;
    }
    let part = parts.iter_mut().find(|part| waits(part)).and_then(Value::as_object_mut);
    let Some(part) = part else { return false };
    for key in ["state", "output", "errorText"] {
        if let Some(value) = answer.get(key) {
            part.insert(key.into(), value.clone());
        }
    }
    // The SDK takes no call without an input, and no result that nobody gave leave for.
    if part.get("input").is_none_or(Value::is_null) {
        part.insert("input".into(), json!({}));
    }
    let granted = |approval: &Value| approval.get("approved") == Some(&Value::Bool(true));
    if !part.get("approval").is_some_and(granted) {
        part.shift_remove("approval");
    }
    true
}

/// Adds a thing to the parts of a message that is being written.
pub(super) fn put(parts: &mut Vec<Value>, what: &What<'_>, role: Role, lost: &mut Vec<String>) {
    let part = match what {
        What::Text(text) if role == Role::Assistant => {
            json!({ "type": "text", "text": text, "state": "done" })
        }
        What::Text(text) => json!({ "type": "text", "text": text }),
        What::Reasoning { text, signature } => {
            let mut part = json!({ "type": "reasoning", "text": text, "state": "done" });
            match signature.as_deref().and_then(|seal| unsealed(seal, lost)) {
                Some(metadata) => set(&mut part, "providerMetadata", metadata),
                None if text.is_empty() => return,
                None => {}
            }
            part
        }
        What::Call { call, name, arguments } => {
            let mut part = Map::new();
            part.insert("type".into(), format!("tool-{name}").into());
            part.insert("toolCallId".into(), call.as_ref().into());
            part.insert("state".into(), "input-available".into());
            part.insert("input".into(), input_of(arguments));
            part.into()
        }
        What::Result { call, name, text, media, failed } => {
            if !media.is_empty() {
                lost.push("pictures and files in a tool result are left out".into());
            }
            // By itself this is a whole call; where the call is at hand, it goes in there.
            let mut part = match name {
                Some(name) => json!({ "type": format!("tool-{name}") }),
                None => json!({ "type": "dynamic-tool", "toolName": NAMELESS }),
            };
            let (state, key) = match is_error(*failed, text) {
                true => ("output-error", "errorText"),
                false => ("output-available", "output"),
            };
            set(&mut part, "toolCallId", call.as_ref());
            set(&mut part, "state", state);
            set(&mut part, "input", json!({}));
            set(&mut part, key, text.as_ref());
            if fill(parts, &part) {
                return;
            }
            part
        }
        What::Approval { approval, call: Some(call), .. } => {
            let is_own = |part: &&mut Value| {
                part.get("toolCallId").and_then(Value::as_str) == Some(call.as_ref())
            };
            if let Some(part) = parts.iter_mut().find(is_own) {
                set(part, "state", "approval-requested");
                set(part, "approval", json!({ "id": approval }));
            }
            return;
        }
        What::Approval { .. } => {
            lost.push("the answer to a call that asks for leave is left out".into());
            return;
        }
        What::Image(media) | What::File(media) => {
            let Some(url) = media.url() else {
                lost.push("a picture or file that another provider keeps is left out".into());
                return;
            };
            let mut file = json!({ "type": "file", "mediaType": media_type(media), "url": url });
            if let Some(name) = &media.name {
                set(&mut file, "filename", name.as_ref());
            }
            file
        }
        What::Opaque { kind, .. } => {
            lost.push(format!("a part of type {kind:?} is left out"));
            return;
        }
        What::Silent => return,
    };
    parts.push(part);
}

/// The same id for the same message, in every run and on every machine.
pub(super) fn id_of(role: Role, parts: &Value) -> String {
    let text = format!("{}{parts}", role.as_str());
    // FNV-1a.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{OWN}{hash:016x}")
}
