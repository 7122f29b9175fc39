//! What a message holds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use epitome::message::Role;
use serde_json::Value;

use super::part::{FAILURE, KNOWN, body, field, only_text, text};
use crate::content::{Attachment, Content, Piece, Source, What};
use crate::issue::Code;
use crate::path::Path;
use crate::registry::kind;

/// Reads a message, which is an object.
pub(super) fn read(value: &Value) -> Content<'_> {
    let mut content = Content::default();
    let role = role(value, &mut content);
    let mut reader = Reader { role, content, calls: Names::default(), results: Names::default() };
    reader.parts(value);
    let mut content = reader.content;
    if content.pieces.is_empty() {
        content.pieces.push(Piece { role, items: Vec::new() });
    }
    content
}

struct Reader<'a> {
    role: Role,
    content: Content<'a>,
    calls: Names<'a>,
    results: Names<'a>,
}

impl<'a> Reader<'a> {
    fn parts(&mut self, value: &'a Value) {
        let at = Path::key("parts");
        match value.get("parts") {
            Some(Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    self.part(at.clone().at(index), part);
                }
            }
            Some(part @ Value::Object(_)) => self.part(at, part),
            None | Some(Value::Null) => {
                self.content.note(&at, Code::MissingContent, "the parts are missing");
            }
            Some(other) => {
                let message = format!("the parts are {}; read as text", kind(other));
                self.content.note(&at, Code::NotText, message);
                let said = other.as_str().map_or_else(|| other.to_string().into(), Cow::Borrowed);
                self.content.push(self.role, at, What::Text(said));
            }
        }
    }

    fn part(&mut self, at: Path, part: &'a Value) {
        if let Some(response) = body(part, "functionResponse") {
            let result = self.result(&at, response);
            self.content.push(Role::Tool, at, result);
            return;
        }
        let what = if let Some(call) = body(part, "functionCall") {
            let name = text(call, "name").unwrap_or_default().into();
            let arguments = field(call, "args").map_or("{}".into(), |args| args.to_string().into());
            // The seal is on the very part that calls: it holds for the call as it is.
            if let Some(seal) = text(part, "thoughtSignature") {
                let signature = Some(seal.into());
                let seal = What::Reasoning { text: "".into(), signature };
                self.content.push(self.role, at.clone(), seal);
            }
            What::Call { call: self.calls.id(call), name, arguments }
        } else if let Some(media) = attachment(part) {
            media.what()
        } else if let Some(kind) = KNOWN.into_iter().find(|kind| field(part, kind).is_some()) {
            What::opaque(kind, part)
        } else {
            self.words(&at, part)
        };
        self.content.push(self.role, at, what);
    }

    /// A text, a thought, or the seal of thoughts that are not shown, which may come with an empty text.
    fn words(&mut self, at: &Path, part: &'a Value) -> What<'a> {
        let text = |name: &str| text(part, name);
        let signature = text("thoughtSignature").map(Cow::Borrowed);
        let thought = part.get("thought").and_then(Value::as_bool).unwrap_or_default();
        match text("text") {
            Some(said) if !thought && (signature.is_none() || !said.trim().is_empty()) => {
                What::Text(said.into())
            }
            Some(said) => What::Reasoning { text: said.into(), signature },
            None => {
                let fields = part.as_object().into_iter().flatten();
                let mut fields =
                    fields.filter(|(name, found)| !found.is_null() && !name.starts_with("thought"));
                let kind = match fields.next() {
                    Some((kind, _)) => kind.as_str(),
                    None if thought || signature.is_some() => {
                        return What::Reasoning { text: "".into(), signature };
                    }
                    None if part.is_object() => return What::Text("".into()),
                    None => "untyped",
                };
                let message = format!("a part with {kind:?} is not known; it is kept as it is");
                self.content.note(at, Code::UnknownPart, message);
                What::opaque(kind, part)
            }
        }
    }

    fn result(&mut self, at: &Path, body: &'a Value) -> What<'a> {
        let at = at.clone().then("functionResponse").then("response");
        let mut failed = false;
        let said = match field(body, "response") {
            None => {
                let message = "the response is missing; read as empty";
                self.content.note(&at, Code::MissingContent, message);
                "".into()
            }
            Some(response) => match only_text(response) {
                Some((key, said)) => {
                    failed = key == FAILURE;
                    said.into()
                }
                None => {
                    if !response.is_object() {
                        let found = kind(response);
                        let message = format!("expected an object, found {found}; read as JSON");
                        self.content.note(&at, Code::NotText, message);
                    }
                    response.to_string().into()
                }
            },
        };
        let parts = field(body, "parts").and_then(Value::as_array).into_iter().flatten();
        let media = parts.filter_map(attachment).collect();
        let name = text(body, "name").map(Cow::Borrowed);
        What::Result { call: self.results.id(body), name, text: said, media, failed }
    }
}

fn attachment(part: &Value) -> Option<Attachment<'_>> {
    let (found, source) = match (body(part, "inlineData"), body(part, "fileData")) {
        (Some(blob), _) => (blob, Source::Base64(text(blob, "data").unwrap_or_default().into())),
        (None, Some(file)) => (file, Source::Url(text(file, "fileUri").unwrap_or_default().into())),
        (None, None) => return None,
    };
    let media_type = text(found, "mimeType").map(Cow::Borrowed);
    Some(Attachment { media_type, name: text(found, "displayName").map(Cow::Borrowed), source })
}

fn role(value: &Value, content: &mut Content<'_>) -> Role {
    let name = text(value, "role").unwrap_or_default();
    let role = match name {
        "user" | "function" => return Role::User,
        "model" => return Role::Assistant,
        // Whether one may stand here is for the contract to say.
        "system" => return Role::System,
        _ => match name.to_ascii_lowercase().as_str() {
            "assistant" | "ai" | "model" => Role::Assistant,
            "system" | "developer" => Role::System,
            _ => Role::User,
        },
    };
    let message = format!("the role {name:?} is unknown; read as {}", role.as_str());
    content.note(&Path::key("role"), Code::UnknownRole, message);
    role
}

/// Names for calls that have none: that of the tool, numbered where it is called again in one message. The
/// provider pairs those by name and order.
#[derive(Default)]
struct Names<'a>(BTreeMap<&'a str, usize>);

impl<'a> Names<'a> {
    fn id(&mut self, body: &'a Value) -> Cow<'a, str> {
        if let Some(id) = text(body, "id").filter(|id| !id.is_empty()) {
            return id.into();
        }
        let name = text(body, "name").unwrap_or_default();
        let count = self.0.entry(name).or_default();
        *count += 1;
        match *count {
            1 => name.into(),
            number => format!("{name}#{number}").into(),
        }
    }
}
