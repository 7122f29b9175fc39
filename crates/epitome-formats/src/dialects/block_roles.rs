//! Who may call tools and who answers, in formats whose messages of user and model are lists of blocks.

use serde_json::Value;

use crate::issue::{Issue, IssueCode};
use crate::path::Path;

/// How a format with such messages names what this is about.
pub(super) struct BlockRoles {
    /// The key of the list of blocks.
    pub(super) list: &'static str,
    /// The role of the model.
    pub(super) model: &'static str,
    pub(super) is_call: fn(&Value) -> bool,
    pub(super) is_result: fn(&Value) -> bool,
}

impl BlockRoles {
    /// Results in a message of the model, and calls in one of the user.
    pub(super) fn check(&self, message: &Value) -> Vec<Issue> {
        let (is_wrong, code, problem): (fn(&Value) -> bool, _, _) = match self.role(message) {
            Some(Role::Model) => (
                self.is_result,
                IssueCode::MisplacedResult,
                "a result is in a message of the model; put it into one of the user",
            ),
            Some(Role::User) => (
                self.is_call,
                IssueCode::UnknownRole,
                "a call is in a message of the user; only the model calls tools",
            ),
            None => return Vec::new(),
        };
        let blocks = self.blocks(message).iter().enumerate();
        let found = blocks
            .filter(|(_, block)| is_wrong(block))
            .map(|(index, _)| Issue::new(&Path::key(self.list).at(index), code, problem));
        found.collect()
    }

    /// Gives a message the role that all of its blocks need. True if it was changed.
    pub(super) fn normalize(&self, message: &mut Value) -> bool {
        let blocks = self.blocks(message);
        let role = match self.role(message) {
            _ if blocks.is_empty() => return false,
            Some(Role::Model) if blocks.iter().all(self.is_result) => "user",
            Some(Role::User) if blocks.iter().all(self.is_call) => self.model,
            _ => return false,
        };
        let Value::Object(fields) = message else { return false };
        fields.insert("role".into(), role.into());
        true
    }

    fn role(&self, message: &Value) -> Option<Role> {
        match message.get("role").and_then(Value::as_str) {
            Some("user") => Some(Role::User),
            Some(role) if role == self.model => Some(Role::Model),
            _ => None,
        }
    }

    fn blocks<'a>(&self, message: &'a Value) -> &'a [Value] {
        message.get(self.list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }
}

/// One of the two roles that such a format has.
enum Role {
    User,
    Model,
}

#[cfg(test)]
mod tests {
    use crate::{Format, IssueCode, Strictness, repair, validate};
    use serde_json::{Value, json};

    /// What is refused in the second message, with another role, and what is left of it after a repair.
    fn check(format: Format, mut messages: Value, role: &str, expected: IssueCode) {
        let messages = messages.as_array_mut().unwrap();
        let right = messages.clone();
        messages[2]["role"] = role.into();
        let codes: Vec<IssueCode> = validate(messages, format, Strictness::Provider)
            .into_iter()
            .map(|issue| issue.code)
            .collect();
        assert!(codes.contains(&expected), "{format:?}: {codes:?}");
        assert_eq!(validate(&right, format, Strictness::Provider), [], "{format:?}");
        assert_eq!(repair(messages, format).left, [], "{format:?}");
    }

    #[test]
    fn a3_results_of_the_model_are_refused_and_repaired() {
        let call = json!({ "type": "tool_use", "id": "a", "name": "f", "input": {} });
        let result = json!({ "type": "tool_result", "tool_use_id": "a", "content": "42" });
        let messages = json!([
            { "role": "user", "content": "hi" },
            { "role": "assistant", "content": [call] },
            { "role": "user", "content": [result] },
        ]);
        check(Format::Anthropic, messages, "assistant", IssueCode::MisplacedResult);
        let call = json!({ "functionCall": { "name": "f", "args": {} } });
        let response =
            json!({ "functionResponse": { "name": "f", "response": { "output": "42" } } });
        let messages = json!([
            { "role": "user", "parts": [{ "text": "hi" }] },
            { "role": "model", "parts": [call] },
            { "role": "user", "parts": [response] },
        ]);
        check(Format::Gemini, messages, "model", IssueCode::MisplacedResult);
    }
}
