//! OpenAI Chat Completions: one object a message, results in messages of role `tool`.

mod rewrite;

use epitome::message::{CallId, Media, Message, MessageId, Part, Role};
use epitome::{Contract, SystemPlace};
use serde_json::{Map, Value, json};

pub use rewrite::rewrite;

use crate::format::{Reading, ShapeError, Surprise, kind};

/// What OpenAI-compatible servers accept.
pub const CONTRACT: Contract = Contract { system: SystemPlace::Anywhere };

/// See [`Format::read`](crate::Format::read).
pub fn read(id: MessageId, value: &Value) -> Result<Reading, ShapeError> {
    let Value::Object(object) = value else {
        let problem = format!("expected an object with role and content, found {}", kind(value));
        return Err(ShapeError { problem });
    };
    let mut reader = Reader { object, parts: Vec::new(), surprises: Vec::new() };
    let role = reader.role();
    reader.reasoning();
    if role == Role::Tool {
        reader.result();
    } else {
        reader.content();
        reader.calls();
    }
    let Reader { parts, surprises, .. } = reader;
    let mut message = Message::with_parts(id, role, parts);
    // A tool's message has its tool's name there, which is no author.
    if role != Role::Tool {
        message.author = object.get("name").and_then(Value::as_str).map(str::to_owned);
    }
    Ok(Reading { message, surprises })
}

struct Reader<'a> {
    object: &'a Map<String, Value>,
    parts: Vec<Part>,
    surprises: Vec<Surprise>,
}

impl<'a> Reader<'a> {
    fn surprise(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.surprises.push(Surprise { path: path.into(), message: message.into() });
    }

    fn string(&self, key: &str) -> Option<&'a str> {
        self.object.get(key).and_then(Value::as_str)
    }

    fn role(&mut self) -> Role {
        let Some(name) = self.string("role") else {
            let role = if self.object.contains_key("tool_call_id") {
                Role::Tool
            } else if self.object.contains_key("tool_calls") {
                Role::Assistant
            } else {
                Role::User
            };
            self.surprise("role", format!("the role is missing; read as {}", role.as_str()));
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
        self.surprise("role", format!("the role {name:?} is unknown; read as {}", role.as_str()));
        role
    }

    /// Servers that show their model's thoughts use one of two fields for them.
    fn reasoning(&mut self) {
        let text = self.string("reasoning_content").or(self.string("reasoning"));
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.parts.push(Part::Reasoning { text: text.to_owned(), signature: None });
        }
    }

    fn content(&mut self) {
        match self.object.get("content") {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if text.is_empty() => {}
            Some(Value::String(text)) => self.parts.push(Part::text(text)),
            Some(Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    self.part(index, part);
                }
            }
            Some(other) => {
                self.surprise("content", format!("the content is {}; read as text", kind(other)));
                self.parts.push(Part::text(other.to_string()));
            }
        }
        if let Some(refusal) = self.string("refusal") {
            self.parts.push(Part::text(refusal));
        }
    }

    fn part(&mut self, index: usize, part: &Value) {
        let text = |key: &str| part.get(key).and_then(Value::as_str);
        let read = match text("type") {
            Some("text" | "input_text" | "output_text") => text("text").map(Part::text),
            Some("refusal") => text("refusal").map(Part::text),
            Some("image_url") => {
                Some(Part::Image(media(part.pointer("/image_url/url").or(part.get("image_url")))))
            }
            Some("input_audio") => Some(Part::File(Media {
                media_type: part
                    .pointer("/input_audio/format")
                    .and_then(Value::as_str)
                    .map(|format| format!("audio/{format}")),
                ..Media::default()
            })),
            Some("file") => Some(Part::File(Media {
                name: part.pointer("/file/filename").and_then(Value::as_str).map(str::to_owned),
                ..Media::default()
            })),
            _ => part.as_str().map(Part::text),
        };
        match read {
            Some(part) => self.parts.push(part),
            None => {
                let kind = text("type").unwrap_or("untyped").to_owned();
                let path = format!("content[{index}]");
                self.surprise(
                    path,
                    format!("a part of type {kind:?} is not known; it is kept as it is"),
                );
                let characters = characters(part);
                self.parts.push(Part::Other { kind, characters });
            }
        }
    }

    fn calls(&mut self) {
        let calls = match self.object.get("tool_calls") {
            Some(Value::Array(calls)) => calls.as_slice(),
            None | Some(Value::Null) => &[],
            Some(other) => {
                let message =
                    format!("expected an array, found {}; it is kept as it is", kind(other));
                self.surprise("tool_calls", message);
                &[]
            }
        };
        for (index, call) in calls.iter().enumerate() {
            let body = call.get("function").or(call.get("custom")).unwrap_or(call);
            let name = body.get("name").and_then(Value::as_str).unwrap_or_default();
            let arguments = body.get("arguments").or(body.get("input"));
            let arguments = match arguments {
                Some(Value::String(arguments)) => arguments.clone(),
                None | Some(Value::Null) => {
                    let path = format!("tool_calls[{index}].function.arguments");
                    self.surprise(path, "the arguments are missing; they are kept so");
                    String::new()
                }
                Some(other) => {
                    let path = format!("tool_calls[{index}].function.arguments");
                    self.surprise(path, format!("expected a string, found {}", kind(other)));
                    other.to_string()
                }
            };
            self.parts.push(Part::ToolCall {
                call: call_id(call.get("id")),
                name: name.to_owned(),
                arguments,
            });
        }
        // The form before tool calls: one call a message, answered by name.
        if let Some(Value::Object(call)) = self.object.get("function_call") {
            let text = |key: &str| call.get(key).and_then(Value::as_str).unwrap_or_default();
            let (name, arguments) = (text("name").to_owned(), text("arguments").to_owned());
            let call = CallId::from(name.as_str());
            self.parts.push(Part::ToolCall { call, name, arguments });
        }
    }

    fn result(&mut self) {
        let mut text = String::new();
        match self.object.get("content") {
            Some(Value::String(content)) => text.push_str(content),
            Some(Value::Array(_)) => {
                self.content();
                for part in &self.parts {
                    if let Part::Text { text: content } = part {
                        if !text.is_empty() {
                            text.push('\n');
                        }
                        text.push_str(content);
                    }
                }
                self.parts.retain(|part| !matches!(part, Part::Text { .. }));
            }
            None | Some(Value::Null) => {
                self.surprise("content", "the result is missing; read as empty");
            }
            Some(other) => {
                self.surprise(
                    "content",
                    format!("expected text, found {}; read as JSON", kind(other)),
                );
                text = other.to_string();
            }
        }
        let name = self.string("name");
        let legacy = self.string("role") == Some("function");
        let call = match (self.object.get("tool_call_id"), name) {
            (None, Some(name)) if legacy => CallId::from(name),
            (id, _) => call_id(id),
        };
        self.parts.push(Part::ToolResult { call, name: name.map(str::to_owned), text });
    }
}

fn call_id(value: Option<&Value>) -> CallId {
    CallId::from(value.and_then(Value::as_str).unwrap_or_default())
}

/// A picture by its address: its name where that is short, its type where it holds the bytes.
fn media(url: Option<&Value>) -> Media {
    let Some(url) = url.and_then(Value::as_str) else { return Media::default() };
    match url.strip_prefix("data:") {
        Some(data) => {
            let media_type = data.split([';', ',']).next().unwrap_or_default();
            Media { media_type: Some(media_type.to_owned()), ..Media::default() }
        }
        None => Media { name: Some(url.chars().take(200).collect()), ..Media::default() },
    }
}

fn characters(value: &Value) -> u32 {
    u32::try_from(value.to_string().chars().count()).unwrap_or(u32::MAX)
}

/// See [`Format::write`](crate::Format::write).
pub fn write(role: Role, parts: &[Part]) -> Value {
    let mut texts: Vec<&str> = Vec::new();
    let mut calls: Vec<Value> = Vec::new();
    let mut answered = None;
    for part in parts {
        match part {
            Part::Text { text } => texts.push(text),
            Part::ToolCall { call, name, arguments } => calls.push(json!({
                "id": call.as_str(),
                "type": "function",
                "function": { "name": name, "arguments": arguments },
            })),
            Part::ToolResult { call, text, .. } => {
                texts.push(text);
                answered = Some(call);
            }
            // The engine inserts neither thoughts nor attachments.
            Part::Reasoning { .. } | Part::Image(_) | Part::File(_) | Part::Other { .. } => {}
        }
    }
    let mut object = Map::new();
    object.insert("role".into(), role.as_str().into());
    if let Some(call) = answered {
        object.insert("tool_call_id".into(), call.as_str().into());
    }
    object.insert("content".into(), texts.join("\n").into());
    if !calls.is_empty() {
        object.insert("tool_calls".into(), calls.into());
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::notation::notate;

    fn check(value: &Value, notation: &str, paths: &[&str]) {
        let reading = read("m".into(), value).unwrap();
        assert_eq!(notate([&reading.message]).trim_end(), notation, "{value}");
        let found: Vec<&str> = reading.surprises.iter().map(|found| found.path.as_str()).collect();
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
    }

    #[test]
    fn a_value_that_is_no_object_is_refused_by_what_it_is() {
        let error = read("m".into(), &json!("hi")).unwrap_err().to_string();
        assert_eq!(error, "expected an object with role and content, found a string");
    }

    #[test]
    fn what_the_engine_inserts_reads_back() {
        let result = [Part::ToolResult { call: "a".into(), name: None, text: "none".into() }];
        let value = write(Role::Tool, &result);
        assert_eq!(value, json!({ "role": "tool", "tool_call_id": "a", "content": "none" }));
        assert_eq!(read("m".into(), &value).unwrap().message.parts, result);
        let value = write(Role::User, &[Part::text("hi")]);
        assert_eq!(value, json!({ "role": "user", "content": "hi" }));
    }
}
