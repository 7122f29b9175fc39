//! Reading messages.

use std::borrow::Cow;

use epitome::message::Role;
use epitome_columns::SortedMap;
use serde_json::Value;

use super::part::{FAILURE, KNOWN, body, field, only_text, text};
use crate::attachment::{Attachment, Source};
use crate::content::{Content, ContentPart};
use crate::issue::IssueCode;
use crate::path::Path;
use crate::shape::kind;

/// Reads a message, which is an object.
pub(super) fn read(value: &Value) -> Content<'_> {
    let mut content = Content::default();
    let role = role(value, &mut content);
    let (calls, results) = (CallIds::default(), CallIds::default());
    let mut reader = Reader { role, content, calls, results };
    reader.parts(value);
    reader.content.or_empty_step(role)
}

struct Reader<'a> {
    role: Role,
    content: Content<'a>,
    calls: CallIds<'a>,
    results: CallIds<'a>,
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
                self.content.note(&at, IssueCode::MissingContent, "the parts are missing");
            }
            Some(other) => {
                let message = format!("the parts are {}; read as text", kind(other));
                self.content.note(&at, IssueCode::NotText, message);
                let text = other.as_str().map_or_else(|| other.to_string().into(), Cow::Borrowed);
                self.content.push(self.role, at, ContentPart::Text(text));
            }
        }
    }

    fn part(&mut self, at: Path, part: &'a Value) {
        if let Some(response) = body(part, "functionResponse") {
            let result = self.result(&at, response);
            self.content.push(Role::Tool, at, result);
            return;
        }
        let part = if let Some(call) = body(part, "functionCall") {
            let name = text(call, "name").unwrap_or_default().into();
            let arguments = field(call, "args").map_or("{}".into(), |args| args.to_string().into());
            // The signature is in the part of the call and valid only for this call. It is read as reasoning at
            // the same path, so that the engine keeps or removes it with the turn of the call.
            if let Some(signature) = text(part, "thoughtSignature") {
                let signature = Some(signature.into());
                let reasoning = ContentPart::Reasoning { text: "".into(), signature };
                self.content.push(self.role, at.clone(), reasoning);
            }
            ContentPart::Call { call: self.calls.id(call), name, arguments }
        } else if let Some(media) = attachment(part) {
            media.into()
        } else if let Some(kind) = KNOWN.into_iter().find(|kind| field(part, kind).is_some()) {
            ContentPart::opaque(kind, part)
        } else {
            self.text(&at, part)
        };
        self.content.push(self.role, at, part);
    }

    /// A text, reasoning, or the signature of reasoning that is not shown, which may come with an empty text.
    fn text(&mut self, at: &Path, part: &'a Value) -> ContentPart<'a> {
        let text = |name: &str| text(part, name);
        let signature = text("thoughtSignature").map(Cow::Borrowed);
        let is_thought = part.get("thought").and_then(Value::as_bool).unwrap_or_default();
        match text("text") {
            Some(text) if !is_thought && (signature.is_none() || !text.trim().is_empty()) => {
                ContentPart::Text(text.into())
            }
            Some(text) => ContentPart::Reasoning { text: text.into(), signature },
            None => {
                let fields = part.as_object().into_iter().flatten();
                let mut fields =
                    // `thought` and `thoughtSignature` come with parts of any type, so that they do not say
                    // which type this is.
                    fields.filter(|(name, found)| !found.is_null() && !name.starts_with("thought"));
                let kind = match fields.next() {
                    Some((kind, _)) => kind.as_str(),
                    None if is_thought || signature.is_some() => {
                        return ContentPart::Reasoning { text: "".into(), signature };
                    }
                    None if part.is_object() => return ContentPart::Text("".into()),
                    None => "untyped",
                };
                let message = format!("a part with {kind:?} is unknown; it is kept as it is");
                self.content.note(at, IssueCode::UnknownPart, message);
                ContentPart::opaque(kind, part)
            }
        }
    }

    fn result(&mut self, at: &Path, body: &'a Value) -> ContentPart<'a> {
        let at = at.clone().then("functionResponse").then("response");
        let mut failed = false;
        let response_text = match field(body, "response") {
            None => {
                let message = "the response is missing; read as empty";
                self.content.note(&at, IssueCode::MissingContent, message);
                "".into()
            }
            Some(response) => match only_text(response) {
                Some((key, text)) => {
                    failed = key == FAILURE;
                    text.into()
                }
                None => {
                    if !response.is_object() {
                        let found = kind(response);
                        let message = format!("expected an object, found {found}; read as JSON");
                        self.content.note(&at, IssueCode::NotText, message);
                    }
                    response.to_string().into()
                }
            },
        };
        let parts = field(body, "parts").and_then(Value::as_array).into_iter().flatten();
        let media = parts.filter_map(attachment).collect();
        let name = text(body, "name").map(Cow::Borrowed);
        ContentPart::Result {
            call: self.results.id(body),
            name,
            text: response_text,
            media,
            failed,
        }
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
        // Whether the provider accepts one here is up to the contract.
        "system" => return Role::System,
        _ => match name.to_ascii_lowercase().as_str() {
            "assistant" | "ai" | "model" => Role::Assistant,
            "system" | "developer" => Role::System,
            _ => Role::User,
        },
    };
    let message = format!("the role {name:?} is unknown; read as {}", role.as_str());
    content.note(&Path::key("role"), IssueCode::UnknownRole, message);
    role
}

/// Ids for calls and results that have none: the name of the tool, with a number from the second one in a
/// message. The provider pairs such calls and results by name and order. Counting calls and results
/// separately gives the n-th call of a tool and the n-th result of it the same id.
#[derive(Default)]
struct CallIds<'a>(SortedMap<&'a str, usize>);

impl<'a> CallIds<'a> {
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
