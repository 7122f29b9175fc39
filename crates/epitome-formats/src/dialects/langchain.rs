//! LangChain messages, in both serialized forms and as the plain objects that LangChain accepts for them.

mod block;
mod calls;
mod writer;

use std::borrow::Cow;

use epitome::message::Role;
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Map, Value, json};

use crate::attachment::Attachment;
use crate::conformance::{Conformance, Sample};
use crate::content::{Content, ContentPart, Item, ResultContent};
use crate::dialect::{Dialect, Turn};
use crate::issue::IssueCode;
use crate::path::Path;
use crate::shape::{ShapeError, kind};
use crate::text::{append, is_json_object, with_text};
use crate::usage_fields::UsageFields;

/// LangChain messages. The variant is the form in which the engine's texts are written; every form is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LangChain {
    /// `{ lc: 1, type: "constructor", id: […, "HumanMessage"], kwargs: {…} }`: a message serialized as JSON.
    Constructor,
    /// `{ type: "human", data: {…} }`: a message in a chat history store.
    Stored,
    /// `{ role: "user", content: … }`: an object that LangChain accepts as a message.
    Plain,
}

impl LangChain {
    /// What the provider accepts.
    pub(crate) const CONTRACT: Contract = Contract {
        // LangChain itself accepts any order, and sends it to OpenAI as it is. For Anthropic and Gemini it
        // accepts a system message only as the first one: that is up to the provider.
        system: SystemPlace::Anywhere,
        first: First::Anyone,
        last: Last::NotAssistantForSome,
        neighbours: Neighbours::Free,
        results: ResultPlace::DirectlyAfter,
        blank_text: BlankText::Allowed,
        reasoning: ReasoningPolicy::WholeTurn,
        summary: SummaryRole::User,
    };

    /// Where the provider reports token counts.
    pub(crate) const USAGE_FIELDS: UsageFields = UsageFields {
        prompt: &["/input_tokens"],
        completion: &["/output_tokens"],
        total: &["/total_tokens"],
        cached: &["/input_token_details/cache_read"],
        cache_written: &["/input_token_details/cache_creation"],
        reasoning: &["/output_token_details/reasoning"],
        ..UsageFields::NONE
    };
}

impl Dialect for LangChain {
    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        let expected = "a message with kwargs, with data, or with role and content";
        let (form, body) = body(value).ok_or_else(|| ShapeError::expected(expected, value))?;
        let base = form.base();
        let mut reader = Reader { body, base, role: Role::User, content: Content::default() };
        if reader.role(value) == Some(Speaker::Removal) {
            let message = "a message that removes another one is not sent to a model";
            reader.content.note(&Path::default(), IssueCode::BlankMessage, message);
            reader.content.push(Role::User, Path::default(), ContentPart::NotSent);
        } else if reader.role == Role::Tool {
            reader.result();
        } else {
            reader.content.author = reader.string("name").map(Cow::Borrowed);
            reader.reasoning();
            reader.content();
            reader.calls();
        }
        Ok(reader.content.or_empty_step(reader.role))
    }

    fn set_result(&self, item: &mut Value, text: &str) {
        let Some(Value::Object(object)) = body_mut(item) else { return };
        let key = content_key(object);
        let content = with_text(object.get(key), text);
        object.insert(key.into(), content);
    }

    fn set_arguments(&self, item: &mut Value, arguments: &str) {
        calls::set_arguments(item, arguments);
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        writer::write(*self, turn, lost)
    }

    fn has_forms(&self) -> bool {
        true
    }

    fn form_of(&self, message: &Value) -> Option<&'static dyn Dialect> {
        let (form, _) = body(message)?;
        Some(match form {
            Self::Constructor => &Self::Constructor,
            Self::Stored => &Self::Stored,
            Self::Plain => &Self::Plain,
        })
    }

    fn merge(&self, first: &mut Value, mut second: Value) {
        let (Some(first), Some(second)) = (body_mut(first), body_mut(&mut second)) else { return };
        for key in ["tool_calls", "invalid_tool_calls"] {
            let calls = second.get_mut(key).map(Value::take);
            if calls.as_ref().and_then(Value::as_array).is_some_and(|calls| !calls.is_empty()) {
                append(first, json!({ key: calls }), key, |text| text.into());
            }
        }
        let key = |body: &Value| body.as_object().map_or("content", content_key);
        let (own, other) = (key(first), key(second));
        let content = json!({ own: second.get_mut(other).map(Value::take) });
        append(first, content, own, |text| json!({ "type": "text", "text": text }));
    }
}

impl Conformance for LangChain {
    fn recognizes(&self, sample: Sample<'_>) -> bool {
        let Sample::Message(message) = sample else { return false };
        let is_stored = message.get("data").is_some() && message.get("role").is_none();
        let kind = message.get("type").and_then(Value::as_str);
        message.get("lc").is_some()
            || is_stored && matches!(kind, Some("human" | "ai" | "system" | "tool"))
    }

    fn accepts_arguments(&self, arguments: &str) -> bool {
        is_json_object(arguments)
    }
}

impl LangChain {
    /// Where a message in this form has its body.
    fn base(self) -> Path {
        match self {
            Self::Constructor => Path::key("kwargs"),
            Self::Stored => Path::key("data"),
            Self::Plain => Path::default(),
        }
    }
}

/// The form of a message, and its body: the object with the content.
fn body(value: &Value) -> Option<(LangChain, &Map<String, Value>)> {
    let object = value.as_object()?;
    match (object.get("kwargs"), object.get("data")) {
        (Some(Value::Object(body)), _) => Some((LangChain::Constructor, body)),
        // A plain message may have a member `data` of the app's own. A stored one has its content inside of it.
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

/// The member of a body with the content. Messages that were made of standard blocks have it elsewhere.
fn content_key(body: &Map<String, Value>) -> &'static str {
    let has = |key: &&str| body.get(*key).is_some_and(|content| !content.is_null());
    ["content", "content_blocks", "contentBlocks"].into_iter().find(has).unwrap_or("content")
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaker {
    Role(Role),
    /// Nobody: the message tells LangChain to remove another one.
    Removal,
}

/// The speaker with this name, which may be that of a class, a stored type or a role.
fn speaker(name: &str) -> Option<Speaker> {
    let name = name.strip_suffix("Chunk").unwrap_or(name);
    let name = name.strip_suffix("Message").unwrap_or(name);
    Some(Speaker::Role(match name.to_ascii_lowercase().as_str() {
        "human" | "user" => Role::User,
        "ai" | "assistant" | "model" => Role::Assistant,
        "system" | "developer" => Role::System,
        "tool" | "function" => Role::Tool,
        "remove" => return Some(Speaker::Removal),
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

    /// A member of a member, if it is not null.
    fn nested(&self, key: &str, inner: &str) -> Option<&'a Value> {
        self.body.get(key)?.get(inner).filter(|value| !value.is_null())
    }

    fn note(&mut self, at: &Path, code: IssueCode, message: impl Into<String>) {
        self.content.note(&at.under(&self.base), code, message);
    }

    fn push(&mut self, at: Path, part: ContentPart<'a>) {
        self.push_all(vec![at], part);
    }

    /// Adds a part that is in all these places.
    fn push_all(&mut self, places: Vec<Path>, part: ContentPart<'a>) {
        let mut places = places.into_iter().map(|at| at.under(&self.base));
        let Some(at) = places.next() else { return };
        self.content.push_item(self.role, Item { at, also: places.collect(), part });
    }

    /// The role by class, else by type, else by role: only messages of the generic class have a role of their own.
    fn role(&mut self, whole: &Value) -> Option<Speaker> {
        let class = whole.get("id").and_then(Value::as_array).and_then(|id| id.last());
        let body = |key: &str| self.body.get(key);
        let names = [class, whole.get("role"), whole.get("type"), body("type"), body("role")];
        let mut names = names.into_iter().flatten().filter_map(Value::as_str);
        if let Some(speaker) = names.clone().find_map(speaker) {
            if let Speaker::Role(role) = speaker {
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
        self.note(&Path::key("role"), IssueCode::UnknownRole, message);
        None
    }

    /// Reasoning outside the content, where the integrations of several providers put it.
    fn reasoning(&mut self) {
        let at = Path::key("additional_kwargs");
        for key in ["reasoning_content", "reasoning"] {
            let Some(value) = self.nested("additional_kwargs", key) else { continue };
            let part = block::reasoning(value);
            if matches!(&part, ContentPart::Reasoning { text, signature: None } if text.is_empty())
            {
                continue;
            }
            let mut places = vec![at.clone().then(key)];
            // Only a text: two items that both have `null` for an id would look like the same item.
            let id = value.get("id").filter(|id| id.is_string());
            places.extend(id.and_then(|id| self.output_item(|item| item.get("id") == Some(id))));
            self.push_all(places, part);
            return;
        }
    }

    /// The place of an item of the response of OpenAI. LangChain sends these items back as they are, so a change
    /// has to be made in them too.
    fn output_item(&self, is: impl Fn(&Value) -> bool) -> Option<Path> {
        let items = self.nested("response_metadata", "output")?.as_array()?;
        let index = items.iter().position(is)?;
        Some(Path::key("response_metadata").then("output").at(index))
    }

    /// The same for a text in one of these items.
    fn output_text(&self, text: &str) -> Option<Path> {
        let parts = |item: &'a Value| item.get("content").and_then(Value::as_array);
        let is = |part: &Value| part.get("text").and_then(Value::as_str) == Some(text);
        let items = self.nested("response_metadata", "output")?.as_array()?.iter().enumerate();
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
                // Calls in the content repeat those of `tool_calls`, and are read with them.
                let calls = calls::calls_of(self.body);
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
                self.note(&at, IssueCode::MissingContent, "the content is missing");
            }
            Some(other) => {
                let message = format!("the content is {}; read as text", kind(other));
                self.note(&at, IssueCode::NotText, message);
                self.push(at, ContentPart::Text(other.to_string().into()));
            }
        }
        if let Some(Value::String(refusal)) = self.nested("additional_kwargs", "refusal") {
            let at = Path::key("additional_kwargs").then("refusal");
            self.push(at, ContentPart::Text(refusal.into()));
        }
    }

    fn text(&mut self, at: Path, text: &'a str) {
        let places = std::iter::once(at).chain(self.output_text(text)).collect();
        self.push_all(places, ContentPart::Text(text.into()));
    }

    fn block(&mut self, at: Path, value: &'a Value) {
        // A tool result in the form of Anthropic, which apps write themselves.
        if value.get("type").and_then(Value::as_str) == Some("tool_result") {
            let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
            let (result, media) =
                self.result_content(&at.clone().then("content"), value.get("content"));
            let failed = value.get("is_error").and_then(Value::as_bool).unwrap_or_default();
            let call = text("tool_use_id").into();
            let part = ContentPart::Result { call, name: None, text: result, media, failed };
            self.content.push(Role::Tool, at.under(&self.base), part);
            return;
        }
        // A compaction by the provider itself.
        self.content.pinned |= value.get("type").and_then(Value::as_str) == Some("compaction");
        match self.part(&at, value) {
            ContentPart::Text(Cow::Borrowed(text)) => self.text(at, text),
            part => self.push(at, part),
        }
    }

    /// Reads a block. One of an unknown type adds an issue.
    fn part(&mut self, at: &Path, value: &'a Value) -> ContentPart<'a> {
        block::block(value).unwrap_or_else(|| {
            let kind = value.get("type").and_then(Value::as_str).unwrap_or("untyped");
            let message = format!("a block of type {kind:?} is unknown; it is kept as it is");
            self.note(at, IssueCode::UnknownPart, message);
            ContentPart::opaque(kind, value)
        })
    }

    fn calls(&mut self) {
        for call in calls::calls_of(self.body) {
            let (id, name) = (call.id.into(), call.name.into());
            if call.arguments.is_none() {
                let at = call.places.first().cloned().unwrap_or_default();
                let message = "the arguments are missing; they are kept so";
                self.note(&at, IssueCode::MissingArguments, message);
            }
            let arguments = call.arguments.unwrap_or_default();
            self.push_all(call.places, ContentPart::Call { call: id, name, arguments });
        }
    }

    fn result(&mut self) {
        let key = content_key(self.body);
        let (text, media) = self.result_content(&Path::key(key), self.body.get(key));
        let name = self.string("name");
        let call = match (self.string("tool_call_id"), name) {
            // Function messages, the predecessor of tool messages, name the function instead of a call.
            (None, Some(name)) => name,
            (id, _) => id.unwrap_or_default(),
        };
        let (call, name) = (call.into(), name.map(Cow::Borrowed));
        let failed = self.string("status") == Some("error");
        // The message as a whole is the result.
        let part = ContentPart::Result { call, name, text, media, failed };
        self.content.push(self.role, Path::default(), part);
    }

    /// The text, images and files of a result.
    fn result_content(
        &mut self,
        at: &Path,
        content: Option<&'a Value>,
    ) -> (Cow<'a, str>, Vec<Attachment<'a>>) {
        let result = ResultContent::read(content, &mut |index, block| {
            self.part(&at.clone().at(index), block)
        });
        if let Some((code, message)) = result.issue {
            self.note(at, code, message);
        }
        (result.text, result.media)
    }
}

#[cfg(test)]
mod tests;
