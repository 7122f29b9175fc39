//! The messages inside a file or a request body.

use serde_json::Value;

use crate::shape::kind;

/// A document without a conversation in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct DocumentError {
    /// What was expected, and what was found.
    pub problem: String,
}

/// The keys under which request bodies and exports have their messages.
const KEYS: [&str; 3] = ["messages", "contents", "input"];

/// The messages of a document: an array of messages, or an object with one as `messages`, `contents` or
/// `input`.
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
    fn messages_are_found_in_an_array_or_a_request_body() {
        assert_eq!(messages_of(json!([1])), Ok(vec![json!(1)]));
        assert_eq!(messages_of(json!({ "model": "m", "messages": [] })), Ok(Vec::new()));
    }

    #[test]
    fn an_error_names_what_was_found_instead_of_messages() {
        let problem = |value| messages_of(value).unwrap_err().problem;
        assert_eq!(problem(json!(3)), "expected an array of messages, found a number");
        assert!(problem(json!({ "a": 1 })).ends_with("found an object with a"));
        assert!(problem(json!({ "messages": {} })).ends_with("found an object"));
    }
}
