//! OpenAI Responses input items: one item a call, a result, a thought or a message.

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
use self::writer::said;
use crate::content::Content;
use crate::dialect::{Dialect, Turn};
use crate::issue::{Code, Issue};
use crate::path::Path;
use crate::registry::ShapeError;
use crate::text::append;

/// OpenAI Responses input items: one item a call, a result, a thought or a message.
pub(crate) struct OpenAiResponses;

impl Dialect for OpenAiResponses {
    fn contract(&self) -> Contract {
        Contract {
            system: SystemPlace::Anywhere,
            first: First::Anyone,
            last: Last::Anyone,
            neighbours: Neighbours::Free,
            results: ResultPlace::Later,
            blank_text: BlankText::Allowed,
            // A thought without what followed it is refused, and so is the other way round.
            reasoning: ReasoningPolicy::WholeTurn,
            summary: SummaryRole::AsAsked,
        }
    }

    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        if !value.is_object() {
            return Err(ShapeError::expected("an object with type or role", value));
        }
        Ok(reader::read(value))
    }

    fn say(&self, item: &mut Value, text: &str) {
        match item {
            Value::Object(part) if part.contains_key("type") => {
                let key = if part.contains_key("refusal") { "refusal" } else { "text" };
                part.insert(key.into(), text.into());
            }
            other => *other = text.into(),
        }
    }

    fn answer(&self, item: &mut Value, text: &str) {
        let Some(key) = output_key(item) else { return };
        let output = match item.get(key) {
            // Neither a list of tools nor a screenshot can be told in words.
            Some(_) if key == "tools" => return,
            Some(output) if is_screenshot(output) => return,
            Some(Value::Array(runs)) if is_shell(item) => {
                let outcome = runs.last().and_then(|run| run.get("outcome"));
                json!([{ "stdout": text, "stderr": "", "outcome": outcome }])
            }
            Some(Value::Array(parts)) => {
                let media = parts.iter().filter(|part| is_media(part)).cloned();
                std::iter::once(said(Role::Tool, text)).chain(media).collect()
            }
            _ => text.into(),
        };
        if let Value::Object(object) = item {
            object.insert(key.into(), output);
        }
    }

    fn call_with(&self, item: &mut Value, arguments: &str) {
        let Some(key) = arguments_key(item) else { return };
        let Some(slot) = item.get_mut(key) else { return };
        let given = serde_json::from_str(arguments).ok();
        *slot = match (&*slot, given) {
            (Value::Object(own), Some(Value::Object(given))) => {
                let given = given.into_iter();
                given.map(|(name, value)| (name.clone(), like(own.get(&name), value))).collect()
            }
            // The input of a custom tool is no JSON; it is read as a JSON string.
            (Value::String(_), Some(Value::String(text))) if key == "input" => text.into(),
            (Value::String(_), _) => arguments.into(),
            _ => return,
        };
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        writer::write(turn, lost)
    }

    fn id<'a>(&self, item: &'a Value) -> Option<&'a str> {
        id_of(item)
    }

    /// An item that needs no id goes under none: the provider would look another one up and not find it.
    fn rename(&self, item: &mut Value, _id: &str) -> bool {
        let needed = needs_id(item);
        !needed && item.as_object_mut().is_some_and(|item| item.shift_remove("id").is_some())
    }

    fn check(&self, item: &Value) -> Vec<Issue> {
        let prefix = prefix_of(item);
        let found = id_of(item).zip(prefix).filter(|(id, prefix)| !id.starts_with(prefix));
        let told = |(_, prefix)| {
            let message = format!("OpenAI wants an id here that begins with {prefix}");
            Issue::new(&Path::key("id"), Code::RefusedId, message)
        };
        found.map(told).into_iter().collect()
    }

    /// A request to compact stands behind everything else.
    fn check_together(&self, items: &[Value]) -> Vec<Issue> {
        let triggers = items.iter().enumerate().filter(|(index, item)| {
            text(item, "type") == Some("compaction_trigger") && index + 1 < items.len()
        });
        let told = "a request to compact stands last; leave it out here";
        let issue =
            |index| Issue::new(&Path::key("messages").at(index), Code::MisplacedCompaction, told);
        triggers.map(|(index, _)| issue(index)).collect()
    }

    /// Every item is a message of its own; only what is said can be put together.
    fn join(&self, first: &mut Value, second: Value) {
        if first.get("content").is_some() && second.get("content").is_some() {
            let speaks = text(first, "role") == Some("assistant");
            let role = if speaks { Role::Assistant } else { Role::User };
            append(first, second, "content", |text| said(role, text));
        }
    }
}

/// A value in the place of another. A provider's own calls have fixed shapes: a text in the place of a list
/// of texts is the only one of them, and what else does not fit is left as it was.
fn like(own: Option<&Value>, given: Value) -> Value {
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

#[cfg(test)]
mod tests;
