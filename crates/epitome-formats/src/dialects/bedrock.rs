//! Amazon Bedrock Converse: user and assistant messages alternate, and each block is an object with one key.

use std::borrow::Cow;

use epitome::message::Role;
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Map, Value, json};

use super::block_roles::BlockRoles;
use crate::attachment::{Attachment, Source};
use crate::conformance::{Conformance, Sample};
use crate::content::{Content, ContentPart};
use crate::dialect::{Dialect, Turn};
use crate::issue::{Issue, IssueCode};
use crate::path::Path;
use crate::shape::{ShapeError, kind};
use crate::text::{append, first_text_with, is_json_object, is_plain_id, joined, object_of};
use crate::usage_fields::UsageFields;

/// Amazon Bedrock Converse messages.
pub(crate) struct Bedrock;

impl Bedrock {
    /// What the provider accepts.
    pub(crate) const CONTRACT: Contract = Contract {
        system: SystemPlace::Separate,
        first: First::User,
        last: Last::NotAssistantForSome,
        neighbours: Neighbours::Merged,
        results: ResultPlace::NextUser,
        blank_text: BlankText::Refused,
        reasoning: ReasoningPolicy::Signed,
        summary: SummaryRole::User,
    };

    /// Where the provider reports token counts.
    pub(crate) const USAGE_FIELDS: UsageFields = UsageFields {
        prompt: &["/inputTokens"],
        completion: &["/outputTokens"],
        total: &["/totalTokens"],
        cached: &["/cacheReadInputTokens"],
        cache_written: &["/cacheWriteInputTokens"],
        prompt_excludes_cache: true,
        ..UsageFields::NONE
    };
}

impl Dialect for Bedrock {
    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        let Value::Object(object) = value else {
            return Err(ShapeError::expected("an object with role and content", value));
        };
        let mut content = Content::default();
        let role = role(object, &mut content);
        let at = Path::key("content");
        match object.get("content") {
            Some(Value::Array(blocks)) => {
                for (index, block) in blocks.iter().enumerate() {
                    self.block(role, at.clone().at(index), block, &mut content);
                }
            }
            Some(Value::String(text)) => {
                let message = "the content is a text instead of blocks; read as one";
                content.note(&at, IssueCode::ForeignPart, message);
                content.push(role, at, ContentPart::Text(text.into()));
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
        Ok(content.or_empty_step(role))
    }

    fn set_text(&self, item: &mut Value, text: &str) {
        if let Some(guarded) = item.pointer_mut("/guardContent/text/text") {
            *guarded = text.into();
        } else if let Some(cited) = item.pointer_mut("/citationsContent/content") {
            *cited = json!([{ "text": text }]);
        } else if let Value::Object(block) = item {
            block.insert("text".into(), text.into());
        } else {
            *item = text.into();
        }
    }

    fn set_result(&self, item: &mut Value, text: &str) {
        let Some(Value::Object(result)) = item.get_mut("toolResult") else { return };
        let blocks = result.get("content").and_then(Value::as_array);
        let blocks = blocks.map(Vec::as_slice).unwrap_or_default();
        // A change replaces the text of a result only. The model still has to see its images and documents.
        let is_media = |block: &&Value| MEDIA.iter().any(|key| block.get(key).is_some());
        let media = blocks.iter().filter(is_media).cloned();
        let text = first_text_with(blocks, text, json!({ "text": text }));
        let content = std::iter::once(text).chain(media).collect();
        result.insert("content".into(), content);
    }

    fn set_arguments(&self, item: &mut Value, arguments: &str) {
        let Some(Value::Object(call)) = item.get_mut("toolUse") else { return };
        if let Ok(input) = serde_json::from_str(arguments) {
            call.insert("input".into(), input);
        }
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        let blocks = turn.parts.iter().filter_map(|part| block_of(part, turn.role, lost));
        let blocks: Vec<Value> = blocks.collect();
        let role = match turn.role {
            Role::Assistant => Role::Assistant,
            Role::User | Role::Tool => Role::User,
            Role::System => {
                lost.push(
                    "a system message is written as the user's; pass it outside the messages"
                        .into(),
                );
                Role::User
            }
        };
        vec![json!({ "role": role.as_str(), "content": blocks })]
    }

    fn merge(&self, first: &mut Value, second: Value) {
        append(first, second, "content", |text| json!({ "text": text }));
    }

    fn check(&self, message: &Value) -> Vec<Issue> {
        let blocks = message.get("content").and_then(Value::as_array);
        let has =
            |key: &str| blocks.is_some_and(|all| all.iter().any(|one| one.get(key).is_some()));
        if has("document") && !has("text") {
            let problem = "a document needs a text in the same message that says what it is for";
            return vec![Issue::new(&Path::key("content"), IssueCode::MissingContent, problem)];
        }
        ROLES.check(message)
    }
}

impl Conformance for Bedrock {
    fn recognizes(&self, sample: Sample<'_>) -> bool {
        let Sample::Part(part) = sample else { return false };
        let keys = ["text", "toolUse", "toolResult", "image", "document", "reasoningContent"];
        // Blocks of Anthropic and OpenAI have some of these keys as well, but always together with a `type`.
        let is_typed = part.get("type").is_some_and(Value::is_string);
        !is_typed && keys.into_iter().any(|key| part.get(key).is_some())
    }

    fn accepts_call_id(&self, id: &str) -> bool {
        is_plain_id(id) && id.len() <= 64
    }

    fn accepts_arguments(&self, arguments: &str) -> bool {
        is_json_object(arguments)
    }

    fn normalize(&self, message: &mut Value) -> bool {
        ROLES.normalize(message)
    }
}

const ROLES: BlockRoles = BlockRoles {
    list: "content",
    model: "assistant",
    is_call: |block| block.get("toolUse").is_some(),
    // In a message of the model they are those of the provider's own tools.
    is_result: |_| false,
};

/// Blocks that hold bytes.
const MEDIA: [&str; 4] = ["image", "document", "video", "audio"];

impl Bedrock {
    fn block<'a>(&self, role: Role, at: Path, block: &'a Value, content: &mut Content<'a>) {
        let text = |path: &str| block.pointer(path).and_then(Value::as_str);
        let owned = |path: &str| Cow::Borrowed(text(path).unwrap_or_default());
        let name = block.as_object().and_then(|block| {
            let known = |name: &&str| block.contains_key(*name);
            KNOWN.into_iter().find(known)
        });
        let part = match name {
            Some("text") => ContentPart::Text(owned("/text")),
            Some("citationsContent") => {
                let cited = block.pointer("/citationsContent/content").and_then(Value::as_array);
                let cited =
                    cited.into_iter().flatten().filter_map(|part| part.get("text")?.as_str());
                ContentPart::Text(cited.collect::<String>().into())
            }
            Some("guardContent") if text("/guardContent/text/text").is_some() => {
                ContentPart::Text(owned("/guardContent/text/text"))
            }
            Some("reasoningContent") => match block.pointer("/reasoningContent/redactedContent") {
                Some(Value::String(data)) => redacted(data.into()),
                Some(data) => redacted(data.to_string().into()),
                None => ContentPart::Reasoning {
                    text: owned("/reasoningContent/reasoningText/text"),
                    signature: text("/reasoningContent/reasoningText/signature")
                        .filter(|signature| !signature.is_empty())
                        .map(Cow::Borrowed),
                },
            },
            // Calls and results of the provider's own tools.
            Some("toolUse") if text("/toolUse/type") == Some("server_tool_use") => {
                ContentPart::opaque("toolUse", block)
            }
            Some("toolResult") if role == Role::Assistant => {
                ContentPart::opaque("toolResult", block)
            }
            Some("toolUse") => {
                let input = block.pointer("/toolUse/input");
                if input.is_none() {
                    let at = at.clone().then("toolUse").then("input");
                    content.note(&at, IssueCode::MissingArguments, "the input is missing");
                }
                let arguments = input.map(Value::to_string).unwrap_or_default().into();
                let (call, name) = (owned("/toolUse/toolUseId"), owned("/toolUse/name"));
                ContentPart::Call { call, name, arguments }
            }
            Some("toolResult") => {
                let (text, media) = result(&at, block, content);
                let failed = owned("/toolResult/status") == "error";
                let call = owned("/toolResult/toolUseId");
                let result = ContentPart::Result { call, name: None, text, media, failed };
                content.push(Role::Tool, at, result);
                return;
            }
            // A mark for the provider's cache and not content: a message of nothing else is blank.
            Some("cachePoint") => ContentPart::NotSent,
            Some(name) => match attachment(block) {
                Some(attachment) => attachment.into(),
                None => ContentPart::opaque(name, block),
            },
            None => {
                let kind = text("/type").or(first_key(block)).unwrap_or("untyped");
                let code = match kind {
                    "tool_use" | "tool_result" | "thinking" | "image_url" => IssueCode::ForeignPart,
                    _ => IssueCode::UnknownPart,
                };
                let message = format!("a block of type {kind:?} is unknown; it is kept as it is");
                content.note(&at, code, message);
                ContentPart::opaque(kind, block)
            }
        };
        content.push(role, at, part);
    }
}

/// The keys that determine the type of a block.
const KNOWN: [&str; 12] = [
    "text",
    "toolUse",
    "toolResult",
    "reasoningContent",
    "image",
    "document",
    "video",
    "audio",
    "cachePoint",
    "guardContent",
    "citationsContent",
    "searchResult",
];

fn first_key(block: &Value) -> Option<&str> {
    block.as_object()?.keys().next().map(String::as_str)
}

/// Reasoning that only the provider can read.
fn redacted(data: Cow<'_, str>) -> ContentPart<'_> {
    ContentPart::Reasoning { text: "".into(), signature: Some(data) }
}

fn role(object: &Map<String, Value>, content: &mut Content<'_>) -> Role {
    let name = object.get("role").and_then(Value::as_str).unwrap_or_default();
    let role = match name {
        "user" => return Role::User,
        "assistant" => return Role::Assistant,
        "system" => return Role::System,
        _ => match name.to_ascii_lowercase().as_str() {
            "assistant" | "ai" | "model" => Role::Assistant,
            _ => Role::User,
        },
    };
    let message = format!("the role {name:?} is unknown; read as {}", role.as_str());
    content.note(&Path::key("role"), IssueCode::UnknownRole, message);
    role
}

fn result<'a>(
    at: &Path,
    block: &'a Value,
    content: &mut Content<'a>,
) -> (Cow<'a, str>, Vec<Attachment<'a>>) {
    let at = at.clone().then("toolResult").then("content");
    let mut texts: Vec<Cow<'a, str>> = Vec::new();
    let mut media = Vec::new();
    match block.pointer("/toolResult/content") {
        Some(Value::Array(blocks)) => {
            for block in blocks {
                if let Some(text) = block.get("text").and_then(Value::as_str) {
                    texts.push(text.into());
                } else if let Some(attachment) = attachment(block) {
                    media.push(attachment);
                } else {
                    texts.push(block.get("json").unwrap_or(block).to_string().into());
                }
            }
        }
        None | Some(Value::Null) => {
            content.note(&at, IssueCode::MissingContent, "the result is missing; read as empty");
        }
        Some(Value::String(text)) => {
            let message = "the result is a text instead of blocks; read as one";
            content.note(&at, IssueCode::ForeignPart, message);
            texts.push(text.into());
        }
        Some(other) => {
            let message = format!("expected blocks, found {}; read as JSON", kind(other));
            content.note(&at, IssueCode::NotText, message);
            texts.push(other.to_string().into());
        }
    }
    (joined(texts), media)
}

fn attachment(block: &Value) -> Option<Attachment<'_>> {
    let (key, body) = MEDIA.into_iter().find_map(|key| Some((key, block.get(key)?)))?;
    let text = |path: &str| body.pointer(path).and_then(Value::as_str);
    let source = match (text("/source/bytes"), text("/source/s3Location/uri")) {
        (Some(bytes), _) => Source::Base64(bytes.into()),
        (None, Some(uri)) => Source::Id(uri.into()),
        (None, None) => Source::Unknown,
    };
    let media_type = match (key, text("/format")) {
        ("document", Some(format)) => {
            let known = DOCUMENTS.iter().find(|(name, _)| *name == format);
            known.map(|(_, media_type)| Cow::Borrowed(*media_type))
        }
        ("document", None) => None,
        (key, Some(format)) => Some(format!("{key}/{format}").into()),
        (key, None) => Some(key.into()),
    };
    Some(Attachment { media_type, name: text("/name").map(Cow::Borrowed), source })
}

/// Document formats of Converse with their media types.
const DOCUMENTS: [(&str, &str); 9] = [
    ("pdf", "application/pdf"),
    ("csv", "text/csv"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("html", "text/html"),
    ("txt", "text/plain"),
    ("md", "text/markdown"),
];

fn block_of(part: &ContentPart<'_>, role: Role, lost: &mut Vec<String>) -> Option<Value> {
    Some(match part {
        ContentPart::Text(text) if text.trim().is_empty() => return None,
        ContentPart::Text(text) => json!({ "text": text }),
        ContentPart::Call { call, name, arguments } => {
            let input = object_of(arguments, lost);
            json!({ "toolUse": { "toolUseId": call, "name": name, "input": input } })
        }
        ContentPart::Result { call, text, media, failed, .. } => {
            let text = (!text.trim().is_empty()).then(|| json!({ "text": text }));
            let media = media.iter().filter_map(|media| media_block(media, lost));
            let content: Vec<Value> = text.into_iter().chain(media).collect();
            let mut result = Map::new();
            result.insert("toolUseId".into(), call.as_ref().into());
            result.insert("content".into(), content.into());
            if *failed {
                // Some models refuse the status, so it is left out of results without an error.
                result.insert("status".into(), "error".into());
            }
            json!({ "toolResult": result })
        }
        ContentPart::Image(media) | ContentPart::File(media) if role == Role::User => {
            return media_block(media, lost);
        }
        other => {
            lost.extend(other.left_out());
            return None;
        }
    })
}

fn media_block(media: &Attachment<'_>, lost: &mut Vec<String>) -> Option<Value> {
    let Source::Base64(bytes) = &media.source else {
        lost.push("an image or file that is not in the message is left out".into());
        return None;
    };
    let media_type = media.media_type.as_deref().unwrap_or_default();
    let source = json!({ "bytes": bytes });
    let document = DOCUMENTS.iter().find(|(_, known)| *known == media_type);
    Some(match (media_type.split_once('/'), document) {
        (Some(("image", format)), _) => {
            // Converse knows the format only as `jpeg`.
            let format = if format == "jpg" { "jpeg" } else { format };
            json!({ "image": { "format": format, "source": source } })
        }
        (Some(("video", format)), _) => json!({ "video": { "format": format, "source": source } }),
        (_, Some((format, _))) => {
            let name = document_name(media.name.as_deref().unwrap_or_default());
            json!({ "document": { "name": name, "format": format, "source": source } })
        }
        _ => {
            lost.push(format!("a file of type {media_type:?} is left out"));
            return None;
        }
    })
}

/// A name that the provider accepts: letters, digits, single spaces, hyphens, parentheses and brackets.
fn document_name(name: &str) -> String {
    let is_accepted =
        |character: char| character.is_ascii_alphanumeric() || "-()[]".contains(character);
    let words =
        name.split(|character: char| !is_accepted(character)).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join(" ");
    if name.is_empty() { "document".to_owned() } else { name }
}

#[cfg(test)]
mod tests;
