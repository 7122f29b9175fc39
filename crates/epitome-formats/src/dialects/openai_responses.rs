//! OpenAI Responses input items: each call, result, reasoning or message is an item of its own.

mod item;
mod reader;
mod writer;

use epitome::message::Role;
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Value, json};

use self::item::{
    arguments_key, id_of, is_media, is_screenshot, is_shell, needs_id, output_key, prefix_of, text,
};
use self::writer::text_part;
use crate::conformance::{Conformance, Sample};
use crate::content::Content;
use crate::dialect::{Dialect, Turn};
use crate::issue::{Issue, IssueCode, Severity};
use crate::path::Path;
use crate::shape::ShapeError;
use crate::text::{append, first_text_with};
use crate::usage_fields::UsageFields;

/// OpenAI Responses input items: each call, result, reasoning or message is an item of its own.
pub(crate) struct OpenAiResponses;

impl OpenAiResponses {
    /// What the provider accepts.
    pub(crate) const CONTRACT: Contract = Contract {
        system: SystemPlace::Anywhere,
        first: First::Anyone,
        last: Last::Anyone,
        neighbours: Neighbours::Free,
        results: ResultPlace::AnywhereAfter,
        // Recorded requests have such messages.
        blank_text: BlankText::AllowedAlone,
        // A reasoning item is refused without the item that followed it, and that item without the
        // reasoning.
        reasoning: ReasoningPolicy::WholeTurn,
        summary: SummaryRole::FromPolicy,
    };

    /// Where the provider reports token counts.
    pub(crate) const USAGE_FIELDS: UsageFields = UsageFields {
        prompt: &["/input_tokens"],
        completion: &["/output_tokens"],
        total: &["/total_tokens"],
        cached: &["/input_tokens_details/cached_tokens"],
        reasoning: &["/output_tokens_details/reasoning_tokens"],
        ..UsageFields::NONE
    };
}

impl Dialect for OpenAiResponses {
    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        if !value.is_object() {
            return Err(ShapeError::expected("an object with type or role", value));
        }
        Ok(reader::read(value))
    }

    fn set_text(&self, item: &mut Value, text: &str) {
        match item {
            Value::Object(part) if part.contains_key("type") => {
                let key = if part.contains_key("refusal") { "refusal" } else { "text" };
                part.insert(key.into(), text.into());
            }
            other => *other = text.into(),
        }
    }

    fn set_result(&self, item: &mut Value, text: &str) {
        let Some(key) = output_key(item) else { return };
        let output = match item.get(key) {
            // A list of tools and a screenshot cannot be replaced by text.
            Some(_) if key == "tools" => return,
            Some(output) if is_screenshot(output) => return,
            Some(Value::Array(runs)) if is_shell(item) => {
                // The outcome of the last run stays: the provider requires one, and the exit code tells the
                // model whether the command failed.
                let outcome = runs.last().and_then(|run| run.get("outcome"));
                json!([{ "stdout": text, "stderr": "", "outcome": outcome }])
            }
            Some(Value::Array(parts)) => {
                let media = parts.iter().filter(|part| is_media(part)).cloned();
                let text = first_text_with(parts, text, text_part(Role::Tool, text));
                std::iter::once(text).chain(media).collect()
            }
            _ => text.into(),
        };
        if let Value::Object(object) = item {
            object.insert(key.into(), output);
        }
    }

    fn set_arguments(&self, item: &mut Value, arguments: &str) {
        let Some(key) = arguments_key(item) else { return };
        let Some(slot) = item.get_mut(key) else { return };
        let given = serde_json::from_str(arguments).ok();
        *slot = match (&*slot, given) {
            (Value::Object(own), Some(Value::Object(given))) => {
                let given = given.into_iter();
                given.map(|(name, value)| (name.clone(), fitted(own.get(&name), value))).collect()
            }
            // The input of a custom tool is free text, which the reader gives as a JSON string.
            (Value::String(_), Some(Value::String(text))) if key == "input" => text.into(),
            (Value::String(_), _) => arguments.into(),
            _ => return,
        };
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        writer::write(turn, lost)
    }

    fn check(&self, item: &Value) -> Vec<Issue> {
        let prefix = prefix_of(item);
        let found = id_of(item).zip(prefix).filter(|(id, prefix)| !id.starts_with(prefix));
        let issue = |(_, prefix)| {
            let message = format!("OpenAI requires an id here that begins with {prefix}");
            Issue::new(&Path::key("id"), IssueCode::RefusedId, message)
        };
        found.map(issue).into_iter().collect()
    }

    /// Only messages can be merged; all other items stay on their own.
    fn merge(&self, first: &mut Value, second: Value) {
        if first.get("content").is_some() && second.get("content").is_some() {
            let speaks = text(first, "role") == Some("assistant");
            let role = if speaks { Role::Assistant } else { Role::User };
            append(first, second, "content", |text| text_part(role, text));
        }
    }
}

impl Conformance for OpenAiResponses {
    fn recognizes(&self, sample: Sample<'_>) -> bool {
        match sample {
            Sample::Message(item) => text(item, "type").is_some_and(|kind| ITEMS.contains(&kind)),
            Sample::Part(part) => matches!(
                text(part, "type"),
                Some("input_text" | "output_text" | "input_image" | "input_file")
            ),
        }
    }

    fn message_id<'a>(&self, item: &'a Value) -> Option<&'a str> {
        id_of(item)
    }

    /// Removes the id of an item that needs none: the provider looks ids up, and would not find a new one.
    fn set_message_id(&self, item: &mut Value, _id: &str) -> bool {
        // An item that needs its id keeps it although it is repeated: with a new id the provider would not find
        // what it has stored.
        let needed = needs_id(item);
        !needed && item.as_object_mut().is_some_and(|item| item.shift_remove("id").is_some())
    }

    /// Recorded requests have blank messages, so not every server refuses them.
    fn blank_message_severity(&self) -> Severity {
        Severity::Depends
    }

    /// A request to compact is the last item.
    fn check_all(&self, items: &[Value]) -> Vec<Issue> {
        let triggers = items.iter().enumerate().filter(|(index, item)| {
            text(item, "type") == Some("compaction_trigger") && index + 1 < items.len()
        });
        let problem = "a request to compact has to be the last item; leave it out here";
        let issue = |index| {
            Issue::new(&Path::key("messages").at(index), IssueCode::MisplacedCompaction, problem)
        };
        triggers.map(|(index, _)| issue(index)).collect()
    }
}

/// A new argument in the shape of the old one. The provider's own calls have fixed shapes: in place of a list
/// of texts, a text becomes a list. In place of another list or an object, a text cannot be used, and the old
/// value stays.
fn fitted(own: Option<&Value>, given: Value) -> Value {
    match (own, given) {
        (Some(Value::Array(texts)), text @ Value::String(_))
            if texts.iter().all(Value::is_string) =>
        {
            Value::Array(vec![text])
        }
        (Some(own @ (Value::Array(_) | Value::Object(_))), Value::String(_)) => own.clone(),
        (_, given) => given,
    }
}

/// Item types that no other format has as the type of a message.
const ITEMS: [&str; 10] = [
    "message",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "reasoning",
    "item_reference",
    "compaction",
    "web_search_call",
    "mcp_call",
];

#[cfg(test)]
mod tests;
