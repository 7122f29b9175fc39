//! The messages inside a file or a request body.

use std::fmt;

use serde_json::Value;

use crate::registry::kind;

/// A document that holds no conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentError {
    /// What was found, and what was expected.
    pub problem: String,
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for DocumentError {}

/// The keys under which request bodies and exports keep their messages.
const KEYS: [&str; 3] = ["messages", "contents", "input"];

/// The messages of a document: an array of them, or an object that has one as `messages`.
pub fn messages_of(document: Value) -> Result<Vec<Value>, DocumentError> {
    match document {
        Value::Array(messages) => Ok(messages),
        Value::Object(mut object) => {
            for key in KEYS {
                match object.remove(key) {
                    Some(Value::Array(messages)) => return Ok(messages),
                    Some(other) => {
                        let found = kind(&other);
                        let problem = format!("expected {key:?} to be an array, found {found}");
                        return Err(DocumentError { problem });
                    }
                    None => {}
                }
            }
            let keys: Vec<&str> = object.keys().map(String::as_str).take(5).collect();
            let problem = format!(
                "expected an array of messages or an object with \"messages\", found an object with {}",
                if keys.is_empty() { "nothing in it".to_owned() } else { keys.join(", ") }
            );
            Err(DocumentError { problem })
        }
        other => {
            let found = kind(&other);
            let problem = format!("expected an array of messages, found {found}");
            Err(DocumentError { problem })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_found_bare_or_in_a_request_body() {
        assert_eq!(messages_of(json!([1])), Ok(vec![json!(1)]));
        assert_eq!(messages_of(json!({ "model": "m", "messages": [] })), Ok(Vec::new()));
    }

    #[test]
    fn anything_else_is_refused_by_what_it_is() {
        let problem = |value| messages_of(value).unwrap_err().problem;
        assert_eq!(problem(json!(3)), "expected an array of messages, found a number");
        assert!(problem(json!({ "a": 1 })).ends_with("found an object with a"));
        assert!(problem(json!({ "messages": {} })).ends_with("found an object"));
    }
}
