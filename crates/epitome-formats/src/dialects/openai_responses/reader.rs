//! Reading items.

use std::borrow::Cow;
use std::slice;

use epitome::message::Role;
use serde_json::Value;

use super::item::{
    LOCAL_SHELL_OUTPUT, arguments_key, is_screenshot, is_shell, named, output_key, role_of, text,
};
use crate::attachment::{Attachment, Source};
use crate::content::{Content, ContentPart, Item, Step};
use crate::issue::IssueCode;
use crate::path::Path;
use crate::shape;
use crate::text::joined;

/// Reads an item, which is an object.
pub(super) fn read(item: &Value) -> Content<'_> {
    let mut reader = Reader { item, content: Content::default() };
    reader.read();
    reader.content
}

struct Reader<'a> {
    item: &'a Value,
    content: Content<'a>,
}

impl<'a> Reader<'a> {
    fn text(&self, key: &str) -> Option<&'a str> {
        text(self.item, key)
    }

    fn owned(&self, key: &str) -> Cow<'a, str> {
        self.text(key).unwrap_or_default().into()
    }

    /// Adds the whole item as one part.
    fn push(&mut self, role: Role, part: ContentPart<'a>) {
        self.content.push(role, Path::default(), part);
    }

    fn read(&mut self) {
        let has = |key: &str| self.item.get(key).is_some();
        let kind = match self.text("type") {
            // OpenAI lets a reference leave out its type. A message, which may leave it out too, has a role or
            // content.
            None if has("id") && !has("role") && !has("content") => "item_reference",
            None => "message",
            Some(kind) => kind,
        };
        match (arguments_key(self.item), output_key(self.item)) {
            (Some(key), _) => return self.call(kind, key),
            (_, Some(key)) => return self.result(kind, key),
            _ => {}
        }
        match kind {
            "message" => return self.message(),
            "reasoning" => return self.reasoning(),
            "mcp_approval_response" => {
                let approval = self.owned("approval_request_id");
                let granted = self.item.get("approve").and_then(Value::as_bool);
                let granted = Some(granted.unwrap_or_default());
                return self
                    .push(Role::Tool, ContentPart::Approval { approval, call: None, granted });
            }
            "image_generation_call" => {
                if let Some(bytes) = self.text("result") {
                    let image = Attachment::bytes(Some("image/png"), bytes);
                    return self.push(Role::Assistant, ContentPart::Image(image));
                }
            }
            "compaction" => self.compaction(),
            _ => {}
        }
        let known = role_of(kind);
        if known.is_none() {
            let message = format!("an item of type {kind:?} is unknown; it is kept as it is");
            self.content.note(&Path::key("type"), IssueCode::UnknownPart, message);
        }
        let role = known.or(self.text("role").map(named).map(|(role, _)| role));
        let role = role.unwrap_or(Role::Assistant);
        self.push(role, ContentPart::opaque(kind, self.item));
        if kind == "mcp_approval_request" {
            let call = self.text("id").map(Cow::Borrowed);
            let part = ContentPart::Approval { approval: self.owned("id"), call, granted: None };
            self.push(role, part);
        }
    }

    fn compaction(&mut self) {
        self.content.pinned = true;
        let has = |key: &str| self.text(key).is_some_and(|text| !text.is_empty());
        if !has("encrypted_content") && !has("id") {
            let at = Path::key("encrypted_content");
            self.content.note(&at, IssueCode::EmptyCompaction, "the compaction is empty");
        }
    }

    fn message(&mut self) {
        let at = Path::key("role");
        let role = match self.text("role") {
            Some(name) => {
                let (role, exact) = named(name);
                if !exact {
                    let message =
                        format!("the role {name:?} is unknown; read as {}", role.as_str());
                    self.content.note(&at, IssueCode::UnknownRole, message);
                }
                role
            }
            None => {
                let message = "the role is missing; read as user";
                self.content.note(&at, IssueCode::UnknownRole, message);
                Role::User
            }
        };
        let at = Path::key("content");
        match self.item.get("content") {
            Some(Value::String(text)) => {
                self.content.push(role, at, ContentPart::Text(text.into()));
            }
            Some(Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    let at = at.clone().at(index);
                    let part = self.part(&at, part);
                    self.content.push(role, at, part);
                }
            }
            None | Some(Value::Null) => {
                self.content.note(&at, IssueCode::MissingContent, "the content is missing");
            }
            Some(other) => {
                let message = format!("the content is {}; read as text", shape::kind(other));
                self.content.note(&at, IssueCode::NotText, message);
                self.content.push(role, at, ContentPart::Text(other.to_string().into()));
            }
        }
        self.content = std::mem::take(&mut self.content).or_empty_step(role);
    }

    fn part(&mut self, at: &Path, part: &'a Value) -> ContentPart<'a> {
        let read = match text(part, "type") {
            Some("input_text" | "output_text") => ContentPart::text(text(part, "text")),
            Some("refusal") => ContentPart::text(text(part, "refusal")),
            Some("input_image" | "computer_screenshot") => Some(ContentPart::Image(image(part))),
            Some("input_file") => Some(ContentPart::File(file(part))),
            _ => None,
        };
        read.unwrap_or_else(|| {
            let kind = text(part, "type").unwrap_or("untyped");
            let code = match kind {
                "text" | "image_url" | "file" | "tool_use" | "tool_result" | "tool-call"
                | "tool-result" => IssueCode::ForeignPart,
                _ => IssueCode::UnknownPart,
            };
            let message = format!("a part of type {kind:?} is unknown; it is kept as it is");
            self.content.note(at, code, message);
            let chat_text = text(part, "text").filter(|_| kind == "text");
            ContentPart::text(chat_text).unwrap_or_else(|| ContentPart::opaque(kind, part))
        })
    }

    fn reasoning(&mut self) {
        let lists = ["summary", "content"].into_iter().filter_map(|key| self.item.get(key));
        let parts = lists.filter_map(Value::as_array).flatten();
        let texts = parts.filter_map(|part| text(part, "text")).map(Cow::Borrowed).collect();
        // Without encrypted content the provider has the reasoning stored under its id: either ties the
        // reasoning to the item that follows, as a signature does.
        let keys = ["encrypted_content", "id"].into_iter().filter_map(|key| self.text(key));
        let signature = keys.map(Cow::Borrowed).find(|signature| !signature.is_empty());
        self.push(Role::Assistant, ContentPart::Reasoning { text: joined(texts), signature });
    }

    fn call(&mut self, kind: &'a str, key: &'static str) {
        let at = Path::key(key);
        // Only function calls have their arguments as JSON in a text.
        let is_function = kind == "function_call";
        let arguments = match self.item.get(key) {
            Some(Value::String(arguments)) if is_function => Cow::Borrowed(arguments.as_str()),
            None | Some(Value::Null) => {
                let message = "the arguments are missing; they are kept so";
                self.content.note(&at, IssueCode::MissingArguments, message);
                Cow::Borrowed("")
            }
            Some(other) => {
                if is_function {
                    let found = shape::kind(other);
                    let message = format!("expected a string, found {found}");
                    self.content.note(&at, IssueCode::NotText, message);
                }
                other.to_string().into()
            }
        };
        let name = self.text("name").unwrap_or(kind).into();
        self.push(
            Role::Assistant,
            ContentPart::Call { call: self.owned("call_id"), name, arguments },
        );
    }

    fn result(&mut self, kind: &'a str, key: &'static str) {
        let at = Path::key(key);
        let mut texts: Vec<Cow<'a, str>> = Vec::new();
        let mut media = Vec::new();
        let mut tools = None;
        let parts = match self.item.get(key) {
            Some(found) if key == "tools" => {
                tools = Some(ContentPart::opaque(kind, found));
                &[]
            }
            Some(Value::String(text)) => {
                texts.push(text.into());
                &[]
            }
            Some(Value::Array(parts)) => parts.as_slice(),
            Some(part) if is_screenshot(part) => slice::from_ref(part),
            None | Some(Value::Null) => {
                match self.text("status").filter(|_| kind == "apply_patch_call_output") {
                    Some(status) => texts.push(status.into()),
                    None => {
                        let message = "the output is missing; read as empty";
                        self.content.note(&at, IssueCode::MissingContent, message);
                    }
                }
                &[]
            }
            Some(other) => {
                let found = shape::kind(other);
                let message = format!("expected text or parts, found {found}; read as JSON");
                self.content.note(&at, IssueCode::NotText, message);
                texts.push(other.to_string().into());
                &[]
            }
        };
        for (index, part) in parts.iter().enumerate() {
            if is_shell(self.item) {
                let streams = ["stdout", "stderr"].into_iter().filter_map(|key| text(part, key));
                texts.extend(streams.filter(|text| !text.is_empty()).map(Cow::Borrowed));
                continue;
            }
            match self.part(&at.clone().at(index), part) {
                ContentPart::Text(text) => texts.push(text),
                ContentPart::Image(attachment) | ContentPart::File(attachment) => {
                    media.push(attachment);
                }
                _ => texts.push(part.to_string().into()),
            }
        }
        let failed = self.text("status") == Some("failed");
        let local_shell_id = self.text("id").filter(|_| kind == LOCAL_SHELL_OUTPUT);
        let call = self.text("call_id").or(local_shell_id).unwrap_or_default().into();
        let name = self.text("name").map(Cow::Borrowed);
        let part = ContentPart::Result { call, name, text: joined(texts), media, failed };
        let parts = std::iter::once(part).chain(tools);
        let items = parts.map(|part| Item::new(Path::default(), part)).collect();
        self.content.steps.push(Step { role: Role::Tool, items });
    }
}

fn image(part: &Value) -> Attachment<'_> {
    let url = text(part, "image_url").map(Attachment::at).unwrap_or_default();
    let id = text(part, "file_id").map(|id| Source::Id(id.into()));
    let media_type = url.media_type.clone().or(Some("image".into()));
    Attachment { media_type, source: id.unwrap_or(url.source), name: None }
}

fn file(part: &Value) -> Attachment<'_> {
    let data = text(part, "file_data").map(|data| match data.starts_with("data:") {
        true => Attachment::at(data),
        false => Attachment::bytes(None, data),
    });
    let found = data.or(text(part, "file_url").map(Attachment::at)).unwrap_or_default();
    let id = text(part, "file_id").map(|id| Source::Id(id.into()));
    let name = text(part, "filename").map(Cow::Borrowed);
    Attachment { name, source: id.unwrap_or(found.source), media_type: found.media_type }
}
