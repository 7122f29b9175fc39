//! Gemini `Content`: messages of user and model, each with a list of parts.

mod part;
mod reader;
mod writer;

use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace,
};
use serde_json::{Map, Value, json};

use self::part::{body, body_mut, only_text};
use super::block_roles::BlockRoles;
use crate::conformance::{Conformance, Sample};
use crate::content::Content;
use crate::dialect::{Dialect, Turn};
use crate::issue::Issue;
use crate::shape::ShapeError;
use crate::text::{append, is_json_object};
use crate::usage_fields::UsageFields;

/// Gemini `Content`.
pub(crate) struct Gemini;

impl Gemini {
    /// What the provider accepts.
    pub(crate) const CONTRACT: Contract = Contract {
        system: SystemPlace::Separate,
        first: First::User,
        last: Last::Anyone,
        neighbours: Neighbours::Merged,
        results: ResultPlace::NextUser,
        blank_text: BlankText::Refused,
        // The signatures of a turn are checked together.
        reasoning: ReasoningPolicy::WholeTurn,
        summary: SummaryRole::User,
    };

    /// Where the provider reports token counts.
    pub(crate) const USAGE_FIELDS: UsageFields = UsageFields {
        prompt: &["/promptTokenCount"],
        extra_prompt: &["/toolUsePromptTokenCount"],
        completion: &["/candidatesTokenCount", "/responseTokenCount"],
        extra_completion: &["/thoughtsTokenCount"],
        total: &["/totalTokenCount"],
        cached: &["/cachedContentTokenCount"],
        reasoning: &["/thoughtsTokenCount"],
        ..UsageFields::NONE
    };
}

impl Dialect for Gemini {
    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError> {
        if !value.is_object() {
            return Err(ShapeError::expected("an object with role and parts", value));
        }
        Ok(reader::read(value))
    }

    fn set_result(&self, item: &mut Value, text: &str) {
        let Some(body) = body_mut(item, "functionResponse") else { return };
        // The key of a single text stays. Otherwise an error would become an ordinary output when it is
        // shortened.
        let key = body.get("response").and_then(only_text).map(|(key, _)| key.to_owned());
        let response = Map::from_iter([(key.unwrap_or("output".into()), text.into())]);
        body.insert("response".into(), response.into());
    }

    fn set_arguments(&self, item: &mut Value, arguments: &str) {
        let Some(body) = body_mut(item, "functionCall") else { return };
        // `args` is a structure in the API. Anything but an object would make the whole request invalid.
        if let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) {
            body.insert("args".into(), arguments.into());
        }
    }

    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value> {
        writer::write(turn, lost)
    }

    fn check(&self, message: &Value) -> Vec<Issue> {
        ROLES.check(message)
    }

    fn merge(&self, first: &mut Value, second: Value) {
        append(first, second, "parts", |text| json!({ "text": text }));
    }
}

impl Conformance for Gemini {
    fn recognizes(&self, sample: Sample<'_>) -> bool {
        let Sample::Message(message) = sample else { return false };
        let Some(Value::Array(parts)) = message.get("parts") else { return false };
        // Messages of the AI SDK UI have `parts` too, with types in them, and have ids.
        let is_ui_message = parts.iter().any(|part| part.get("type").is_some())
            || parts.is_empty() && message.get("id").is_some();
        !is_ui_message
    }

    fn accepts_arguments(&self, arguments: &str) -> bool {
        is_json_object(arguments)
    }

    fn normalize(&self, message: &mut Value) -> bool {
        ROLES.normalize(message)
    }
}

const ROLES: BlockRoles = BlockRoles {
    list: "parts",
    model: "model",
    is_call: |part| body(part, "functionCall").is_some(),
    is_result: |part| body(part, "functionResponse").is_some(),
};

#[cfg(test)]
mod tests;
