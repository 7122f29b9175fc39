//! Vercel AI SDK `UIMessage`: what a chat page holds; a call and its result are one part.

mod writer;

use std::borrow::Cow;

use epitome::message::Role;
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Value, json};

use self::writer::{OWN, fill, id_of, put};
use super::part::{
    DENIED, NAMELESS, arguments_of, attachment, is_compaction, put_input, role_of, seal, unknown,
    worded,
};
use crate::content::{Content, Item, Piece, What};
use crate::dialect::{Dialect, Turn};
use crate::issue::{Code, Issue};
use crate::path::Path;
use crate::registry::{ShapeError, kind};
use crate::text::append;

/// Vercel AI SDK `UIMessage`: what a chat page holds; a call and its result are one part.
///
/// A message is read step by step, as the SDK sends it: what the model says in a step, then every result of
/// that step. So a long run of tools in one message can be cut between its steps. A message that is written
/// has an id made of what it says: `epitome-` and a number in hexadecimal.
pub(crate) struct AiSdkUi;

impl Dialect for AiSdkUi {
    fn contract(&self) -> Contract {
        Contract {
            system: SystemPlace::Anywhere,
            first: First::Anyone,
            last: Last::Anyone,
            neighbours: Neighbours::Free,
            results: ResultPlace::Inside,
            blank_text: BlankText::Allowed,
            reasoning: ReasoningPolicy::WholeTurn,
            summary: SummaryRole::AsAsked,
        }
    }

    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        let Value::Object(object) = value else {
            return Err(ShapeError::expected("an object with role and parts", value));
        };
        let mut content = Content::default();
        let role = match role_of(object, &mut content) {
            Role::Tool if content.issues.is_empty() => {
                let message = "the role \"tool\" is unknown; read as assistant";
                content.note(&Path::key("role"), Code::UnknownRole, message);
                Role::Assistant
            }
            Role::Tool => Role::Assistant,
            role => role,
        };
        let at = Path::key("parts");
        match object.get("parts") {
            Some(Value::Array(parts)) if role == Role::Assistant => {
                content = Steps::read(parts, &at, content);
            }
            Some(Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    let at = at.clone().at(index);
                    let what = told(role, &at, part, &mut content);
                    content.push(role, at, what);
                }
            }
            other => {
                let found = other.map_or("missing", kind);
                let message = format!("the parts are {found}; the content is read instead");
                content.note(&at, Code::MissingContent, message);
                if let Some(Value::String(text)) = object.get("content") {
                    content.push(role, Path::key("content"), What::Text(text.into()));
                }
            }
        }
        if content.pieces.is_empty() {
            content.pieces.push(Piece { role, items: Vec::new() });
        }
        Ok(content)
    }

    fn answer(&self, item: &mut Value, text: &str) {
        let state = state_of(item);
        let Some(part) = item.as_object_mut() else { return };
        match state {
            "output-error" => part.insert("errorText".into(), text.into()),
            "output-denied" | "approval-responded" => {
                let approval = part.get_mut("approval").and_then(Value::as_object_mut);
                approval.and_then(|approval| approval.insert("reason".into(), text.into()))
            }
            _ => part.insert("output".into(), text.into()),
        };
    }

    fn call_with(&self, item: &mut Value, arguments: &str) {
        put_input(item, arguments);
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        let mut parts = Vec::new();
        turn.items.iter().for_each(|what| put(&mut parts, what, turn.role, lost));
        if parts.is_empty() {
            return Vec::new();
        }
        let role = match turn.role {
            Role::Tool => Role::Assistant,
            role => role,
        };
        let parts = Value::Array(parts);
        let id = id_of(role, &parts);
        vec![json!({ "id": id, "role": role.as_str(), "parts": parts })]
    }

    fn id<'a>(&self, message: &'a Value) -> Option<&'a str> {
        message.get("id").and_then(Value::as_str)
    }

    fn rename(&self, message: &mut Value, id: &str) -> bool {
        let Some(message) = message.as_object_mut() else { return false };
        message.insert("id".into(), id.into());
        true
    }

    fn check(&self, message: &Value) -> Vec<Issue> {
        let missing = self.id(message).is_none();
        let told = "the id is missing; the AI SDK refuses to take stored messages without";
        missing.then(|| Issue::new(&Path::key("id"), Code::MissingId, told)).into_iter().collect()
    }

    fn join(&self, first: &mut Value, mut second: Value) {
        let written =
            second.get("id").and_then(Value::as_str).is_some_and(|id| id.starts_with(OWN));
        if let (true, Some(Value::Array(parts))) = (written, second.get_mut("parts")) {
            let mut nothing = Vec::new();
            let own = first.get_mut("parts").and_then(Value::as_array_mut).unwrap_or(&mut nothing);
            parts.retain(|part| !fill(own, part));
            let starts = |part: &Value| type_of(part) == "step-start";
            let mut step = own.iter().rev().take_while(|part| !starts(part));
            let called = step.any(|part| tool_name(part).is_some());
            if called && parts.first().is_some_and(|part| !starts(part)) {
                parts.insert(0, json!({ "type": "step-start" }));
            }
        }
        append(first, second, "parts", |text| json!({ "type": "text", "text": text }));
    }
}

/// What the model says in a message, step by step.
struct Steps<'a> {
    content: Content<'a>,
    /// True where the message says itself where its steps start.
    marked: bool,
    step: Step<'a>,
    waiting: Option<Waiting>,
}

/// What the model says in one go, and what it is answered.
#[derive(Default)]
struct Step<'a> {
    items: Vec<Item<'a>>,
    results: Vec<Piece<'a>>,
    /// Leave that is asked for, for calls without a result yet.
    requests: Vec<Item<'a>>,
    /// Leave that was given to such calls. Last, so that results follow their calls.
    answers: Vec<Item<'a>>,
}

/// What the model says in a step with calls that wait for leave: which piece it is, and how many of its
/// items come before those that ask for leave.
struct Waiting {
    piece: usize,
    said: usize,
}

impl<'a> Steps<'a> {
    fn read(parts: &'a [Value], at: &Path, content: Content<'a>) -> Content<'a> {
        let marked = parts.iter().any(|part| type_of(part) == "step-start");
        let mut steps = Self { content, marked, step: Step::default(), waiting: None };
        for (index, part) in parts.iter().enumerate() {
            steps.take(at.clone().at(index), part);
        }
        steps.finish()
    }

    fn take(&mut self, at: Path, part: &'a Value) {
        if let Some(name) = tool_name(part) {
            return self.tool(at, part, name);
        }
        if type_of(part) == "step-start" {
            self.end_step();
        }
        if let ("steering-message", Some(Value::Array(parts))) = (type_of(part), part.get("parts"))
        {
            self.end_step();
            let inside = at.clone().then("parts");
            let mut items = vec![Item::new(at, What::Silent)];
            for (index, part) in parts.iter().enumerate() {
                let at = inside.clone().at(index);
                let what = told(Role::User, &at, part, &mut self.content);
                items.push(Item::new(at, what));
            }
            self.go_on();
            self.content.pieces.push(Piece { role: Role::User, items });
            return;
        }
        let what = told(Role::Assistant, &at, part, &mut self.content);
        let answered = !self.step.results.is_empty() || !self.step.answers.is_empty();
        if what != What::Silent && answered && !self.marked {
            self.end_step();
        }
        self.step.items.push(Item::new(at, what));
    }

    fn tool(&mut self, at: Path, part: &'a Value, name: &'a str) {
        if part.get("providerExecuted") == Some(&Value::Bool(true)) {
            let what = What::opaque(type_of(part), part);
            self.step.items.push(Item::new(at, what));
            return;
        }
        let text = |key: &str| part.get(key).and_then(Value::as_str);
        let call = Cow::Borrowed(text("toolCallId").unwrap_or_default());
        let state = state_of(part);
        if text("state") != Some(state) {
            let found = text("state").map_or("missing".to_owned(), |found| format!("{found:?}"));
            let message = format!("the state is {found}; read as {state}");
            self.content.note(&at.clone().then("state"), Code::UnknownPart, message);
        }
        let told = |key: &str| part.get(key).filter(|input| !input.is_null());
        let input = told("input").or_else(|| told("rawInput"));
        if input.is_none() && !matches!(state, "input-streaming" | "output-error") {
            let message = "the input is missing";
            self.content.note(&at.clone().then("input"), Code::MissingArguments, message);
        }
        let arguments = input.map(arguments_of).unwrap_or_default();
        let item = |what| Item::new(at.clone(), what);
        let asked = What::Call { call: call.clone(), name: name.into(), arguments };
        self.step.items.push(item(asked));
        let approval = part.pointer("/approval/id").and_then(Value::as_str).map(Cow::Borrowed);
        let approved = part.pointer("/approval/approved").and_then(Value::as_bool);
        let (mut request, mut answer) = (None, None);
        if let Some(approval) = approval {
            let call = Some(call.clone());
            let approved = approved.map(|_| What::Approval {
                approval: approval.clone(),
                call: None,
                granted: approved,
            });
            answer = approved.map(item);
            request = Some(item(What::Approval { approval, call, granted: None }));
        }
        match outcome(part) {
            None => {
                self.step.requests.extend(request);
                self.step.answers.extend(answer);
            }
            Some((text, failed)) => {
                self.step.items.extend(request);
                let name = Some(name.into());
                let result = item(What::Result { call, name, text, media: Vec::new(), failed });
                let items = answer.into_iter().chain([result]).collect();
                self.step.results.push(Piece { role: Role::Tool, items });
            }
        }
    }

    /// Ends a step in which something was said; one without goes on.
    fn end_step(&mut self) {
        if self.step.items.iter().all(|item| item.what == What::Silent) {
            return;
        }
        self.go_on();
        let Step { mut items, results, requests, answers } = std::mem::take(&mut self.step);
        if !requests.is_empty() {
            self.waiting = Some(Waiting { piece: self.content.pieces.len(), said: items.len() });
        }
        items.extend(requests);
        self.content.pieces.push(Piece { role: Role::Assistant, items });
        self.content.pieces.extend(results);
        if !answers.is_empty() {
            self.content.pieces.push(Piece { role: Role::Tool, items: answers });
        }
    }

    /// Something is said behind calls that waited for leave: they will not run any more.
    fn go_on(&mut self) {
        let Some(Waiting { piece, said }) = self.waiting.take() else { return };
        let pieces = &mut self.content.pieces;
        if let Some(piece) = pieces.get_mut(piece) {
            piece.items.truncate(said);
        }
        pieces.pop_if(|piece| piece.role == Role::Tool && !piece.has_result());
    }

    fn finish(mut self) -> Content<'a> {
        self.end_step();
        let Self { mut content, step, .. } = self;
        let mut pieces = content.pieces.iter_mut().rev();
        match pieces.find(|piece| piece.role == Role::Assistant) {
            Some(last) => last.items.extend(step.items),
            None if step.items.is_empty() => {}
            None => content.pieces.push(Piece { role: Role::Assistant, items: step.items }),
        }
        content
    }
}

/// What a part is that no tool has to do with. The SDK sends few kinds of parts for anybody but the model.
fn told<'a>(role: Role, at: &Path, part: &'a Value, content: &mut Content<'a>) -> What<'a> {
    let text = |key: &str| part.get(key).and_then(Value::as_str);
    let metadata = part.get("providerMetadata");
    let kind = type_of(part);
    let read = match (kind, role) {
        ("text" | "custom", _) if is_compaction(part, metadata) => {
            content.pinned = true;
            Some(What::opaque(text("kind").unwrap_or(kind), part))
        }
        ("text", _) => What::text(text("text")),
        ("file", Role::User | Role::Assistant) => Some(attachment(part).what()),
        ("step-start" | "source-url" | "source-document", _) => Some(What::Silent),
        _ if kind.starts_with("data-") => Some(What::Silent),
        ("reasoning", Role::Assistant) => Some(What::Reasoning {
            text: text("text").unwrap_or_default().into(),
            signature: metadata.and_then(seal),
        }),
        ("reasoning-file", Role::Assistant) => Some(What::opaque(kind, part)),
        ("custom", Role::Assistant) => Some(What::opaque(text("kind").unwrap_or(kind), part)),
        ("file" | "reasoning" | "reasoning-file" | "custom" | "steering-message", _) => None,
        _ if tool_name(part).is_some() => None,
        _ => return unknown(at, part, content),
    };
    read.unwrap_or_else(|| {
        let message = format!("a part of type {kind:?} is not sent there; it is kept as it is");
        content.note(at, Code::UnknownPart, message);
        What::Silent
    })
}

fn type_of(part: &Value) -> &str {
    part.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The name of the tool that a part is of; `None` for any other part.
fn tool_name(part: &Value) -> Option<&str> {
    match type_of(part) {
        "dynamic-tool" => part.get("toolName").and_then(Value::as_str).or(Some(NAMELESS)),
        // The form before, with all of the call inside.
        "tool-invocation" if part.get("toolInvocation").is_some() => None,
        kind => kind.strip_prefix("tool-"),
    }
}

/// How far the call of a part has come, told from what it has where it does not say.
fn state_of(part: &Value) -> &'static str {
    let state = part.get("state").and_then(Value::as_str);
    let known = STATES.into_iter().find(|known| state == Some(known));
    known.unwrap_or_else(|| match ["errorText", "output"].map(|key| part.get(key).is_some()) {
        [true, _] => "output-error",
        [_, true] => "output-available",
        _ => "input-available",
    })
}

const STATES: [&str; 7] = [
    "input-streaming",
    "input-available",
    "approval-requested",
    "approval-responded",
    "output-available",
    "output-error",
    "output-denied",
];

/// What the model is told of a call, and whether that is a failure; `None` for one that still runs.
fn outcome(part: &Value) -> Option<(Cow<'_, str>, bool)> {
    let text = |path: &str| part.pointer(path).and_then(Value::as_str).map(Cow::Borrowed);
    let denied = part.pointer("/approval/approved") == Some(&Value::Bool(false));
    match state_of(part) {
        "output-available" => Some((worded(part.get("output")), false)),
        "output-error" => Some((text("/errorText").unwrap_or_default(), true)),
        "approval-responded" if !denied => None,
        "output-denied" | "approval-responded" => {
            Some((text("/approval/reason").unwrap_or(DENIED.into()), true))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
