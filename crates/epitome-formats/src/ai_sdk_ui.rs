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
use crate::ai_sdk_part::{
    DENIED, NAMELESS, arguments_of, attachment, is_compaction, put_input, role_of, seal, unknown,
    worded,
};
use crate::content::{Content, Item, Piece, What};
use crate::dialect::{Dialect, Turn};
use crate::format::{ShapeError, kind};
use crate::issue::{Code, Issue};
use crate::path::Path;
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
mod tests {
    use super::*;
    use crate::{Format, Outgoing};
    use epitome::history::{Change, Log, PLACEHOLDER_RESULT, PartChange, Projection, Record, View};
    use epitome::message::Part;
    use epitome::test_notation::notate;

    fn check(value: &Value, notation: &str, paths: &[&str]) {
        let reading = Format::AiSdkUi.read(&"m".into(), value).unwrap();
        assert_eq!(notate(&reading.messages).trim_end(), notation, "{value}");
        let found: Vec<&str> = reading.issues.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(found, paths, "{value}");
    }

    fn message(role: &str, parts: &[Value]) -> Value {
        json!({ "id": "m", "role": role, "metadata": { "model": "x" }, "parts": parts })
    }

    fn text(text: &str) -> Value {
        json!({ "type": "text", "text": text, "state": "done" })
    }

    fn tool(call: &str, more: &Value) -> Value {
        let mut part = json!({ "type": "tool-f", "toolCallId": call, "input": {} });
        more.as_object().into_iter().flatten().for_each(|(key, value)| part[key] = value.clone());
        part
    }

    fn done(call: &str) -> Value {
        tool(call, &json!({ "state": "output-available", "output": format!("result {call}") }))
    }

    fn step() -> Value {
        json!({ "type": "step-start" })
    }

    /// The message after a compaction that left these of its pieces out.
    fn compacted(message: &Value, dropped: &[usize]) -> Value {
        let format = Format::AiSdkUi;
        let mut log = Log::default();
        for message in format.read(&"m".into(), message).unwrap().messages {
            log.append(Record::Message { message }).unwrap();
        }
        let dropped = dropped.iter().copied().collect();
        let projection = Projection { steps: 1, dropped, ..Projection::default() };
        let view = View::of(&log, &projection, &format.contract());
        format.contract().check(&log, &view).unwrap();
        match format.compose(&log, &view).as_slice() {
            [Outgoing::Keep(_)] => message.clone(),
            [Outgoing::Make(recipe)] => recipe.make(format, |_| Some(message)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_message_is_read_step_by_step() {
        check(&message("system", &[text("be kind")]), "s: be kind", &[]);
        check(&message("user", &[text("hi")]), "u: hi", &[]);
        let steps = [step(), text("look"), done("a"), done("b"), step(), done("c"), text("so")];
        let read = "a: look !a !b\nt: =a\nt: =b\na: !c so\nt: =c";
        check(&message("assistant", &steps), read, &[]);
        let unmarked = [done("a"), done("b"), text("look"), done("c"), text("so")];
        let read = "a: !a !b\nt: =a\nt: =b\na: look !c\nt: =c\na: so";
        check(&message("assistant", &unmarked), read, &[]);
    }

    #[test]
    fn a_call_is_read_in_every_state() {
        let asked = json!({ "id": "x" });
        let granted = json!({ "id": "x", "approved": true });
        let refused = json!({ "id": "x", "approved": false, "reason": "no" });
        let denied = json!({ "id": "x", "approved": false });
        let cases = [
            (json!({ "state": "input-streaming", "input": { "a": 1 } }), "a: !c<{\"a\":1}>"),
            (json!({ "state": "input-streaming", "input": null }), "a: !c<>"),
            (json!({ "state": "input-available" }), "a: !c"),
            (json!({ "state": "approval-requested", "approval": asked }), "a: !c may:x<c>"),
            (
                json!({ "state": "approval-responded", "approval": granted }),
                "a: !c may:x<c>\nt: yes:x",
            ),
            (
                json!({ "state": "approval-responded", "approval": refused }),
                "a: !c may:x<c>\nt: no:x =c<no>",
            ),
            (json!({ "state": "output-available", "output": "42" }), "a: !c\nt: =c<42>"),
            (
                json!({ "state": "output-available", "output": [1], "approval": granted }),
                "a: !c may:x<c>\nt: yes:x =c<[1]>",
            ),
            (json!({ "state": "output-available" }), "a: !c\nt: =c<null>"),
            (
                json!({ "state": "output-error", "errorText": "boom", "input": null, "rawInput": "{\"a\":" }),
                "a: !c<\"{\\\"a\\\":\">\nt: =c<boom>",
            ),
            (
                json!({ "state": "output-denied", "approval": denied }),
                "a: !c may:x<c>\nt: no:x =c<Tool call execution denied.>",
            ),
            (
                json!({ "state": "output-available", "output": 1, "providerExecuted": true }),
                "a: tool-f",
            ),
        ];
        for (part, read) in cases {
            check(&message("assistant", &[tool("c", &part)]), read, &[]);
        }
        let dynamic = json!({ "type": "dynamic-tool", "toolName": "g", "toolCallId": "c", "state": "input-available", "input": "{\"a\":1}" });
        let value = message("assistant", &[dynamic]);
        let parts = Format::AiSdkUi.read(&"m".into(), &value).unwrap().messages.remove(0).parts;
        let (call, name, arguments) = ("c".into(), "g".into(), "{\"a\":1}".into());
        assert_eq!(parts, [Part::ToolCall { call, name, arguments }]);
    }

    #[test]
    fn results_follow_their_calls_before_leave_that_was_given() {
        let granted =
            json!({ "state": "approval-responded", "approval": { "id": "x", "approved": true } });
        let parts = [tool("a", &granted), done("b")];
        let read = "a: !a !b may:x<a>\nt: =b\nt: yes:x";
        check(&message("assistant", &parts), read, &[]);
        let value = message("assistant", &parts);
        assert_eq!(compacted(&value, &[]), value);
        let passed = [&parts[..], &[step(), step(), text("so")]].concat();
        check(&message("assistant", &passed), "a: !a !b\nt: =b\na: so", &[]);
    }

    #[test]
    fn every_kind_of_part_is_read() {
        let hosted = json!({ "type": "file", "mediaType": "application/pdf", "url": "https://example.com/a.pdf" });
        let picture =
            json!({ "type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AA" });
        check(&message("user", &[picture.clone(), hosted]), "u: <image> <file>", &[]);
        let metadata = json!({ "anthropic": { "signature": "seal" } });
        let thought = |metadata: Value| json!({ "type": "reasoning", "text": "hm", "providerMetadata": metadata });
        let read = "a: ?hm#{\"anthropic\":{\"signature\":\"seal\"}} ?hm";
        check(&message("assistant", &[thought(metadata), thought(json!({}))]), read, &[]);
        let url = json!({ "type": "source-url", "sourceId": "1", "url": "https://example.com" });
        let data = json!({ "type": "data-chart", "data": [1] });
        let thinking = json!({ "type": "reasoning-file", "mediaType": "image/png", "url": "u" });
        let custom = json!({ "type": "custom", "kind": "openai.thing" });
        check(
            &message("assistant", &[step(), url, data, text("so"), thinking, custom, picture]),
            "a: so reasoning-file openai.thing <image>",
            &[],
        );
        let steering = json!({ "type": "steering-message", "id": "s", "parts": [text("faster")] });
        let steered = message("assistant", &[step(), done("a"), steering, step(), text("ok")]);
        check(&steered, "a: !a\nt: =a\nu: faster\na: ok", &[]);
        let left = message("assistant", &[step(), done("a"), step(), text("ok")]);
        assert_eq!(compacted(&steered, &[2]), left);
    }

    #[test]
    fn a_compaction_of_the_providers_is_pinned() {
        let custom = json!({ "type": "custom", "kind": "openai.compaction" });
        check(&message("assistant", &[custom]), "a: * openai.compaction", &[]);
        let metadata = json!({ "anthropic": { "type": "compaction" } });
        let said = json!({ "type": "text", "text": "so far", "providerMetadata": metadata });
        check(&message("assistant", &[said]), "a: * text", &[]);
    }

    #[test]
    fn untidy_messages_are_read_and_listed() {
        let stateless = |more: Value| message("assistant", &[tool("c", &more)]);
        check(&stateless(json!({})), "a: !c", &["parts[0].state"]);
        check(&stateless(json!({ "output": 4 })), "a: !c\nt: =c<4>", &["parts[0].state"]);
        check(
            &stateless(json!({ "state": "result", "errorText": "no" })),
            "a: !c\nt: =c<no>",
            &["parts[0].state"],
        );
        let inputless = json!({ "input": null, "state": "input-available" });
        check(&stateless(inputless), "a: !c<>", &["parts[0].input"]);
        let odd = [json!({ "type": "hologram" }), json!("hi"), text("ok")];
        check(&message("user", &odd), "u: hologram untyped ok", &["parts[0]", "parts[1]"]);
        let old = json!({ "type": "tool-invocation", "toolInvocation": {} });
        check(&message("assistant", &[old]), "a: tool-invocation", &["parts[0]"]);
        check(&message("user", &[done("a"), text("hi")]), "u: hi", &["parts[0]"]);
        check(&message("tool", &[done("a")]), "a: !a\nt: =a", &["role"]);
        check(&message("Model", &[text("hi")]), "a: hi", &["role"]);
        check(&json!({ "role": "user", "content": "hi" }), "u: hi", &["parts"]);
        check(&message("assistant", &[step()]), "a:", &[]);
        check(&message("assistant", &[]), "a:", &[]);
        check(&message("assistant", &[step(), text("so"), step()]), "a: so", &[]);
        let error = Format::AiSdkUi.read(&"m".into(), &json!([])).unwrap_err().to_string();
        assert_eq!(error, "expected an object with role and parts, found an array");
    }

    #[test]
    fn steps_are_left_out_with_all_that_belongs_to_them() {
        let data = json!({ "type": "data-chart", "data": [1] });
        let parts = [
            step(),
            text("one"),
            done("a"),
            data,
            step(),
            done("b"),
            done("c"),
            step(),
            text("so"),
        ];
        let value = message("assistant", &parts);
        assert_eq!(compacted(&value, &[]), value);
        assert_eq!(compacted(&value, &[0, 1]), message("assistant", &parts[4..]));
        assert_eq!(compacted(&value, &[0, 1, 2, 3, 4]), message("assistant", &parts[7..]));
        let ends = [&parts[..4], &parts[7..]].concat();
        assert_eq!(compacted(&value, &[2, 3, 4]), message("assistant", &ends));
    }

    #[test]
    fn a_result_that_never_came_stands_in_the_part_of_its_call() {
        let error = |call: &str, input: Value| {
            tool(
                call,
                &json!({ "state": "output-error", "input": input, "errorText": PLACEHOLDER_RESULT }),
            )
        };
        let open = [
            json!({ "state": "input-streaming", "input": null, "title": "x" }),
            json!({ "state": "input-available", "input": { "a": 1 }, "title": "x" }),
        ];
        for (part, input) in open.into_iter().zip([json!({}), json!({ "a": 1 })]) {
            let value = |part: Value| message("assistant", &[done("a"), part, text("so")]);
            let mut filled = error("b", input);
            filled["title"] = "x".into();
            assert_eq!(compacted(&value(tool("b", &part)), &[]), value(filled));
        }
        let steps = |part: Value| message("assistant", &[step(), part, step(), text("so")]);
        let open = steps(tool("b", &json!({ "state": "input-available" })));
        assert_eq!(compacted(&open, &[]), steps(error("b", json!({}))));
        let granted = json!({ "id": "x", "approved": true });
        let open = json!({ "state": "approval-responded", "approval": granted });
        let mut filled = error("b", json!({}));
        filled["approval"] = granted;
        assert_eq!(compacted(&steps(tool("b", &open)), &[]), steps(filled));
    }

    #[test]
    fn leave_that_was_never_given_is_no_longer_asked_for_once_there_is_a_result() {
        let asked = json!({ "state": "approval-requested", "approval": { "id": "x" } });
        let mut first = message("assistant", &[tool("a", &asked)]);
        let result = Part::ToolResult { call: "a".into(), name: None, text: "42".into() };
        let second = Format::AiSdkUi.write(Role::Tool, &[result]);
        AiSdkUi.join(&mut first, second);
        let expected = tool("a", &json!({ "state": "output-available", "output": "42" }));
        assert_eq!(first, message("assistant", &[expected]));
    }

    #[test]
    fn what_is_written_reads_back() {
        let format = Format::AiSdkUi;
        let value = format.write(Role::User, &[Part::text("so far")]);
        let parts = json!([{ "type": "text", "text": "so far" }]);
        assert_eq!(
            value,
            json!({ "id": "epitome-7fdb0b1eb3b47481", "role": "user", "parts": parts })
        );
        let name = || Some("f".to_owned());
        let metadata = json!({ "anthropic": { "signature": "seal" } }).to_string();
        let thought = Part::Reasoning { text: "hm".into(), signature: Some(metadata) };
        let call = |call: &str| Part::ToolCall {
            call: call.into(),
            name: "f".into(),
            arguments: "{\"a\":1}".into(),
        };
        let result =
            |call: &str| Part::ToolResult { call: call.into(), name: name(), text: "42".into() };
        let approval =
            Part::Approval { approval: "x".into(), call: Some("b".into()), granted: None };
        let mut value = format.write(Role::Assistant, &[thought, call("a"), call("b"), approval]);
        let read =
            "a: ?hm#{\"anthropic\":{\"signature\":\"seal\"}} !a<{\"a\":1}> !b<{\"a\":1}> may:x<b>";
        check(&value, read, &[]);
        AiSdkUi.join(&mut value, format.write(Role::Tool, &[result("a")]));
        AiSdkUi.join(&mut value, format.write(Role::Tool, &[result("b")]));
        AiSdkUi.join(&mut value, format.write(Role::Assistant, &[Part::text("so")]));
        let read = "a: ?hm#{\"anthropic\":{\"signature\":\"seal\"}} !a<{\"a\":1}> !b<{\"a\":1}>\n\
                    t: =a<42>\nt: =b<42>\na: so";
        check(&value, read, &[]);
        check(&format.write(Role::Tool, &[result("a")]), "a: !a\nt: =a<42>", &[]);
    }

    #[test]
    fn what_the_format_cannot_hold_is_told() {
        let seal = Some("seal".into());
        let items = vec![
            What::Reasoning { text: "hm".into(), signature: seal },
            What::Image(crate::content::Attachment::default()),
            What::Opaque { kind: "hologram".into(), characters: 1 },
            What::Approval { approval: "x".into(), call: None, granted: Some(true) },
            What::Silent,
        ];
        let turn = Turn { role: Role::Assistant, author: None, items };
        let mut lost = Vec::new();
        let written = AiSdkUi.write(&turn, &mut lost);
        let thought = json!({ "type": "reasoning", "text": "hm", "state": "done" });
        assert_eq!(written[0]["parts"], json!([thought]));
        let nothing = Turn { items: vec![What::Silent], ..turn };
        assert_eq!(AiSdkUi.write(&nothing, &mut Vec::new()), Vec::<Value>::new());
        assert_eq!(
            lost,
            [
                "the seal of the model's thoughts is left out",
                "a picture or file that another provider keeps is left out",
                "a part of type \"hologram\" is left out",
                "the answer to a call that asks for leave is left out",
            ]
        );
    }

    #[test]
    fn results_say_something_else_in_their_own_field() {
        let refused = |reason: &str| json!({ "id": "x", "approved": false, "reason": reason });
        let cases: [[Value; 2]; 4] = [
            [
                json!({ "state": "output-available", "output": { "a": 1 } }),
                json!({ "state": "output-available", "output": "short" }),
            ],
            [
                json!({ "state": "output-error", "errorText": "long" }),
                json!({ "state": "output-error", "errorText": "short" }),
            ],
            [
                json!({ "state": "output-denied", "approval": refused("long") }),
                json!({ "state": "output-denied", "approval": refused("short") }),
            ],
            [json!({ "output": "long" }), json!({ "output": "short" })],
        ];
        for [before, after] in cases {
            let mut part = tool("c", &before);
            AiSdkUi.answer(&mut part, "short");
            assert_eq!(part, tool("c", &after));
        }
    }

    #[test]
    fn a_call_has_other_arguments_and_a_text_says_something_else() {
        let arguments = Change::Arguments { arguments: "{\"a\":2}".into() };
        let value = |said: &str, input: Value| {
            message(
                "assistant",
                &[text(said), tool("a", &json!({ "state": "input-available", "input": input }))],
            )
        };
        let changes = [
            PartChange { part: 0, change: Change::Text { text: "short".into() } },
            PartChange { part: 1, change: arguments },
        ];
        let rewrite = |original| Format::AiSdkUi.rewrite(&original, &changes);
        assert_eq!(rewrite(value("long", json!({ "a": 1 }))), value("short", json!({ "a": 2 })));
        let (one, two) = (json!("{\"a\":1}"), json!("{\"a\":2}"));
        assert_eq!(rewrite(value("long", one)), value("short", two));
    }
}
