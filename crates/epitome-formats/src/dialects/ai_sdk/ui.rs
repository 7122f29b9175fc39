//! Vercel AI SDK `UIMessage`: what a chat page stores. A call and its result are one part.

mod reader;
mod tool_part;
mod writer;

use epitome::message::Role;
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Value, json};

use self::tool_part::{state_of, tool_name, type_of};
use self::writer::{OWN_ID_PREFIX, fill_call, id_of, write_part};
use super::part::{AI_SDK_USAGE, role_of, set_input};
use crate::conformance::{Conformance, Sample};
use crate::content::{Content, ContentPart};
use crate::dialect::{Dialect, Turn};
use crate::issue::{Issue, IssueCode};
use crate::path::Path;
use crate::shape::{ShapeError, kind};
use crate::text::append;
use crate::usage_fields::UsageFields;

/// Vercel AI SDK `UIMessage`: what a chat page stores. A call and its result are one part.
///
/// An assistant message is read step by step, as the SDK sends it: what the model says in a step, then every
/// result of that step. A long run of tool calls in one message can thus be cut between its steps. A written
/// message has an id that is a hash of its content: `epitome-` and a hexadecimal number.
pub(crate) struct AiSdkUi;

impl AiSdkUi {
    /// What the provider accepts.
    pub(crate) const CONTRACT: Contract = Contract {
        system: SystemPlace::Anywhere,
        first: First::Anyone,
        last: Last::Anyone,
        neighbours: Neighbours::Free,
        results: ResultPlace::Inside,
        blank_text: BlankText::Allowed,
        reasoning: ReasoningPolicy::WholeTurn,
        summary: SummaryRole::FromPolicy,
    };

    /// Where the provider reports token counts.
    pub(crate) const USAGE_FIELDS: UsageFields = AI_SDK_USAGE;
}

impl Dialect for AiSdkUi {
    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        let Value::Object(object) = value else {
            return Err(ShapeError::expected("an object with role and parts", value));
        };
        let mut content = Content::default();
        let role = match role_of(object, &mut content) {
            // If there is an issue already, the role was another spelling of `tool`, and a second issue would
            // repeat it.
            Role::Tool if content.issues.is_empty() => {
                let message = "the role \"tool\" is unknown; read as assistant";
                content.note(&Path::key("role"), IssueCode::UnknownRole, message);
                Role::Assistant
            }
            Role::Tool => Role::Assistant,
            role => role,
        };
        let at = Path::key("parts");
        match object.get("parts") {
            Some(Value::Array(parts)) if role == Role::Assistant => {
                content = reader::read_steps(parts, &at, content);
            }
            Some(Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    let at = at.clone().at(index);
                    let part = reader::read_part(role, &at, part, &mut content);
                    content.push(role, at, part);
                }
            }
            other => {
                let found = other.map_or("missing", kind);
                let message = format!("the parts are {found}; the content is read instead");
                content.note(&at, IssueCode::MissingContent, message);
                if let Some(Value::String(text)) = object.get("content") {
                    content.push(role, Path::key("content"), ContentPart::Text(text.into()));
                }
            }
        }
        Ok(content.or_empty_step(role))
    }

    fn set_result(&self, item: &mut Value, text: &str) {
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

    fn set_arguments(&self, item: &mut Value, arguments: &str) {
        set_input(item, arguments);
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        let mut parts = Vec::new();
        turn.parts.iter().for_each(|part| write_part(&mut parts, part, turn.role, lost));
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

    fn check(&self, message: &Value) -> Vec<Issue> {
        let missing = self.message_id(message).is_none();
        let problem = "the id is missing; the AI SDK refuses stored messages without one";
        let issue = || Issue::new(&Path::key("id"), IssueCode::MissingId, problem);
        missing.then(issue).into_iter().collect()
    }

    /// Results that the engine wrote go into the parts of their calls. What it wrote after a call begins a new
    /// step: in the same step the SDK would send it before the results.
    fn merge(&self, first: &mut Value, mut second: Value) {
        let id = second.get("id").and_then(Value::as_str);
        let is_own = id.is_some_and(|id| id.starts_with(OWN_ID_PREFIX));
        if let (true, Some(Value::Array(parts))) = (is_own, second.get_mut("parts")) {
            let mut nothing = Vec::new();
            let own = first.get_mut("parts").and_then(Value::as_array_mut).unwrap_or(&mut nothing);
            parts.retain(|part| !fill_call(own, part));
            let starts = |part: &Value| type_of(part) == "step-start";
            let mut step = own.iter().rev().take_while(|part| !starts(part));
            let has_call = step.any(|part| tool_name(part).is_some());
            if has_call && parts.first().is_some_and(|part| !starts(part)) {
                parts.insert(0, json!({ "type": "step-start" }));
            }
        }
        append(first, second, "parts", |text| json!({ "type": "text", "text": text }));
    }
}

impl Conformance for AiSdkUi {
    fn recognizes(&self, sample: Sample<'_>) -> bool {
        let Sample::Message(message) = sample else { return false };
        let Some(Value::Array(parts)) = message.get("parts") else { return false };
        // Gemini has `parts` too, but no types in them and no ids of messages.
        let is_typed = parts.iter().any(|part| part.get("type").is_some());
        is_typed || parts.is_empty() && message.get("id").is_some()
    }

    fn message_id<'a>(&self, message: &'a Value) -> Option<&'a str> {
        message.get("id").and_then(Value::as_str)
    }

    fn set_message_id(&self, message: &mut Value, id: &str) -> bool {
        let Some(message) = message.as_object_mut() else { return false };
        message.insert("id".into(), id.into());
        true
    }

    fn number_message(&self, message: &mut Value, number: usize) {
        // The id is a hash of the content, so that equal messages have equal ids. The SDK needs different ones
        // in one list.
        if let Some(id) = message.get_mut("id") {
            *id = format!("{OWN_ID_PREFIX}{number}").into();
        }
    }
}

#[cfg(test)]
mod tests;
