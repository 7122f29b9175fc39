//! Writing a turn as LangChain messages.

use epitome::message::Role;
use serde_json::{Value, json};

use super::LangChain;
use crate::attachment::{Attachment, Source};
use crate::content::ContentPart;
use crate::dialect::Turn;
use crate::text::object_of;

/// Writes a turn as one message. Each result is a message of its own.
pub(super) fn write(form: LangChain, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
    let mut blocks: Vec<Value> = Vec::new();
    let mut calls: Vec<Value> = Vec::new();
    let mut results: Vec<Value> = Vec::new();
    for part in &turn.parts {
        match part {
            ContentPart::Text(text) => blocks.push(json!({ "type": "text", "text": text })),
            ContentPart::Call { call, name, arguments } => {
                let args = object_of(arguments, lost);
                calls.push(json!({ "id": call, "name": name, "args": args, "type": "tool_call" }));
            }
            ContentPart::Result { call, name, text, media, failed } => {
                let media = media.iter().filter_map(|media| media_block(media, lost));
                let text = json!({ "type": "text", "text": text });
                let content = content_of(std::iter::once(text).chain(media).collect());
                let name = name.as_ref().map(|name| ("name", json!(name)));
                let status = failed.then(|| ("status", json!("error")));
                let own = [("content", content), ("tool_call_id", json!(call))];
                let body = own.into_iter().chain(name).chain(status);
                results.push(message(form, Role::Tool, body));
            }
            ContentPart::Image(media) | ContentPart::File(media) if turn.role == Role::User => {
                blocks.extend(media_block(media, lost));
            }
            other => lost.extend(other.left_out()),
        }
    }
    // A tool turn has only results. A message in front of them would stand between the results and their calls.
    if turn.role == Role::Tool {
        return results;
    }
    let name = turn.author.as_ref().map(|author| ("name", json!(author)));
    let calls = (!calls.is_empty()).then(|| ("tool_calls", json!(calls)));
    let body = [("content", content_of(blocks))].into_iter().chain(name).chain(calls);
    results.insert(0, message(form, turn.role, body));
    results
}

/// The content for these blocks. A single text is written without a list.
fn content_of(mut blocks: Vec<Value>) -> Value {
    let only = match blocks.as_mut_slice() {
        [] => Some("".into()),
        [block] => block.get_mut("text").map(Value::take),
        _ => None,
    };
    only.unwrap_or(Value::Array(blocks))
}

fn message(
    form: LangChain,
    role: Role,
    body: impl Iterator<Item = (&'static str, Value)>,
) -> Value {
    let (class, stored) = match role {
        Role::System => ("SystemMessage", "system"),
        Role::User => ("HumanMessage", "human"),
        Role::Assistant => ("AIMessage", "ai"),
        Role::Tool => ("ToolMessage", "tool"),
    };
    let none = ["additional_kwargs", "response_metadata"].map(|key| (key, json!({})));
    match form {
        LangChain::Constructor => {
            let id = ["langchain_core", "messages", class];
            let kwargs = object(body.chain(none));
            json!({ "lc": 1, "type": "constructor", "id": id, "kwargs": kwargs })
        }
        LangChain::Stored => json!({ "type": stored, "data": object(body.chain(none)) }),
        LangChain::Plain => object(std::iter::once(("role", json!(role.as_str()))).chain(body)),
    }
}

/// An image or file as a block of the version that older and current releases of LangChain read.
fn media_block(media: &Attachment<'_>, lost: &mut Vec<String>) -> Option<Value> {
    let media_type = media.media_type.as_deref().unwrap_or("application/octet-stream");
    let source = match (&media.source, media.url()) {
        (_, Some(url)) if media.is_image() => {
            return Some(json!({ "type": "image_url", "image_url": { "url": url } }));
        }
        (Source::Base64(data), _) => {
            [("source_type", "base64"), ("mime_type", media_type), ("data", data.as_ref())].to_vec()
        }
        (Source::Url(url), _) => [("source_type", "url"), ("url", url.as_ref())].to_vec(),
        _ => {
            lost.push("an image or file that only another provider has is left out".into());
            return None;
        }
    };
    let kind = if media_type.starts_with("audio") { "audio" } else { "file" };
    let name = media.name.as_ref().map(|name| ("metadata", json!({ "filename": name })));
    let source = source.into_iter().map(|(key, value)| (key, json!(value)));
    Some(object([("type", json!(kind))].into_iter().chain(source).chain(name)))
}

fn object(fields: impl Iterator<Item = (&'static str, Value)>) -> Value {
    Value::Object(fields.map(|(key, value)| (key.to_owned(), value)).collect())
}
