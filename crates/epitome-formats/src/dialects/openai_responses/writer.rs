//! Writing a turn as items.

use epitome::message::Role;
use serde_json::{Value, json};

use super::item::{LOCAL_SHELL_OUTPUT, text};
use crate::attachment::{Attachment, Source};
use crate::content::ContentPart;
use crate::dialect::Turn;

/// Writes a turn as a message and one item for each call or result.
pub(super) fn write(turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
    let mut parts = Vec::new();
    let mut items = Vec::new();
    if turn.author.is_some() {
        lost.push("the name of the speaker is left out".into());
    }
    for part in &turn.parts {
        match part {
            ContentPart::Text(text) => parts.push(text_part(turn.role, text)),
            ContentPart::Call { call, name, arguments } => items.push(json!({
                "type": "function_call",
                "call_id": call,
                "name": name,
                "arguments": arguments,
            })),
            ContentPart::Result { .. } => items.extend(result(part, lost)),
            ContentPart::Image(media) | ContentPart::File(media) if turn.role == Role::User => {
                parts.extend(media_part(media, lost));
            }
            other => lost.extend(other.left_out()),
        }
    }
    // A turn of only calls needs no message, and not every server accepts an empty one.
    if !parts.is_empty() || turn.parts.is_empty() {
        let role = if turn.role == Role::Tool { Role::User } else { turn.role };
        let texts: Option<Vec<&str>> = parts.iter().map(|part| text(part, "text")).collect();
        let content = match texts {
            Some(texts) => texts.join("\n").into(),
            None => Value::Array(parts),
        };
        items.insert(0, json!({ "role": role.as_str(), "content": content }));
    }
    items
}

/// A text part of a message of this role.
pub(super) fn text_part(role: Role, text: &str) -> Value {
    let kind = if role == Role::Assistant { "output_text" } else { "input_text" };
    json!({ "type": kind, "text": text })
}

/// The output item for a result. A call of one of the provider's own types is read with its type as the tool
/// name, and requires an output item of the type that belongs to it.
fn result(part: &ContentPart<'_>, lost: &mut Vec<String>) -> Option<Value> {
    let ContentPart::Result { call, name, text, media, .. } = part else { return None };
    let outcome = json!({ "type": "exit", "exit_code": 1 });
    let run = json!([{ "stdout": text, "stderr": "", "outcome": outcome }]);
    let (kind, key, output) = match name.as_deref() {
        Some("local_shell_call") => (LOCAL_SHELL_OUTPUT, "output", text.as_ref().into()),
        Some("shell_call") => ("shell_call_output", "output", run),
        Some("apply_patch_call") => ("apply_patch_call_output", "output", text.as_ref().into()),
        Some("tool_search_call") => ("tool_search_output", "tools", json!([])),
        _ if media.is_empty() => ("function_call_output", "output", text.as_ref().into()),
        _ => {
            let text = (!text.is_empty()).then(|| text_part(Role::Tool, text));
            let media = media.iter().filter_map(|media| media_part(media, lost));
            ("function_call_output", "output", text.into_iter().chain(media).collect())
        }
    };
    let more = match kind {
        "apply_patch_call_output" => Some(("status", "failed".into())),
        "tool_search_output" => Some(("execution", "client".into())),
        _ => None,
    };
    let members = [("type", kind.into()), ("call_id", call.as_ref().into()), (key, output)];
    Some(members.into_iter().chain(more).collect())
}

fn media_part(media: &Attachment<'_>, lost: &mut Vec<String>) -> Option<Value> {
    let Some(url) = media.url() else {
        lost.push("an image or file that only another provider has is left out".into());
        return None;
    };
    Some(match &media.source {
        _ if media.is_image() => {
            json!({ "type": "input_image", "image_url": url, "detail": "auto" })
        }
        Source::Url(_) => json!({ "type": "input_file", "file_url": url }),
        _ => {
            let name = media.name.as_deref().unwrap_or("file");
            json!({ "type": "input_file", "filename": name, "file_data": url })
        }
    })
}
