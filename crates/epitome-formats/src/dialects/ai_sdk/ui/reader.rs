//! Reading assistant messages step by step, and the parts of all messages.

use std::borrow::Cow;

use epitome::message::Role;
use serde_json::Value;

use super::super::part::{arguments_of, attachment, is_compaction, signature_of, unknown};
use super::tool_part::{outcome, state_of, tool_name, type_of};
use crate::content::{Content, ContentPart, Item, Step};
use crate::issue::IssueCode;
use crate::path::Path;

/// Reads the parts of an assistant message, which are at `at`, into `content`.
pub(super) fn read_steps<'a>(parts: &'a [Value], at: &Path, content: Content<'a>) -> Content<'a> {
    let marked = parts.iter().any(|part| type_of(part) == "step-start");
    let mut reader = StepReader { content, marked, step: SdkStep::default(), waiting: None };
    for (index, part) in parts.iter().enumerate() {
        reader.push(at.clone().at(index), part);
    }
    reader.finish()
}

/// Groups the parts of an assistant message by steps of the SDK.
///
/// The SDK sends a step as an assistant message with everything in it, followed by a tool message with its
/// results. Read in the order of the parts instead, a text between two calls would separate the first call
/// from its result.
struct StepReader<'a> {
    content: Content<'a>,
    /// True if the message has `step-start` parts. Without them, a step ends when the model says something
    /// after a result.
    marked: bool,
    step: SdkStep<'a>,
    waiting: Option<Waiting>,
}

/// A step of the SDK: one answer of the model, with the results of its calls.
#[derive(Default)]
struct SdkStep<'a> {
    items: Vec<Item<'a>>,
    results: Vec<Step<'a>>,
    /// Requests to approve calls that have no result yet.
    requests: Vec<Item<'a>>,
    /// Approvals of such calls. They are added last, so that results follow their calls.
    approvals: Vec<Item<'a>>,
}

/// A step with calls that wait for approval.
struct Waiting {
    /// Its index in the content.
    step: usize,
    /// How many of its items come before the requests for approval.
    items_before: usize,
}

impl<'a> StepReader<'a> {
    fn push(&mut self, at: Path, part: &'a Value) {
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
            let mut items = vec![Item::new(at, ContentPart::NotSent)];
            for (index, part) in parts.iter().enumerate() {
                let at = inside.clone().at(index);
                let part = read_part(Role::User, &at, part, &mut self.content);
                items.push(Item::new(at, part));
            }
            self.drop_requests();
            self.content.steps.push(Step { role: Role::User, items });
            return;
        }
        let part = read_part(Role::Assistant, &at, part, &mut self.content);
        let has_results = !self.step.results.is_empty() || !self.step.approvals.is_empty();
        if part != ContentPart::NotSent && has_results && !self.marked {
            self.end_step();
        }
        self.step.items.push(Item::new(at, part));
    }

    fn tool(&mut self, at: Path, part: &'a Value, name: &'a str) {
        if part.get("providerExecuted") == Some(&Value::Bool(true)) {
            let part = ContentPart::opaque(type_of(part), part);
            self.step.items.push(Item::new(at, part));
            return;
        }
        let text = |key: &str| part.get(key).and_then(Value::as_str);
        let call = Cow::Borrowed(text("toolCallId").unwrap_or_default());
        let state = state_of(part);
        if text("state") != Some(state) {
            let found = text("state").map_or("missing".to_owned(), |found| format!("{found:?}"));
            let message = format!("the state is {found}; read as {state}");
            self.content.note(&at.clone().then("state"), IssueCode::UnknownPart, message);
        }
        let value = |key: &str| part.get(key).filter(|input| !input.is_null());
        let input = value("input").or_else(|| value("rawInput"));
        if input.is_none() && !matches!(state, "input-streaming" | "output-error") {
            let message = "the input is missing";
            self.content.note(&at.clone().then("input"), IssueCode::MissingArguments, message);
        }
        let arguments = input.map(arguments_of).unwrap_or_default();
        let item = |part| Item::new(at.clone(), part);
        let tool_call = ContentPart::Call { call: call.clone(), name: name.into(), arguments };
        self.step.items.push(item(tool_call));
        let approval_id = part.pointer("/approval/id").and_then(Value::as_str).map(Cow::Borrowed);
        let approved = part.pointer("/approval/approved").and_then(Value::as_bool);
        let (mut request, mut response) = (None, None);
        if let Some(approval) = approval_id {
            let call = Some(call.clone());
            response = approved.map(|_| {
                let approval = approval.clone();
                item(ContentPart::Approval { approval, call: None, granted: approved })
            });
            request = Some(item(ContentPart::Approval { approval, call, granted: None }));
        }
        match outcome(part) {
            None => {
                self.step.requests.extend(request);
                self.step.approvals.extend(response);
            }
            Some((text, failed)) => {
                self.step.items.extend(request);
                let name = Some(name.into());
                let result =
                    item(ContentPart::Result { call, name, text, media: Vec::new(), failed });
                let items = response.into_iter().chain([result]).collect();
                self.step.results.push(Step { role: Role::Tool, items });
            }
        }
    }

    /// Ends the step. One without anything that is sent goes on: its items then belong to the next step.
    fn end_step(&mut self) {
        if self.step.items.iter().all(|item| item.part == ContentPart::NotSent) {
            return;
        }
        self.drop_requests();
        let SdkStep { mut items, results, requests, approvals } = std::mem::take(&mut self.step);
        if !requests.is_empty() {
            let step = self.content.steps.len();
            self.waiting = Some(Waiting { step, items_before: items.len() });
        }
        // Requests come last in their step, so that they can be cut off again if the conversation goes on
        // without an answer.
        items.extend(requests);
        self.content.steps.push(Step { role: Role::Assistant, items });
        self.content.steps.extend(results);
        if !approvals.is_empty() {
            self.content.steps.push(Step { role: Role::Tool, items: approvals });
        }
    }

    /// Removes the requests and approvals of calls that waited. The conversation has gone on after them, so
    /// these calls will not run any more.
    fn drop_requests(&mut self) {
        let Some(Waiting { step, items_before }) = self.waiting.take() else { return };
        let steps = &mut self.content.steps;
        if let Some(step) = steps.get_mut(step) {
            step.items.truncate(items_before);
        }
        steps.pop_if(|step| step.role == Role::Tool && !step.has_result());
    }

    fn finish(mut self) -> Content<'a> {
        self.end_step();
        let Self { mut content, step, .. } = self;
        let mut steps = content.steps.iter_mut().rev();
        match steps.find(|step| step.role == Role::Assistant) {
            Some(last) => last.items.extend(step.items),
            None if step.items.is_empty() => {}
            None => content.steps.push(Step { role: Role::Assistant, items: step.items }),
        }
        content
    }
}

/// Reads a part that is not a tool part. In messages of other roles than the assistant the SDK sends only few
/// types of parts.
pub(super) fn read_part<'a>(
    role: Role,
    at: &Path,
    part: &'a Value,
    content: &mut Content<'a>,
) -> ContentPart<'a> {
    let text = |key: &str| part.get(key).and_then(Value::as_str);
    let metadata = part.get("providerMetadata");
    let kind = type_of(part);
    let read = match (kind, role) {
        ("text" | "custom", _) if is_compaction(part, metadata) => {
            content.pinned = true;
            Some(ContentPart::opaque(text("kind").unwrap_or(kind), part))
        }
        ("text", _) => ContentPart::text(text("text")),
        ("file", Role::User | Role::Assistant) => Some(attachment(part).into()),
        ("step-start" | "source-url" | "source-document", _) => Some(ContentPart::NotSent),
        _ if kind.starts_with("data-") => Some(ContentPart::NotSent),
        ("reasoning", Role::Assistant) => Some(ContentPart::Reasoning {
            text: text("text").unwrap_or_default().into(),
            signature: metadata.and_then(signature_of),
        }),
        ("reasoning-file", Role::Assistant) => Some(ContentPart::opaque(kind, part)),
        ("custom", Role::Assistant) => {
            Some(ContentPart::opaque(text("kind").unwrap_or(kind), part))
        }
        ("file" | "reasoning" | "reasoning-file" | "custom" | "steering-message", _) => None,
        _ if tool_name(part).is_some() => None,
        _ => return unknown(at, part, content),
    };
    read.unwrap_or_else(|| {
        let message =
            format!("the AI SDK does not send a part of type {kind:?} here; it is kept as it is");
        content.note(at, IssueCode::UnknownPart, message);
        ContentPart::NotSent
    })
}
