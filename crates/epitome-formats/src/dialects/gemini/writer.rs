//! Writing a turn as a message.

use epitome::message::Role;
use serde_json::{Value, json};

use super::part::{FAILURE, tool_name_in};
use crate::attachment::{Attachment, Source};
use crate::content::ContentPart;
use crate::dialect::Turn;
use crate::text::object_of;

/// Writes a turn as one message, or none if the format can hold nothing of it.
pub(super) fn write(turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
    if turn.role == Role::System {
        lost.push("a system message is written as a user message".into());
    }
    if turn.author.is_some() {
        lost.push("the name of the speaker is left out".into());
    }
    let parts = turn.parts.iter().filter_map(|part| part_of(part, turn.role, lost));
    let parts: Vec<Value> = parts.collect();
    // Gemini refuses a message without parts, so that one which lost all of its parts is left out.
    if parts.is_empty() && !turn.parts.is_empty() {
        return Vec::new();
    }
    let role = if turn.role == Role::Assistant { "model" } else { "user" };
    vec![json!({ "role": role, "parts": parts })]
}

fn part_of(part: &ContentPart<'_>, role: Role, lost: &mut Vec<String>) -> Option<Value> {
    Some(match part {
        ContentPart::Text(text) if text.trim().is_empty() => return None,
        ContentPart::Text(text) => json!({ "text": text }),
        ContentPart::Call { call, name, arguments } => {
            let own = [("name", name.as_ref().into()), ("args", object_of(arguments, lost))];
            let body: Value = own.into_iter().chain(id_of(call, name)).collect();
            json!({ "functionCall": body })
        }
        ContentPart::Result { call, name, text, media, failed } => {
            let tool = name.as_deref().unwrap_or(tool_name_in(call));
            let key = if *failed { FAILURE } else { "output" };
            let own = [("name", tool.into()), ("response", json!({ key: text }))];
            let media: Vec<Value> =
                media.iter().filter_map(|media| media_part(media, lost)).collect();
            let media = (!media.is_empty()).then(|| ("parts", media.into()));
            let body: Value = own.into_iter().chain(id_of(call, tool)).chain(media).collect();
            json!({ "functionResponse": body })
        }
        ContentPart::Image(media) | ContentPart::File(media) if role == Role::User => {
            return media_part(media, lost);
        }
        other => {
            lost.extend(other.left_out());
            return None;
        }
    })
}

/// The id of a call, unless the reader made it of the name of the tool.
fn id_of(call: &str, tool: &str) -> Option<(&'static str, Value)> {
    let is_made = call.is_empty() || call == tool || tool_name_in(call) == tool;
    (!is_made).then(|| ("id", call.into()))
}

fn media_part(media: &Attachment<'_>, lost: &mut Vec<String>) -> Option<Value> {
    // Other formats may say only `image`. Gemini expects a complete MIME type.
    let media_type = media.media_type.as_deref().filter(|kind| kind.contains('/'));
    Some(match &media.source {
        Source::Base64(data) => {
            let media_type = media_type.unwrap_or("application/octet-stream");
            json!({ "inlineData": { "mimeType": media_type, "data": data } })
        }
        Source::Url(url) => {
            let media_type = media_type.map(|kind| ("mimeType", kind));
            let own = std::iter::once(("fileUri", url.as_ref()));
            let body: Value = own.chain(media_type).collect();
            json!({ "fileData": body })
        }
        Source::Id(_) | Source::Unknown => {
            lost.push("an image or file that only another provider has is left out".into());
            return None;
        }
    })
}
