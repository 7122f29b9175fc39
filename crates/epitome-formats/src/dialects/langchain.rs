//! LangChain messages, in both serialized forms and as the plain objects that LangChain makes messages of.

mod block;
mod called;
mod writer;

use std::borrow::Cow;

use epitome::message::Role;
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Map, Value, json};

use crate::content::{Attachment, Content, Item, Piece, What};
use crate::dialect::{Dialect, Turn};
use crate::issue::Code;
use crate::path::Path;
use crate::registry::{ShapeError, kind};
use crate::text::{append, joined, with_text};

/// LangChain messages, by the form that the engine's own texts are written in. All forms are read alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LangChain {
    /// `{ lc: 1, type: "constructor", id: […, "HumanMessage"], kwargs: {…} }`: what a message is as JSON.
    Constructor,
    /// `{ type: "human", data: {…} }`: what a message is in a store.
    Stored,
    /// `{ role: "user", content: … }`: what LangChain makes a message of.
    Plain,
}

impl Dialect for LangChain {
    fn contract(&self) -> Contract {
        Contract {
            // LangChain itself takes any order, and for OpenAI sends it so. For Anthropic and Gemini it takes
            // a system message only where it is the first, which is a question of the provider's.
            system: SystemPlace::Anywhere,
            first: First::Anyone,
            last: Last::NotAssistantForSome,
            neighbours: Neighbours::Free,
            results: ResultPlace::Behind,
            blank_text: BlankText::Allowed,
            reasoning: ReasoningPolicy::WholeTurn,
            summary: SummaryRole::User,
        }
    }

    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        let expected = "a message with kwargs, with data, or with role and content";
        let (form, body) = body(value).ok_or_else(|| ShapeError::expected(expected, value))?;
        let base = form.base();
        let mut reader = Reader { body, base, role: Role::User, content: Content::default() };
        if reader.role(value) == Some(Speaker::Nobody) {
            let message = "a message that has another one removed says nothing to a model";
            reader.content.note(&Path::default(), Code::BlankMessage, message);
            reader.content.push(Role::User, Path::default(), What::Silent);
        } else if reader.role == Role::Tool {
            reader.result();
        } else {
            reader.content.author = reader.string("name").map(Cow::Borrowed);
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
        let Some(Value::Object(object)) = body_mut(item) else { return };
        let key = content_key(object);
        let content = with_text(object.get(key), text);
        object.insert(key.into(), content);
    }

    fn call_with(&self, item: &mut Value, arguments: &str) {
        called::call_with(item, arguments);
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        writer::write(*self, turn, lost)
    }

    fn form_of(&self, message: &Value) -> Option<&'static dyn Dialect> {
        let (form, _) = body(message)?;
        Some(match form {
            Self::Constructor => &Self::Constructor,
            Self::Stored => &Self::Stored,
            Self::Plain => &Self::Plain,
        })
    }

    fn join(&self, first: &mut Value, mut second: Value) {
        let (Some(first), Some(second)) = (body_mut(first), body_mut(&mut second)) else { return };
        for key in ["tool_calls", "invalid_tool_calls"] {
            let calls = second.get_mut(key).map(Value::take);
            if calls.as_ref().and_then(Value::as_array).is_some_and(|calls| !calls.is_empty()) {
                append(first, json!({ key: calls }), key, |text| text.into());
            }
        }
        let key = |body: &Value| body.as_object().map_or("content", content_key);
        let (own, other) = (key(first), key(second));
        let said = json!({ own: second.get_mut(other).map(Value::take) });
        append(first, said, own, |text| json!({ "type": "text", "text": text }));
    }
}

impl LangChain {
    /// Where a message in this form has what it says.
    fn base(self) -> Path {
        match self {
            Self::Constructor => Path::key("kwargs"),
            Self::Stored => Path::key("data"),
            Self::Plain => Path::default(),
        }
    }
}

/// The form of a message, and what it says.
fn body(value: &Value) -> Option<(LangChain, &Map<String, Value>)> {
    let object = value.as_object()?;
    match (object.get("kwargs"), object.get("data")) {
        (Some(Value::Object(body)), _) => Some((LangChain::Constructor, body)),
        (_, Some(Value::Object(body))) if !object.contains_key("content") => {
            Some((LangChain::Stored, body))
        }
        _ if object.contains_key("lc") => None,
        _ => Some((LangChain::Plain, object)),
    }
}

fn body_mut(value: &mut Value) -> Option<&mut Value> {
    let (form, _) = body(value)?;
    form.base().get_mut(value)
}

/// Where a body has its content: messages made of blocks have it elsewhere.
fn content_key(body: &Map<String, Value>) -> &'static str {
    let told = |key: &&str| body.get(*key).is_some_and(|content| !content.is_null());
    ["content", "content_blocks", "contentBlocks"].into_iter().find(told).unwrap_or("content")
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaker {
    Somebody(Role),
    /// Nobody: it tells LangChain to remove a message.
    Nobody,
}

/// Who speaks in messages of a class, of a stored type or of a role.
fn speaker(name: &str) -> Option<Speaker> {
    let name = name.strip_suffix("Chunk").unwrap_or(name);
    let name = name.strip_suffix("Message").unwrap_or(name);
    Some(Speaker::Somebody(match name.to_ascii_lowercase().as_str() {
        "human" | "user" => Role::User,
        "ai" | "assistant" | "model" => Role::Assistant,
        "system" | "developer" => Role::System,
        "tool" | "function" => Role::Tool,
        "remove" => return Some(Speaker::Nobody),
        _ => return None,
    }))
}

struct Reader<'a> {
    body: &'a Map<String, Value>,
    base: Path,
    role: Role,
    content: Content<'a>,
}

impl<'a> Reader<'a> {
    fn string(&self, key: &str) -> Option<&'a str> {
        self.body.get(key).and_then(Value::as_str)
    }

    /// What stands further down, where there is something.
    fn told(&self, key: &str, inner: &str) -> Option<&'a Value> {
        self.body.get(key)?.get(inner).filter(|value| !value.is_null())
    }

    fn note(&mut self, at: &Path, code: Code, message: impl Into<String>) {
        self.content.note(&at.under(&self.base), code, message);
    }

    fn push(&mut self, at: Path, what: What<'a>) {
        self.push_all(vec![at], what);
    }

    /// Adds what stands in all these places.
    fn push_all(&mut self, places: Vec<Path>, what: What<'a>) {
        let mut places = places.into_iter().map(|at| at.under(&self.base));
        let Some(at) = places.next() else { return };
        self.content.push_item(self.role, Item { at, also: places.collect(), what });
    }

    /// The class goes first, then the type, then the role, which messages of no kind of their own have.
    fn role(&mut self, whole: &Value) -> Option<Speaker> {
        let class = whole.get("id").and_then(Value::as_array).and_then(|id| id.last());
        let body = |key: &str| self.body.get(key);
        let names = [class, whole.get("role"), whole.get("type"), body("type"), body("role")];
        let mut names = names.into_iter().flatten().filter_map(Value::as_str);
        if let Some(speaker) = names.clone().find_map(speaker) {
            if let Speaker::Somebody(role) = speaker {
                self.role = role;
            }
            return Some(speaker);
        }
        self.role = if self.body.contains_key("tool_call_id") {
            Role::Tool
        } else if self.body.contains_key("tool_calls") {
            Role::Assistant
        } else {
            Role::User
        };
        let named = names.next_back().map(|name| format!("the role {name:?} is unknown"));
        let problem = named.unwrap_or_else(|| "the role is missing".into());
        let message = format!("{problem}; read as {}", self.role.as_str());
        self.note(&Path::key("role"), Code::UnknownRole, message);
        None
    }

    /// Thoughts that stand beside the content, as servers of several kinds send them.
    fn reasoning(&mut self) {
        let at = Path::key("additional_kwargs");
        for key in ["reasoning_content", "reasoning"] {
            let Some(value) = self.told("additional_kwargs", key) else { continue };
            let what = block::reasoning(value);
            if matches!(&what, What::Reasoning { text, signature: None } if text.is_empty()) {
                continue;
            }
            let mut places = vec![at.clone().then(key)];
            let id = value.get("id").filter(|id| id.is_string());
            places.extend(id.and_then(|id| self.sent(|item| item.get("id") == Some(id))));
            self.push_all(places, what);
            return;
        }
    }

    /// The place of one of the items that OpenAI answered with, which LangChain sends back as they are.
    fn sent(&self, is: impl Fn(&Value) -> bool) -> Option<Path> {
        let items = self.told("response_metadata", "output")?.as_array()?;
        let index = items.iter().position(is)?;
        Some(Path::key("response_metadata").then("output").at(index))
    }

    /// The same for a text in one of these items.
    fn sent_text(&self, text: &str) -> Option<Path> {
        let parts = |item: &'a Value| item.get("content").and_then(Value::as_array);
        let is = |part: &Value| part.get("text").and_then(Value::as_str) == Some(text);
        let items = self.told("response_metadata", "output")?.as_array()?.iter().enumerate();
        let mut places =
            items.filter_map(|(index, item)| Some((index, parts(item)?.iter().position(is)?)));
        let (index, part) = places.next().filter(|_| !text.is_empty())?;
        Some(Path::key("response_metadata").then("output").at(index).then("content").at(part))
    }

    fn content(&mut self) {
        let key = content_key(self.body);
        let at = Path::key(key);
        match self.body.get(key) {
            Some(Value::String(text)) if text.is_empty() => {}
            Some(Value::String(text)) => self.text(at, text),
            Some(Value::Array(blocks)) => {
                let calls = called::called(self.body);
                let calls: Vec<&Path> = calls.iter().flat_map(|call| &call.places).collect();
                for (index, block) in blocks.iter().enumerate() {
                    let at = at.clone().at(index);
                    if !calls.contains(&&at) {
                        self.block(at, block);
                    }
                }
            }
            None | Some(Value::Null) if self.role == Role::Assistant => {}
            None | Some(Value::Null) => {
                self.note(&at, Code::MissingContent, "the content is missing");
            }
            Some(other) => {
                let message = format!("the content is {}; read as text", kind(other));
                self.note(&at, Code::NotText, message);
                self.push(at, What::Text(other.to_string().into()));
            }
        }
        if let Some(Value::String(refusal)) = self.told("additional_kwargs", "refusal") {
            let at = Path::key("additional_kwargs").then("refusal");
            self.push(at, What::Text(refusal.into()));
        }
    }

    fn text(&mut self, at: Path, text: &'a str) {
        let places = std::iter::once(at).chain(self.sent_text(text)).collect();
        self.push_all(places, What::Text(text.into()));
    }

    fn block(&mut self, at: Path, value: &'a Value) {
        // What an answer to Anthropic looks like where a host has made it by hand.
        if value.get("type").and_then(Value::as_str) == Some("tool_result") {
            let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
            let (said, media) = self.said(&at.clone().then("content"), value.get("content"));
            let failed = value.get("is_error").and_then(Value::as_bool).unwrap_or_default();
            let call = text("tool_use_id").into();
            let what = What::Result { call, name: None, text: said, media, failed };
            self.content.push(Role::Tool, at.under(&self.base), what);
            return;
        }
        // What the provider itself has compacted.
        self.content.pinned |= value.get("type").and_then(Value::as_str) == Some("compaction");
        match self.known(&at, value) {
            What::Text(Cow::Borrowed(text)) => self.text(at, text),
            what => self.push(at, what),
        }
    }

    /// What a block is; one that is not known is noted.
    fn known(&mut self, at: &Path, value: &'a Value) -> What<'a> {
        block::block(value).unwrap_or_else(|| {
            let kind = value.get("type").and_then(Value::as_str).unwrap_or("untyped");
            let message = format!("a block of type {kind:?} is not known; it is kept as it is");
            self.note(at, Code::UnknownPart, message);
            What::opaque(kind, value)
        })
    }

    fn calls(&mut self) {
        for call in called::called(self.body) {
            let (id, name) = (call.id.into(), call.name.into());
            if call.arguments.is_none() {
                let at = call.places.first().cloned().unwrap_or_default();
                let message = "the arguments are missing; they are kept so";
                self.note(&at, Code::MissingArguments, message);
            }
            let arguments = call.arguments.unwrap_or_default();
            self.push_all(call.places, What::Call { call: id, name, arguments });
        }
    }

    fn result(&mut self) {
        let key = content_key(self.body);
        let (text, media) = self.said(&Path::key(key), self.body.get(key));
        let name = self.string("name");
        let call = match (self.string("tool_call_id"), name) {
            // The form before calls had ids: a result is known by the name of its tool.
            (None, Some(name)) => name,
            (id, _) => id.unwrap_or_default(),
        };
        let (call, name) = (call.into(), name.map(Cow::Borrowed));
        let failed = self.string("status") == Some("error");
        // The message as a whole is the result.
        let what = What::Result { call, name, text, media, failed };
        self.content.push(self.role, Path::default(), what);
    }

    /// What the content of a result says and shows.
    fn said(
        &mut self,
        at: &Path,
        content: Option<&'a Value>,
    ) -> (Cow<'a, str>, Vec<Attachment<'a>>) {
        let mut texts: Vec<Cow<'a, str>> = Vec::new();
        let mut media = Vec::new();
        match content {
            Some(Value::String(text)) => texts.push(text.into()),
            Some(Value::Array(blocks)) => {
                for (index, block) in blocks.iter().enumerate() {
                    match self.known(&at.clone().at(index), block) {
                        What::Text(text) => texts.push(text),
                        What::Image(attachment) | What::File(attachment) => media.push(attachment),
                        _ => texts.push(block.to_string().into()),
                    }
                }
            }
            None | Some(Value::Null) => {
                self.note(at, Code::MissingContent, "the result is missing; read as empty");
            }
            Some(other) => {
                let message = format!("expected text, found {}; read as JSON", kind(other));
                self.note(at, Code::NotText, message);
                texts.push(other.to_string().into());
            }
        }
        (joined(texts), media)
    }
}

#[cfg(test)]
mod tests;
