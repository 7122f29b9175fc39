//! Anthropic Messages: user and assistant messages, with tool results at the start of the next user message.

use std::borrow::Cow;

use epitome::message::Role;
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use epitome_columns::SortedSet;
use serde_json::{Map, Value, json};

use super::block_roles::BlockRoles;
use crate::attachment::{Attachment, Source};
use crate::conformance::{Conformance, Sample};
use crate::content::{Content, ContentPart};
use crate::dialect::{Dialect, Turn};
use crate::issue::{Issue, IssueCode};
use crate::path::Path;
use crate::shape::{ShapeError, kind};
use crate::text::{append, is_json_object, is_plain_id, joined, object_of, with_text};
use crate::usage_fields::UsageFields;

/// Anthropic Messages.
pub(crate) struct Anthropic;

impl Anthropic {
    /// What the provider accepts.
    pub(crate) const CONTRACT: Contract = Contract {
        // Only some models accept system messages among the others.
        system: SystemPlace::Separate,
        first: First::User,
        last: Last::NotAssistantForSome,
        // The provider itself merges neighbours of one role.
        neighbours: Neighbours::Free,
        results: ResultPlace::NextUser,
        blank_text: BlankText::Refused,
        reasoning: ReasoningPolicy::Signed,
        summary: SummaryRole::User,
    };

    /// Where the provider reports token counts.
    pub(crate) const USAGE_FIELDS: UsageFields = UsageFields {
        prompt: &["/input_tokens"],
        completion: &["/output_tokens"],
        cached: &["/cache_read_input_tokens"],
        cache_written: &["/cache_creation_input_tokens"],
        reasoning: &["/output_tokens_details/thinking_tokens"],
        prompt_excludes_cache: true,
        ..UsageFields::NONE
    };
}

impl Dialect for Anthropic {
    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        let Value::Object(object) = value else {
            return Err(ShapeError::expected("an object with role and content", value));
        };
        let mut content = Content::default();
        let role = role(object, &mut content);
        let at = Path::key("content");
        match object.get("content") {
            Some(Value::String(text)) => content.push(role, at, ContentPart::Text(text.into())),
            Some(Value::Array(blocks)) => {
                for (index, block) in blocks.iter().enumerate() {
                    self.block(role, at.clone().at(index), block, &mut content);
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
        Ok(content.or_empty_step(role))
    }

    fn set_result(&self, item: &mut Value, text: &str) {
        let Value::Object(object) = item else { return };
        let content = with_text(object.get("content"), text);
        object.insert("content".into(), content);
    }

    fn set_arguments(&self, item: &mut Value, arguments: &str) {
        if let (Some(slot), Ok(input)) = (item.get_mut("input"), serde_json::from_str(arguments)) {
            *slot = input;
        }
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        let blocks = turn.parts.iter().filter_map(|part| block_of(part, turn.role, lost));
        let blocks: Vec<Value> = blocks.collect();
        let role = match turn.role {
            Role::Tool => Role::User,
            other => other,
        };
        let content = match turn.parts.as_slice() {
            [ContentPart::Text(text)] => text.as_ref().into(),
            _ => Value::Array(blocks),
        };
        vec![json!({ "role": role.as_str(), "content": content })]
    }

    /// Thinking is not the last block of a message with others, and no text in a result is empty.
    fn check(&self, message: &Value) -> Vec<Issue> {
        let mut issues = ROLES.check(message);
        let Some(Value::Array(blocks)) = message.get("content") else { return issues };
        let at = Path::key("content");
        if blocks.last().is_some_and(is_thinking) && !blocks.iter().all(is_thinking) {
            let at = at.clone().at(blocks.len().saturating_sub(1));
            let problem = "thinking is the last block of the message; an answer has to follow it";
            issues.push(Issue::new(&at, IssueCode::ReasoningAlone, problem));
        }
        for (index, block) in blocks.iter().enumerate().filter(|(_, block)| is_result(block)) {
            let texts = block.get("content").and_then(Value::as_array).into_iter().flatten();
            let blank = texts.enumerate().filter(|(_, text)| is_blank(text));
            issues.extend(blank.map(|(position, _)| {
                let at = at.clone().at(index).then("content").at(position);
                Issue::new(&at, IssueCode::BlankText, "the text in the result is empty")
            }));
        }
        issues
    }

    fn merge(&self, first: &mut Value, second: Value) {
        append(first, second, "content", |text| json!({ "type": "text", "text": text }));
    }
}

impl Conformance for Anthropic {
    fn recognizes(&self, sample: Sample<'_>) -> bool {
        let Sample::Part(part) = sample else { return false };
        let has = |key: &str| part.get(key).is_some();
        match part.get("type").and_then(Value::as_str).unwrap_or_default() {
            "server_tool_use" | "tool_addition" | "tool_removal" | "container_upload" => true,
            kind if kind.ends_with("_tool_result") => true,
            // Other providers have thinking blocks too, but without signatures.
            "thinking" => has("signature"),
            // The AI SDK has parts with the same type names; its images and files have a `mediaType`.
            "image" => has("source") && !has("mediaType"),
            "tool_use" | "tool_result" | "redacted_thinking" | "document" => !has("mediaType"),
            _ => false,
        }
    }

    fn normalize(&self, message: &mut Value) -> bool {
        let before = message.clone();
        let Ok(content) = self.read(&before) else { return false };
        let Value::Object(object) = message else { return false };
        let role = content.steps.first().map_or(Role::User, |step| step.role);
        if content.issues.iter().any(|issue| issue.code == IssueCode::UnknownRole) {
            let role = if role == Role::Tool { Role::User } else { role };
            object.insert("role".into(), role.as_str().into());
        }
        match object.get_mut("content") {
            Some(Value::Array(blocks)) => {
                blocks.retain(|block| !is_empty_compaction(block));
                let more = blocks.iter().rposition(|block| !is_thinking(block));
                blocks.truncate(more.map_or(blocks.len(), |last| last + 1));
                let contents = blocks.iter_mut().filter(|block| is_result(block));
                for content in contents.filter_map(|block| block.get_mut("content")) {
                    content
                        .as_array_mut()
                        .into_iter()
                        .for_each(|texts| texts.retain(|text| !is_blank(text)));
                }
            }
            Some(Value::String(_) | Value::Null) | None => {}
            Some(other) => *other = other.to_string().into(),
        }
        ROLES.normalize(message) || *message != before
    }

    /// A result of the provider's own tools comes after its call, and a compaction first in its message.
    fn check_all(&self, messages: &[Value]) -> Vec<Issue> {
        let mut called: SortedSet<&str> = SortedSet::new();
        let mut issues = Vec::new();
        for (index, message) in messages.iter().enumerate() {
            let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
            for (position, block) in blocks.enumerate() {
                let text = |key: &str| block.get(key).and_then(Value::as_str);
                let at = Path::key("messages").at(index).then("content").at(position);
                match text("type").unwrap_or_default() {
                    "server_tool_use" | "mcp_tool_use" => called.extend(text("id")),
                    "compaction" if position > 0 => {
                        let problem = "a compaction has to be the first block of its message";
                        issues.push(Issue::new(&at, IssueCode::MisplacedCompaction, problem));
                    }
                    kind if kind.ends_with("_tool_result")
                        && !text("tool_use_id").is_some_and(|id| called.contains(id)) =>
                    {
                        let problem = "no call of the provider's own tools asks for this result";
                        issues.push(Issue::new(&at, IssueCode::OrphanResult, problem));
                    }
                    _ => {}
                }
            }
        }
        issues
    }

    fn accepts_call_id(&self, id: &str) -> bool {
        is_plain_id(id)
    }

    fn accepts_arguments(&self, arguments: &str) -> bool {
        is_json_object(arguments)
    }
}

impl Anthropic {
    fn block<'a>(&self, role: Role, at: Path, block: &'a Value, content: &mut Content<'a>) {
        let text = |key: &str| block.get(key).and_then(Value::as_str);
        let owned = |key: &str| Cow::Borrowed(text(key).unwrap_or_default());
        let part = match text("type") {
            Some("text") => ContentPart::Text(owned("text")),
            Some("thinking") => ContentPart::Reasoning {
                text: owned("thinking"),
                signature: text("signature")
                    .filter(|signature| !signature.is_empty())
                    .map(Cow::Borrowed),
            },
            // Its data is encrypted and only the provider can read it. As a signature without text it is kept
            // or removed like other signed reasoning.
            Some("redacted_thinking") => ContentPart::Reasoning {
                text: "".into(),
                signature: text("data").map(Cow::Borrowed),
            },
            Some("tool_use") => {
                let input = block.get("input");
                if input.is_none() {
                    let at = at.clone().then("input");
                    content.note(&at, IssueCode::MissingArguments, "the input is missing");
                }
                let arguments = input.map(Value::to_string).unwrap_or_default().into();
                ContentPart::Call { call: owned("id"), name: owned("name"), arguments }
            }
            Some("tool_result") => {
                let (text, media) = self.result(&at, block, content);
                let failed = block.get("is_error").and_then(Value::as_bool).unwrap_or_default();
                let call = owned("tool_use_id");
                let result = ContentPart::Result { call, name: None, text, media, failed };
                content.push(Role::Tool, at, result);
                return;
            }
            Some("image") => ContentPart::Image(attachment(block)),
            Some("document") => ContentPart::File(attachment(block)),
            Some("compaction") if is_empty_compaction(block) => {
                let message = "the compaction is empty; it is not sent";
                content.note(&at, IssueCode::EmptyCompaction, message);
                ContentPart::NotSent
            }
            // It replaces everything before it and has to come first, like a system prompt.
            Some("compaction") => {
                content.push(Role::System, at, ContentPart::opaque("compaction", block));
                return;
            }
            Some(kind) if KNOWN.contains(&kind) || kind.ends_with("_tool_result") => {
                ContentPart::opaque(kind, block)
            }
            other => {
                let kind = other.unwrap_or("untyped");
                let message = format!("a block of type {kind:?} is unknown; it is kept as it is");
                content.note(&at, IssueCode::UnknownPart, message);
                ContentPart::opaque(kind, block)
            }
        };
        content.push(role, at, part);
    }

    fn result<'a>(
        &self,
        at: &Path,
        block: &'a Value,
        content: &mut Content<'a>,
    ) -> (Cow<'a, str>, Vec<Attachment<'a>>) {
        let at = at.clone().then("content");
        let mut texts: Vec<Cow<'a, str>> = Vec::new();
        let mut media = Vec::new();
        match block.get("content") {
            None => {}
            Some(Value::String(text)) => texts.push(text.into()),
            Some(Value::Array(blocks)) => {
                for block in blocks {
                    match block.get("type").and_then(Value::as_str) {
                        Some("text") => texts
                            .extend(block.get("text").and_then(Value::as_str).map(Cow::Borrowed)),
                        Some("image" | "document") => media.push(attachment(block)),
                        _ => texts.push(block.to_string().into()),
                    }
                }
            }
            Some(other) => {
                let message =
                    format!("expected text or blocks, found {}; read as JSON", kind(other));
                content.note(&at, IssueCode::NotText, message);
                texts.push(other.to_string().into());
            }
        }
        (joined(texts), media)
    }
}

/// Blocks that are kept as they are: calls and results of the provider's own tools, and the like.
const KNOWN: [&str; 6] = [
    "server_tool_use",
    "search_result",
    "container_upload",
    "tool_addition",
    "tool_removal",
    "mcp_tool_use",
];

const ROLES: BlockRoles = BlockRoles {
    list: "content",
    model: "assistant",
    is_call: |block| type_of(block) == "tool_use",
    is_result,
};

fn type_of(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn is_thinking(block: &Value) -> bool {
    matches!(type_of(block), "thinking" | "redacted_thinking")
}

fn is_result(block: &Value) -> bool {
    type_of(block) == "tool_result"
}

fn is_blank(block: &Value) -> bool {
    let text = block.get("text").and_then(Value::as_str);
    type_of(block) == "text" && text.is_some_and(|text| text.trim().is_empty())
}

fn is_empty_compaction(block: &Value) -> bool {
    let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
    let has_content =
        block.get("content").is_some_and(|content| !content.is_null() && content != "");
    text("type") == "compaction" && !has_content && text("encrypted_content").is_empty()
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

fn attachment(block: &Value) -> Attachment<'_> {
    let text = |path: &str| block.pointer(path).and_then(Value::as_str);
    let media_type = text("/source/media_type");
    let mut attachment = match text("/source/type") {
        Some("url") => text("/source/url").map(Attachment::at).unwrap_or_default(),
        Some("file") => {
            let source = Source::Id(text("/source/file_id").unwrap_or_default().into());
            Attachment { source, ..Attachment::default() }
        }
        Some("base64") => Attachment::bytes(media_type, text("/source/data").unwrap_or_default()),
        _ => Attachment::default(),
    };
    if attachment.media_type.is_none() {
        let image = text("/type") == Some("image");
        attachment.media_type = media_type.or(image.then_some("image")).map(Cow::Borrowed);
    }
    attachment.name = text("/title").map(Cow::Borrowed);
    attachment
}

fn block_of(part: &ContentPart<'_>, role: Role, lost: &mut Vec<String>) -> Option<Value> {
    Some(match part {
        ContentPart::Text(text) if text.trim().is_empty() => return None,
        ContentPart::Text(text) => json!({ "type": "text", "text": text }),
        ContentPart::Call { call, name, arguments } => {
            let input = object_of(arguments, lost);
            json!({ "type": "tool_use", "id": call, "name": name, "input": input })
        }
        ContentPart::Result { call, text, media, failed, .. } => {
            let text_block = (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
            let media_blocks: Vec<Value> =
                media.iter().filter_map(|media| media_block(media, lost)).collect();
            let content = match media_blocks.is_empty() {
                true => text.as_ref().into(),
                false => text_block.into_iter().chain(media_blocks).collect::<Value>(),
            };
            match failed {
                true => {
                    json!({ "type": "tool_result", "tool_use_id": call, "content": content, "is_error": true })
                }
                false => json!({ "type": "tool_result", "tool_use_id": call, "content": content }),
            }
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
    let source = match &media.source {
        Source::Base64(data) => {
            let media_type = media.media_type.as_deref().unwrap_or("application/pdf");
            json!({ "type": "base64", "media_type": media_type, "data": data })
        }
        Source::Url(url) => json!({ "type": "url", "url": url }),
        Source::Id(_) | Source::Unknown => {
            lost.push("an image or file that only another provider has is left out".into());
            return None;
        }
    };
    Some(match (&media.name, media.is_image()) {
        (_, true) => json!({ "type": "image", "source": source }),
        (Some(name), false) => json!({ "type": "document", "source": source, "title": name }),
        (None, false) => json!({ "type": "document", "source": source }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use epitome::test_notation::notate;

    fn check(value: &Value, notation: &str, paths: &[&str]) {
        let reading = Format::Anthropic.read(&"m".into(), value).unwrap();
        assert_eq!(notate(&reading.messages), notation, "{value}");
        let found: Vec<&str> = reading.issues.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(found, paths, "{value}");
    }

    #[test]
    fn blocks_are_read_and_every_result_is_a_step_of_its_own() {
        check(&json!({ "role": "user", "content": "hi" }), "u: hi\n", &[]);
        let thought = json!({ "type": "thinking", "thinking": "hm", "signature": "sig" });
        let call = json!({ "type": "tool_use", "id": "one", "name": "f", "input": { "a": 1 } });
        let text = json!({ "type": "text", "text": "look" });
        check(
            &json!({ "role": "assistant", "content": [thought, text, call] }),
            "a: ?hm#sig look !one<{\"a\":1}>\n",
            &[],
        );
        let result =
            |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": "42" });
        check(
            &json!({ "role": "user", "content": [result("one"), result("two"), text] }),
            "t: =one<42>\nt: =two<42>\nu: look\n",
            &[],
        );
    }

    #[test]
    fn issues_of_malformed_messages_are_listed() {
        check(&json!({ "role": "user" }), "u:\n", &["content"]);
        check(&json!({ "role": "human", "content": "hi" }), "u: hi\n", &["role"]);
        let odd = json!({ "role": "user", "content": [{ "type": "hologram" }] });
        check(&odd, "u: hologram\n", &["content[0]"]);
        let empty =
            json!({ "role": "assistant", "content": [{ "type": "compaction", "content": null }] });
        check(&empty, "a:\n", &["content[0]"]);
    }

    #[test]
    fn a_compaction_by_the_provider_is_read_as_a_system_step() {
        let block = json!({ "type": "compaction", "content": "so far" });
        let value = json!({ "role": "assistant", "content": [block] });
        check(&value, "s: compaction\n", &[]);
    }
}
