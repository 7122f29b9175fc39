//! The error for a value that is not a message, and names of JSON types for messages to people.

use serde_json::Value;

/// A value that is not a message of the format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct ShapeError {
    /// What was expected, and what was found.
    pub problem: String,
}

impl ShapeError {
    /// An error that names the expected shape and the JSON type of the value.
    pub(crate) fn expected(shape: &str, found: &Value) -> Self {
        Self { problem: format!("expected {shape}, found {}", kind(found)) }
    }
}

/// The JSON type of a value, with its article: "an array".
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
