//! The formats by name, and what reading and writing one means.

use std::fmt;

use epitome::Contract;
use epitome::history::PartChange;
use epitome::message::{Message, MessageId, Part, Role};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::openai_chat;

/// A format that this crate reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// OpenAI Chat Completions, and the many servers that speak it.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
}

/// A message as the engine sees it, and what was odd about the original.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The message.
    pub message: Message,
    /// What was odd. Nothing was changed in the original for it.
    pub surprises: Vec<Surprise>,
}

/// Something that a provider may refuse, and how it was read all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Surprise {
    /// Where in the message, as `content[2].text`.
    pub path: String,
    /// What is odd and how it is read, as a sentence's end.
    pub message: String,
}

/// A value that is no message at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError {
    /// What was found, and what was expected.
    pub problem: String,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for ShapeError {}

impl Format {
    /// Every format, in the order of the documentation.
    pub const ALL: [Self; 1] = [Self::OpenAiChat];

    /// The format's name, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
        }
    }

    /// The format of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    /// What the provider accepts.
    pub fn contract(self) -> Contract {
        match self {
            Self::OpenAiChat => openai_chat::CONTRACT,
        }
    }

    /// Reads one message. Untidy ones are read too, and what was odd is listed; only a value that is no
    /// object is refused. Linear in the message.
    pub fn read(self, id: MessageId, value: &Value) -> Result<Reading, ShapeError> {
        match self {
            Self::OpenAiChat => openai_chat::read(id, value),
        }
    }

    /// The message with some of its parts changed; everything else in it is as it came. Linear in the
    /// message.
    pub fn rewrite(self, original: &Value, changes: &[PartChange]) -> Value {
        match self {
            Self::OpenAiChat => openai_chat::rewrite(original, changes),
        }
    }

    /// Writes a message that the engine inserted.
    pub fn write(self, role: Role, parts: &[Part]) -> Value {
        match self {
            Self::OpenAiChat => openai_chat::write(role, parts),
        }
    }
}

/// What kind of JSON a value is, for messages to a person.
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
