//! OpenAI Chat Completions: each message is an object, and tool results are messages of role `tool`.

use std::borrow::Cow;

use epitome::message::Role;
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Map, Value, json};

use crate::attachment::{Attachment, Source};
use crate::conformance::{Conformance, Sample};
use crate::content::{Content, ContentPart, ResultContent};
use crate::dialect::{Dialect, Turn};
use crate::issue::{Issue, IssueCode};
use crate::path::Path;
use crate::shape::{ShapeError, kind};
use crate::text::{append, with_text};
use crate::usage_fields::UsageFields;

/// OpenAI Chat Completions, and the many servers that are compatible with it.
pub(crate) struct OpenAiChat;

impl OpenAiChat {
    /// What the provider accepts.
    pub(crate) const CONTRACT: Contract = Contract {
        system: SystemPlace::Anywhere,
        first: First::Anyone,
        last: Last::NotAssistantForSome,
        neighbours: Neighbours::Free,
        results: ResultPlace::DirectlyAfter,
        blank_text: BlankText::Allowed,
        // Some servers that send the reasoning of their model require all of it back.
        reasoning: ReasoningPolicy::KeepAll,
        summary: SummaryRole::FromPolicy,
    };

    /// Where the provider reports token counts.
    pub(crate) const USAGE_FIELDS: UsageFields = UsageFields {
        prompt: &["/prompt_tokens"],
        completion: &["/completion_tokens"],
        total: &["/total_tokens"],
        cached: &["/prompt_tokens_details/cached_tokens"],
        cache_written: &["/prompt_tokens_details/cache_write_tokens"],
        reasoning: &["/completion_tokens_details/reasoning_tokens"],
        ..UsageFields::NONE
    };
}

impl Dialect for OpenAiChat {
    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        let Value::Object(object) = value else {
            return Err(ShapeError::expected("an object with role and content", value));
        };
        let mut reader = Reader { object, role: Role::User, content: Content::default() };
        reader.role = reader.role();
        if reader.role == Role::Tool {
            reader.result();
        } else {
            reader.author();
            reader.reasoning();
            reader.content();
            reader.calls();
        }
        Ok(reader.content.or_empty_step(reader.role))
    }

    fn set_result(&self, item: &mut Value, text: &str) {
        let Value::Object(object) = item else { return };
        let content = with_text(object.get("content"), text);
        object.insert("content".into(), content);
    }

    fn set_arguments(&self, item: &mut Value, arguments: &str) {
        let body = match ["function", "custom"].into_iter().find(|key| item.get(key).is_some()) {
            Some(key) => item.get_mut(key),
            None => Some(item),
        };
        let key = |body: &Value| match body.get("arguments") {
            Some(_) => "arguments",
            None => "input",
        };
        if let Some(slot) = body.and_then(|body| body.get_mut(key(body))) {
            // Some compatible servers have the arguments as an object and not as JSON in a text. The form
            // stays, since the same server gets the message back.
            let object = slot.is_object().then(|| serde_json::from_str(arguments).ok()).flatten();
            *slot = object.unwrap_or_else(|| arguments.into());
        }
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        let mut writer = Writer::default();
        turn.parts.iter().for_each(|part| writer.push(turn.role, part, lost));
        writer.finish(turn)
    }

    /// A list of parts may not be empty. If the message has no call or result either, it is blank, which
    /// validation finds.
    fn check(&self, message: &Value) -> Vec<Issue> {
        let calls_or_answers =
            ["tool_calls", "tool_call_id"].iter().any(|key| message.get(key).is_some());
        let empty = message.get("content").and_then(Value::as_array).is_some_and(Vec::is_empty);
        let problem = "the list of parts is empty; leave it out, or add a text";
        let found = (calls_or_answers && empty)
            .then(|| Issue::new(&Path::key("content"), IssueCode::MissingContent, problem));
        found.into_iter().collect()
    }

    fn merge(&self, first: &mut Value, second: Value) {
        append(first, second, "content", |text| json!({ "type": "text", "text": text }));
    }
}

impl Conformance for OpenAiChat {
    /// The format of messages that no other format recognizes.
    fn recognizes(&self, _sample: Sample<'_>) -> bool {
        false
    }

    fn has_free_text_arguments(&self, item: &Value) -> bool {
        item.get("custom").is_some()
    }

    fn some_servers_require_alternation(&self) -> bool {
        true
    }

    fn normalize(&self, message: &mut Value) -> bool {
        let before = message.clone();
        let Ok(content) = self.read(&before) else { return false };
        let Value::Object(object) = message else { return false };
        let role = content.steps.first().map_or(Role::User, |step| step.role);
        let found = |code: IssueCode| content.issues.iter().any(|issue| issue.code == code);
        if found(IssueCode::UnknownRole) {
            object.insert("role".into(), role.as_str().into());
        }
        match object.get_mut("content") {
            Some(Value::Array(parts)) if found(IssueCode::ForeignPart) => {
                // Parts of another format that repeat a call of `tool_calls` can go without a loss.
                let called = before.get("tool_calls").and_then(Value::as_array);
                let called: Vec<&Value> =
                    called.into_iter().flatten().filter_map(|call| call.get("id")).collect();
                let is_repeated =
                    |part: &Value| part.get("id").is_some_and(|id| called.contains(&id));
                parts.retain(|part| !is_repeated(part));
            }
            Some(Value::Array(parts)) if parts.is_empty() => {
                let none = if role == Role::Tool { "".into() } else { Value::Null };
                object.insert("content".into(), none);
            }
            Some(Value::String(_) | Value::Array(_)) => {}
            Some(Value::Null) | None if role == Role::Tool => {
                object.insert("content".into(), "".into());
            }
            // Valid in a message with calls; without any, the message is blank.
            Some(Value::Null) | None => {}
            Some(other) => *other = other.to_string().into(),
        }
        let calls = object.get_mut("tool_calls").and_then(Value::as_array_mut);
        for body in calls.into_iter().flatten().filter_map(|call| call.get_mut("function")) {
            if let Some(arguments) = body.get_mut("arguments").filter(|found| found.is_object()) {
                *arguments = arguments.to_string().into();
            }
        }
        *message != before
    }
}

struct Reader<'a> {
    object: &'a Map<String, Value>,
    role: Role,
    content: Content<'a>,
}

impl<'a> Reader<'a> {
    fn string(&self, key: &str) -> Option<&'a str> {
        self.object.get(key).and_then(Value::as_str)
    }

    fn push(&mut self, at: Path, part: ContentPart<'a>) {
        self.content.push(self.role, at, part);
    }

    fn role(&mut self) -> Role {
        let at = Path::key("role");
        let Some(name) = self.string("role") else {
            let role = if self.object.contains_key("tool_call_id") {
                Role::Tool
            } else if self.object.contains_key("tool_calls") {
                Role::Assistant
            } else {
                Role::User
            };
            let message = format!("the role is missing; read as {}", role.as_str());
            self.content.note(&at, IssueCode::UnknownRole, message);
            return role;
        };
        let role = match name {
            // The names that the API knows return here, so that only other spellings get an issue.
            "system" | "developer" => return Role::System,
            "user" => return Role::User,
            "assistant" => return Role::Assistant,
            "tool" | "function" => return Role::Tool,
            _ => match name.to_ascii_lowercase().as_str() {
                "system" | "developer" => Role::System,
                "assistant" | "ai" | "model" => Role::Assistant,
                "tool" | "function" => Role::Tool,
                _ => Role::User,
            },
        };
        let message = format!("the role {name:?} is unknown; read as {}", role.as_str());
        self.content.note(&at, IssueCode::UnknownRole, message);
        role
    }

    /// Not used for tool messages, whose name is that of the tool.
    fn author(&mut self) {
        self.content.author = self.string("name").map(Cow::Borrowed);
    }

    /// Compatible servers that send reasoning use one of two fields for it.
    fn reasoning(&mut self) {
        for key in ["reasoning_content", "reasoning"] {
            if let Some(text) = self.string(key).filter(|text| !text.is_empty()) {
                let text = text.into();
                self.push(Path::key(key), ContentPart::Reasoning { text, signature: None });
                return;
            }
        }
    }

    fn content(&mut self) {
        let at = Path::key("content");
        match self.object.get("content") {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if text.is_empty() => {}
            Some(Value::String(text)) => self.push(at, ContentPart::Text(text.into())),
            Some(Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    let at = at.clone().at(index);
                    let part = self.part(&at, part);
                    self.push(at, part);
                }
            }
            Some(other) => {
                let message = format!("the content is {}; read as text", kind(other));
                self.content.note(&at, IssueCode::NotText, message);
                self.push(at, ContentPart::Text(other.to_string().into()));
            }
        }
        // Spoken output: the server has the audio under an id.
        if let Some(audio) = self.object.get("audio").filter(|audio| audio.is_object()) {
            self.push(Path::key("audio"), ContentPart::opaque("audio", audio));
        }
        if let Some(refusal) = self.string("refusal") {
            self.push(Path::key("refusal"), ContentPart::Text(refusal.into()));
        }
    }

    fn part(&mut self, at: &Path, part: &'a Value) -> ContentPart<'a> {
        let text = |key: &str| part.get(key).and_then(Value::as_str);
        let read = match text("type") {
            Some("text" | "input_text" | "output_text") => ContentPart::text(text("text")),
            Some("refusal") => ContentPart::text(text("refusal")),
            Some("image_url") => Some(ContentPart::Image(image(part))),
            Some("input_audio") => Some(ContentPart::File(audio(part))),
            Some("file") => Some(ContentPart::File(file(part))),
            _ => ContentPart::text(part.as_str()),
        };
        read.unwrap_or_else(|| {
            let kind = text("type").unwrap_or("untyped");
            let code = match kind {
                "tool_use" | "tool_result" | "tool-call" | "tool-result" => IssueCode::ForeignPart,
                _ => IssueCode::UnknownPart,
            };
            let message = format!("a part of type {kind:?} is unknown; it is kept as it is");
            self.content.note(at, code, message);
            ContentPart::opaque(kind, part)
        })
    }

    fn calls(&mut self) {
        let at = Path::key("tool_calls");
        let calls = match self.object.get("tool_calls") {
            Some(Value::Array(calls)) => calls.as_slice(),
            None | Some(Value::Null) => &[],
            Some(other) => {
                let message =
                    format!("expected an array, found {}; it is kept as it is", kind(other));
                self.content.note(&at, IssueCode::UnknownPart, message);
                &[]
            }
        };
        for (index, call) in calls.iter().enumerate() {
            let at = at.clone().at(index);
            let body = call.get("function").or(call.get("custom")).unwrap_or(call);
            let name = body.get("name").and_then(Value::as_str).unwrap_or_default();
            let inside = at.clone().then("function").then("arguments");
            let arguments = match body.get("arguments").or(body.get("input")) {
                Some(Value::String(arguments)) => Cow::Borrowed(arguments.as_str()),
                None | Some(Value::Null) => {
                    let message = "the arguments are missing; they are kept so";
                    self.content.note(&inside, IssueCode::MissingArguments, message);
                    Cow::Borrowed("")
                }
                Some(other) => {
                    let message = format!("expected a string, found {}", kind(other));
                    self.content.note(&inside, IssueCode::NotText, message);
                    other.to_string().into()
                }
            };
            let call = id_of(call.get("id"));
            self.push(at, ContentPart::Call { call, name: name.into(), arguments });
        }
        // The predecessor of tool calls: one call per message, and its result names the function.
        if let Some(Value::Object(call)) = self.object.get("function_call") {
            let text = |key: &str| call.get(key).and_then(Value::as_str).unwrap_or_default();
            let (name, arguments) = (text("name").into(), text("arguments").into());
            let call = text("name").into();
            self.push(Path::key("function_call"), ContentPart::Call { call, name, arguments });
        }
    }

    fn result(&mut self) {
        let at = Path::key("content");
        let content = self.object.get("content");
        let result =
            ResultContent::read(content, &mut |index, part| self.part(&at.clone().at(index), part));
        if let Some((code, message)) = result.issue {
            self.content.note(&at, code, message);
        }
        let name = self.string("name");
        let legacy = self.string("role") == Some("function");
        // A message of role `function` has no call id. Its call was read with the name of the function as its
        // id.
        let call = match (self.object.get("tool_call_id"), name) {
            (None, Some(name)) if legacy => name.into(),
            (id, _) => id_of(id),
        };
        let name = name.map(Cow::Borrowed);
        let ResultContent { text, media, .. } = result;
        self.push(Path::default(), ContentPart::Result { call, name, text, media, failed: false });
    }
}

fn id_of(value: Option<&Value>) -> Cow<'_, str> {
    value.and_then(Value::as_str).unwrap_or_default().into()
}

fn image(part: &Value) -> Attachment<'_> {
    let url = part.pointer("/image_url/url").or(part.get("image_url")).and_then(Value::as_str);
    let mut image = url.map(Attachment::at).unwrap_or_default();
    if image.media_type.is_none() {
        image.media_type = Some("image".into());
    }
    image
}

fn audio(part: &Value) -> Attachment<'_> {
    let text = |path: &str| part.pointer(path).and_then(Value::as_str);
    let bytes = text("/input_audio/data").unwrap_or_default();
    let format = text("/input_audio/format").map(|format| format!("audio/{format}").into());
    Attachment { media_type: format, ..Attachment::bytes(None, bytes) }
}

fn file(part: &Value) -> Attachment<'_> {
    let text = |path: &str| part.pointer(path).and_then(Value::as_str);
    let id = text("/file/file_id").map(|id| Source::Id(id.into()));
    let data = match text("/file/file_data") {
        Some(data) if data.starts_with("data:") => Attachment::at(data),
        Some(data) => Attachment::bytes(None, data),
        None => Attachment::default(),
    };
    let name = text("/file/filename").map(Cow::Borrowed);
    let source = id.unwrap_or_else(|| data.source.clone());
    Attachment { name, source, ..data }
}

/// The parts of a turn, written.
#[derive(Default)]
struct Writer {
    parts: Vec<Value>,
    calls: Vec<Value>,
    reasoning: Option<String>,
    results: Vec<Value>,
}

impl Writer {
    fn push(&mut self, role: Role, part: &ContentPart<'_>, lost: &mut Vec<String>) {
        match part {
            ContentPart::Text(text) => self.parts.push(json!({ "type": "text", "text": text })),
            ContentPart::Call { call, name, arguments } => self.calls.push(json!({
                "id": call,
                "type": "function",
                "function": { "name": name, "arguments": arguments },
            })),
            ContentPart::Result { call, text, media, .. } => {
                if !media.is_empty() {
                    lost.push("images and files in a tool result are left out".into());
                }
                self.results.push(json!({ "role": "tool", "tool_call_id": call, "content": text }));
            }
            ContentPart::Image(image) if role == Role::User => match image.url() {
                Some(url) => {
                    self.parts.push(json!({ "type": "image_url", "image_url": { "url": url } }));
                }
                None => lost.push("an image that only its provider has is left out".into()),
            },
            ContentPart::File(file) if role == Role::User => match (&file.source, file.url()) {
                (Source::Base64(_), Some(data)) => {
                    let name = file.name.as_deref().unwrap_or("file");
                    let body = json!({ "filename": name, "file_data": data });
                    self.parts.push(json!({ "type": "file", "file": body }));
                }
                _ => lost.push("a file that is not in the message is left out".into()),
            },
            ContentPart::Reasoning { text, .. } => {
                if !text.is_empty() {
                    self.reasoning = Some(text.to_string());
                }
                lost.push("the signature of reasoning is left out".into());
            }
            other => lost.extend(other.left_out()),
        }
    }

    fn finish(self, turn: &Turn<'_>) -> Vec<Value> {
        let Self { parts, calls, reasoning, mut results } = self;
        if turn.role == Role::Tool {
            return results;
        }
        let mut object = Map::new();
        object.insert("role".into(), turn.role.as_str().into());
        if let Some(author) = &turn.author {
            object.insert("name".into(), author.as_ref().into());
        }
        if let Some(reasoning) = reasoning {
            object.insert("reasoning_content".into(), reasoning.into());
        }
        let texts: Option<Vec<&str>> =
            parts.iter().map(|part| part.get("text").and_then(Value::as_str)).collect();
        let content = match texts {
            Some(texts) if texts.is_empty() && !calls.is_empty() => Value::Null,
            // A plain text if possible: some compatible servers do not accept a list of parts.
            Some(texts) => texts.join("\n").into(),
            None => Value::Array(parts),
        };
        object.insert("content".into(), content);
        if !calls.is_empty() {
            object.insert("tool_calls".into(), calls.into());
        }
        results.insert(0, Value::Object(object));
        results
    }
}

#[cfg(test)]
mod tests;
