//! OpenAI Chat Completions: one object a message, results in messages of role `tool`.

use std::borrow::Cow;

use epitome::message::Role;
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Map, Value, json};

use crate::content::{Attachment, Content, Piece, Source, What};
use crate::dialect::{Dialect, Turn};
use crate::format::{ShapeError, kind};
use crate::issue::{Code, Issue};
use crate::path::Path;
use crate::text::{append, joined, with_text};

/// OpenAI Chat Completions, and the many servers that speak it.
pub(crate) struct OpenAiChat;

impl Dialect for OpenAiChat {
    fn contract(&self) -> Contract {
        Contract {
            system: SystemPlace::Anywhere,
            first: First::Anyone,
            last: Last::NotAssistantForSome,
            neighbours: Neighbours::Free,
            results: ResultPlace::Behind,
            blank_text: BlankText::Allowed,
            // Some servers that show their model's thoughts want all of them back.
            reasoning: ReasoningPolicy::KeepAll,
            summary: SummaryRole::AsAsked,
        }
    }

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
        let Reader { role, mut content, .. } = reader;
        if content.pieces.is_empty() {
            content.pieces.push(Piece { role, items: Vec::new() });
        }
        Ok(content)
    }

    fn answer(&self, item: &mut Value, text: &str) {
        let Value::Object(object) = item else { return };
        let content = with_text(object.get("content"), text);
        object.insert("content".into(), content);
    }

    fn call_with(&self, item: &mut Value, arguments: &str) {
        let body = match ["function", "custom"].into_iter().find(|key| item.get(key).is_some()) {
            Some(key) => item.get_mut(key),
            None => Some(item),
        };
        let key = |body: &Value| match body.get("arguments") {
            Some(_) => "arguments",
            None => "input",
        };
        if let Some(slot) = body.and_then(|body| body.get_mut(key(body))) {
            let object = slot.is_object().then(|| serde_json::from_str(arguments).ok()).flatten();
            *slot = object.unwrap_or_else(|| arguments.into());
        }
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        let mut writer = Writer::default();
        turn.items.iter().for_each(|item| writer.take(turn.role, item, lost));
        writer.finish(turn)
    }

    fn is_free(&self, item: &Value) -> bool {
        item.get("custom").is_some()
    }

    /// A list of parts has one at least. Where nothing else is said, the message itself is empty.
    fn check(&self, message: &Value) -> Vec<Issue> {
        let called = ["tool_calls", "tool_call_id"].iter().any(|key| message.get(key).is_some());
        let empty = message.get("content").and_then(Value::as_array).is_some_and(Vec::is_empty);
        let told = "the list of parts is empty; leave it out, or say something";
        let found = (called && empty)
            .then(|| Issue::new(&Path::key("content"), Code::MissingContent, told));
        found.into_iter().collect()
    }

    fn mend(&self, message: &mut Value) -> bool {
        let before = message.clone();
        let Ok(content) = self.read(&before) else { return false };
        let Value::Object(object) = message else { return false };
        let role = content.pieces.first().map_or(Role::User, |piece| piece.role);
        let found = |code: Code| content.issues.iter().any(|issue| issue.code == code);
        if found(Code::UnknownRole) {
            object.insert("role".into(), role.as_str().into());
        }
        match object.get_mut("content") {
            Some(Value::Array(parts)) if found(Code::ForeignPart) => {
                let called = before.get("tool_calls").and_then(Value::as_array);
                let called: Vec<&Value> =
                    called.into_iter().flatten().filter_map(|call| call.get("id")).collect();
                let twice = |part: &Value| part.get("id").is_some_and(|id| called.contains(&id));
                parts.retain(|part| !twice(part));
            }
            Some(Value::Array(parts)) if parts.is_empty() => {
                let none = if role == Role::Tool { "".into() } else { Value::Null };
                object.insert("content".into(), none);
            }
            Some(Value::String(_) | Value::Array(_)) => {}
            Some(Value::Null) | None if role == Role::Tool => {
                object.insert("content".into(), "".into());
            }
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

    fn join(&self, first: &mut Value, second: Value) {
        append(first, second, "content", |text| json!({ "type": "text", "text": text }));
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

    fn push(&mut self, at: Path, what: What<'a>) {
        self.content.push(self.role, at, what);
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
            self.content.note(&at, Code::UnknownRole, message);
            return role;
        };
        let role = match name {
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
        self.content.note(&at, Code::UnknownRole, message);
        role
    }

    /// A tool's message has its tool's name there, which is no author.
    fn author(&mut self) {
        self.content.author = self.string("name").map(Cow::Borrowed);
    }

    /// Servers that show their model's thoughts use one of two fields for them.
    fn reasoning(&mut self) {
        for key in ["reasoning_content", "reasoning"] {
            if let Some(text) = self.string(key).filter(|text| !text.is_empty()) {
                let text = text.into();
                self.push(Path::key(key), What::Reasoning { text, signature: None });
                return;
            }
        }
    }

    fn content(&mut self) {
        let at = Path::key("content");
        match self.object.get("content") {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if text.is_empty() => {}
            Some(Value::String(text)) => self.push(at, What::Text(text.into())),
            Some(Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    let at = at.clone().at(index);
                    let what = self.part(&at, part);
                    self.push(at, what);
                }
            }
            Some(other) => {
                let message = format!("the content is {}; read as text", kind(other));
                self.content.note(&at, Code::NotText, message);
                self.push(at, What::Text(other.to_string().into()));
            }
        }
        // What the model said aloud: the server has the sound, under an id.
        if let Some(audio) = self.object.get("audio").filter(|audio| audio.is_object()) {
            self.push(Path::key("audio"), What::opaque("audio", audio));
        }
        if let Some(refusal) = self.string("refusal") {
            self.push(Path::key("refusal"), What::Text(refusal.into()));
        }
    }

    fn part(&mut self, at: &Path, part: &'a Value) -> What<'a> {
        let text = |key: &str| part.get(key).and_then(Value::as_str);
        let read = match text("type") {
            Some("text" | "input_text" | "output_text") => What::text(text("text")),
            Some("refusal") => What::text(text("refusal")),
            Some("image_url") => Some(What::Image(image(part))),
            Some("input_audio") => Some(What::File(audio(part))),
            Some("file") => Some(What::File(file(part))),
            _ => What::text(part.as_str()),
        };
        read.unwrap_or_else(|| {
            let kind = text("type").unwrap_or("untyped");
            let code = match kind {
                "tool_use" | "tool_result" | "tool-call" | "tool-result" => Code::ForeignPart,
                _ => Code::UnknownPart,
            };
            let message = format!("a part of type {kind:?} is not known; it is kept as it is");
            self.content.note(at, code, message);
            What::opaque(kind, part)
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
                self.content.note(&at, Code::UnknownPart, message);
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
                    self.content.note(&inside, Code::MissingArguments, message);
                    Cow::Borrowed("")
                }
                Some(other) => {
                    let message = format!("expected a string, found {}", kind(other));
                    self.content.note(&inside, Code::NotText, message);
                    other.to_string().into()
                }
            };
            let call = id_of(call.get("id"));
            self.push(at, What::Call { call, name: name.into(), arguments });
        }
        // The form before tool calls: one call a message, answered by name.
        if let Some(Value::Object(call)) = self.object.get("function_call") {
            let text = |key: &str| call.get(key).and_then(Value::as_str).unwrap_or_default();
            let (name, arguments) = (text("name").into(), text("arguments").into());
            let call = text("name").into();
            self.push(Path::key("function_call"), What::Call { call, name, arguments });
        }
    }

    fn result(&mut self) {
        let at = Path::key("content");
        let mut texts: Vec<Cow<'a, str>> = Vec::new();
        let mut media = Vec::new();
        match self.object.get("content") {
            Some(Value::String(content)) => texts.push(content.into()),
            Some(Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    match self.part(&at.clone().at(index), part) {
                        What::Text(text) => texts.push(text),
                        What::Image(attachment) | What::File(attachment) => media.push(attachment),
                        _ => texts.push(part.to_string().into()),
                    }
                }
            }
            None | Some(Value::Null) => {
                let message = "the result is missing; read as empty";
                self.content.note(&at, Code::MissingContent, message);
            }
            Some(other) => {
                let message = format!("expected text, found {}; read as JSON", kind(other));
                self.content.note(&at, Code::NotText, message);
                texts.push(other.to_string().into());
            }
        }
        let name = self.string("name");
        let legacy = self.string("role") == Some("function");
        let call = match (self.object.get("tool_call_id"), name) {
            (None, Some(name)) if legacy => name.into(),
            (id, _) => id_of(id),
        };
        let name = name.map(Cow::Borrowed);
        let text = joined(texts);
        self.push(Path::default(), What::Result { call, name, text, media, failed: false });
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

/// What one role says, as it is being written.
#[derive(Default)]
struct Writer {
    parts: Vec<Value>,
    calls: Vec<Value>,
    reasoning: Option<String>,
    results: Vec<Value>,
}

impl Writer {
    fn take(&mut self, role: Role, what: &What<'_>, lost: &mut Vec<String>) {
        match what {
            What::Text(text) => self.parts.push(json!({ "type": "text", "text": text })),
            What::Call { call, name, arguments } => self.calls.push(json!({
                "id": call,
                "type": "function",
                "function": { "name": name, "arguments": arguments },
            })),
            What::Result { call, text, media, .. } => {
                if !media.is_empty() {
                    lost.push("pictures and files in a tool result are left out".into());
                }
                self.results.push(json!({ "role": "tool", "tool_call_id": call, "content": text }));
            }
            What::Image(image) if role == Role::User => match image.url() {
                Some(url) => {
                    self.parts.push(json!({ "type": "image_url", "image_url": { "url": url } }));
                }
                None => lost.push("a picture that the provider keeps is left out".into()),
            },
            What::File(file) if role == Role::User => match (&file.source, file.url()) {
                (Source::Base64(_), Some(data)) => {
                    let name = file.name.as_deref().unwrap_or("file");
                    let body = json!({ "filename": name, "file_data": data });
                    self.parts.push(json!({ "type": "file", "file": body }));
                }
                _ => lost.push("a file that is not in the message is left out".into()),
            },
            What::Image(_) | What::File(_) => {
                lost.push("a picture or file that is not the user's is left out".into());
            }
            What::Reasoning { text, .. } => {
                if !text.is_empty() {
                    self.reasoning = Some(text.to_string());
                }
                lost.push("the seal of the model's thoughts is left out".into());
            }
            What::Approval { .. } => lost.push("leave to run a tool is left out".into()),
            What::Opaque { kind, .. } => lost.push(format!("a part of type {kind:?} is left out")),
            What::Silent => {}
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
mod tests {
    use super::*;
    use crate::Format;
    use epitome::history::{Change, PartChange};
    use epitome::message::Part;
    use epitome::test_notation::notate;

    fn check(value: &Value, notation: &str, paths: &[&str]) {
        let reading = Format::OpenAiChat.read(&"m".into(), value).unwrap();
        assert_eq!(notate(&reading.messages).trim_end(), notation, "{value}");
        let found: Vec<&str> = reading.issues.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(found, paths, "{value}");
    }

    fn call(id: &str) -> Value {
        json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": "{}" } })
    }

    #[test]
    fn tidy_messages_read_without_surprise() {
        check(&json!({ "role": "system", "content": "be kind" }), "s: be kind", &[]);
        check(&json!({ "role": "developer", "content": "be kind" }), "s: be kind", &[]);
        check(
            &json!({ "role": "user", "content": [{ "type": "text", "text": "hi" }] }),
            "u: hi",
            &[],
        );
        let assistant =
            json!({ "role": "assistant", "content": null, "tool_calls": [call("a"), call("b")] });
        check(&assistant, "a: !a !b", &[]);
        check(&json!({ "role": "tool", "tool_call_id": "a", "content": "42" }), "t: =a<42>", &[]);
        let thought = json!({ "role": "assistant", "content": "yes", "reasoning_content": "hm" });
        check(&thought, "a: ?hm yes", &[]);
        let picture =
            json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } });
        check(&json!({ "role": "user", "content": [picture] }), "u: <image>", &[]);
    }

    #[test]
    fn untidy_messages_are_read_and_listed() {
        check(&json!({ "content": "hi" }), "u: hi", &["role"]);
        check(&json!({ "role": "Assistant", "content": "hi" }), "a: hi", &["role"]);
        check(&json!({ "role": "narrator", "content": "hi" }), "u: hi", &["role"]);
        check(&json!({ "role": "user", "content": 7 }), "u: 7", &["content"]);
        let odd = json!({ "role": "user", "content": [{ "type": "hologram", "data": 1 }] });
        check(&odd, "u: hologram", &["content[0]"]);
        let unnamed = json!({ "role": "tool", "content": { "ok": true } });
        check(&unnamed, "t: =<{\"ok\":true}>", &["content"]);
        let null = json!({ "role": "assistant", "tool_calls": [{ "id": "a", "function": { "name": "f", "arguments": null } }] });
        check(&null, "a: !a<>", &["tool_calls[0].function.arguments"]);
        check(&json!({ "role": "assistant", "content": null }), "a:", &[]);
    }

    #[test]
    fn a_value_that_is_no_object_is_refused_by_what_it_is() {
        let error = Format::OpenAiChat.read(&"m".into(), &json!("hi")).unwrap_err().to_string();
        assert_eq!(error, "expected an object with role and content, found a string");
    }

    #[test]
    fn what_the_engine_inserts_reads_back() {
        let format = Format::OpenAiChat;
        let result = [Part::ToolResult { call: "a".into(), name: None, text: "none".into() }];
        let value = format.write(Role::Tool, &result);
        assert_eq!(value, json!({ "role": "tool", "tool_call_id": "a", "content": "none" }));
        assert_eq!(format.read(&"m".into(), &value).unwrap().messages[0].parts, result);
        let value = format.write(Role::User, &[Part::text("hi")]);
        assert_eq!(value, json!({ "role": "user", "content": "hi" }));
    }

    fn rewrites(original: &Value, part: usize, change: Change, expected: &Value) {
        let changes = [PartChange { part, change }];
        assert_eq!(&Format::OpenAiChat.rewrite(original, &changes), expected);
    }

    #[test]
    fn a_result_says_something_else_and_keeps_its_pictures() {
        let text = Change::Text { text: "short".into() };
        rewrites(
            &json!({ "role": "tool", "tool_call_id": "a", "content": "long", "x": 1 }),
            0,
            text.clone(),
            &json!({ "role": "tool", "tool_call_id": "a", "content": "short", "x": 1 }),
        );
        let picture = json!({ "type": "image_url", "image_url": { "url": "u" } });
        let parts = json!([{ "type": "text", "text": "long" }, picture]);
        let short = json!([{ "type": "text", "text": "short" }, picture]);
        rewrites(
            &json!({ "role": "tool", "tool_call_id": "a", "content": parts }),
            0,
            text,
            &json!({ "role": "tool", "tool_call_id": "a", "content": short }),
        );
    }

    #[test]
    fn a_call_has_other_arguments_and_keeps_its_form() {
        let arguments = Change::Arguments { arguments: "{\"a\":2}".into() };
        let call = |arguments: Value| json!({ "id": "c", "function": { "name": "f", "arguments": arguments } });
        let message = |second: Value| json!({ "role": "assistant", "content": "so", "tool_calls": [call(json!("{}")), call(second)] });
        let one = json!("{\"a\":1}");
        rewrites(&message(one), 2, arguments.clone(), &message(json!("{\"a\":2}")));
        rewrites(&message(json!({ "a": 1 })), 2, arguments.clone(), &message(json!({ "a": 2 })));
        let old = |arguments: &str| json!({ "role": "assistant", "function_call": { "name": "f", "arguments": arguments } });
        rewrites(&old("{}"), 0, arguments, &old("{\"a\":2}"));
    }

    #[test]
    fn thoughts_can_be_left_out() {
        rewrites(
            &json!({ "role": "assistant", "content": "so", "reasoning_content": "hm" }),
            0,
            Change::Remove,
            &json!({ "role": "assistant", "content": "so" }),
        );
    }
}
