//! What one role says, as a message.

use epitome::message::Role;
use serde_json::{Value, json};

use super::part::{FAILURE, tool_in};
use crate::content::{Attachment, Source, What};
use crate::dialect::Turn;
use crate::text::object_of;

/// Writes what one role says, as one message at most.
pub(super) fn write(turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
    if turn.role == Role::System {
        lost.push("a system message is said by the user".into());
    }
    if turn.author.is_some() {
        lost.push("the name of the speaker is left out".into());
    }
    let parts = turn.items.iter().filter_map(|what| part_of(what, turn.role, lost));
    let parts: Vec<Value> = parts.collect();
    if parts.is_empty() && !turn.items.is_empty() {
        return Vec::new();
    }
    let role = if turn.role == Role::Assistant { "model" } else { "user" };
    vec![json!({ "role": role, "parts": parts })]
}

fn part_of(what: &What<'_>, role: Role, lost: &mut Vec<String>) -> Option<Value> {
    Some(match what {
        What::Text(text) if text.trim().is_empty() => return None,
        What::Text(text) => json!({ "text": text }),
        What::Call { call, name, arguments } => {
            let own = [("name", name.as_ref().into()), ("args", object_of(arguments, lost))];
            let body: Value = own.into_iter().chain(id_of(call, name)).collect();
            json!({ "functionCall": body })
        }
        What::Result { call, name, text, media, failed } => {
            let tool = name.as_deref().unwrap_or(tool_in(call));
            let key = if *failed { FAILURE } else { "output" };
            let own = [("name", tool.into()), ("response", json!({ key: text }))];
            let media: Vec<Value> =
                media.iter().filter_map(|media| media_part(media, lost)).collect();
            let media = (!media.is_empty()).then(|| ("parts", media.into()));
            let body: Value = own.into_iter().chain(id_of(call, tool)).chain(media).collect();
            json!({ "functionResponse": body })
        }
        What::Image(media) | What::File(media) if role == Role::User => {
            return media_part(media, lost);
        }
        other => {
            lost.extend(other.left_out());
            return None;
        }
    })
}

/// The id of a call that has one, and not just a name made of its tool's.
fn id_of(call: &str, tool: &str) -> Option<(&'static str, Value)> {
    let made = call.is_empty() || call == tool || tool_in(call) == tool;
    (!made).then(|| ("id", call.into()))
}

fn media_part(media: &Attachment<'_>, lost: &mut Vec<String>) -> Option<Value> {
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
        Source::Id(_) | Source::Elsewhere => {
            lost.push("a picture or file that another provider keeps is left out".into());
            return None;
        }
    })
}
