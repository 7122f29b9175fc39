//! The formats by name, and what reading and writing one means.

use std::fmt;

use epitome::Contract;
use epitome::history::PartChange;
use epitome::message::{Message, MessageId};
use epitome::policy::Family;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dialect::Dialect;
use crate::dialects::ai_sdk::model::AiSdkModel;
use crate::dialects::ai_sdk::ui::AiSdkUi;
use crate::dialects::anthropic::Anthropic;
use crate::dialects::bedrock::Bedrock;
use crate::dialects::gemini::Gemini;
use crate::dialects::langchain::LangChain;
use crate::dialects::openai_chat::OpenAiChat;
use crate::dialects::openai_responses::OpenAiResponses;
use crate::edit_message::extract;
use crate::issue::Issue;
use crate::steps::is_piece;

/// A format that this crate reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// OpenAI Chat Completions, and the many servers that speak it.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses input items: one item a call, a result, a thought or a message.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Vercel AI SDK `UIMessage`: what a chat page holds; a call and its result are one part.
    #[serde(rename = "ai-sdk-ui")]
    AiSdkUi,
    /// Vercel AI SDK `ModelMessage`: what goes to a model.
    #[serde(rename = "ai-sdk-model")]
    AiSdkModel,
    /// Gemini `Content`: user and model, made of parts.
    #[serde(rename = "gemini")]
    Gemini,
    /// LangChain messages, in both serialized forms.
    #[serde(rename = "langchain")]
    LangChain,
    /// Amazon Bedrock Converse messages.
    #[serde(rename = "bedrock")]
    Bedrock,
}

/// A message as the engine sees it, and what was odd about the original.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Its pieces, one at least, each a message to the engine: the first under the id of the whole, the others
    /// under that id with `#1`, `#2`, … behind it.
    pub messages: Vec<Message>,
    /// What was odd. Nothing was changed in the original for it.
    pub issues: Vec<Issue>,
}

/// A value that is no message at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError {
    /// What was found, and what was expected.
    pub problem: String,
}

impl ShapeError {
    /// Says what was expected in the place of a value.
    pub(crate) fn expected(what: &str, found: &Value) -> Self {
        Self { problem: format!("expected {what}, found {}", kind(found)) }
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for ShapeError {}

impl Format {
    /// Every format, in the order of the documentation.
    pub const ALL: [Self; 8] = [
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::AiSdkUi,
        Self::AiSdkModel,
        Self::Gemini,
        Self::LangChain,
        Self::Bedrock,
    ];

    /// The format's name, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::Anthropic => "anthropic",
            Self::OpenAiResponses => "openai-responses",
            Self::AiSdkUi => "ai-sdk-ui",
            Self::AiSdkModel => "ai-sdk-model",
            Self::Gemini => "gemini",
            Self::LangChain => "langchain",
            Self::Bedrock => "bedrock",
        }
    }

    /// The format's name, for a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::OpenAiChat => "OpenAI Chat Completions",
            Self::Anthropic => "Anthropic Messages",
            Self::OpenAiResponses => "OpenAI Responses",
            Self::AiSdkUi => "AI SDK UIMessage",
            Self::AiSdkModel => "AI SDK ModelMessage",
            Self::Gemini => "Gemini Content",
            Self::LangChain => "LangChain messages",
            Self::Bedrock => "Bedrock Converse",
        }
    }

    /// The format of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    pub(crate) fn dialect(self) -> &'static dyn Dialect {
        match self {
            Self::OpenAiChat => &OpenAiChat,
            Self::Anthropic => &Anthropic,
            Self::OpenAiResponses => &OpenAiResponses,
            Self::AiSdkUi => &AiSdkUi,
            Self::AiSdkModel => &AiSdkModel,
            Self::Gemini => &Gemini,
            Self::LangChain => &LangChain::Constructor,
            Self::Bedrock => &Bedrock,
        }
    }

    /// The models that its provider is known for: those an estimate is for where nobody names others.
    pub fn family(self) -> Family {
        match self {
            Self::Anthropic | Self::Bedrock => Family::Claude,
            Self::Gemini => Family::Gemini,
            Self::OpenAiChat
            | Self::OpenAiResponses
            | Self::AiSdkUi
            | Self::AiSdkModel
            | Self::LangChain => Family::O200kBase,
        }
    }

    /// What the provider accepts.
    pub fn contract(self) -> Contract {
        self.dialect().contract()
    }

    /// Reads one message. Untidy ones are read too, and what was odd is listed; only a value that is no
    /// message at all is refused, and an id that ends as those of pieces do. Linear in the message.
    pub fn read(self, id: &MessageId, value: &Value) -> Result<Reading, ShapeError> {
        if is_piece(id) {
            let problem = format!("the id {id:?} ends in # and a number, as the engine's own do");
            return Err(ShapeError { problem });
        }
        let content = self.dialect().read(value)?;
        Ok(Reading { messages: content.messages(id), issues: content.issues })
    }

    /// The message with some parts of its first piece changed; everything else in it is as it came. Linear
    /// in the message.
    pub fn rewrite(self, original: &Value, changes: &[PartChange]) -> Value {
        extract(self.dialect(), original, None, &[(0, changes)])
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::What;
    use crate::dialect::Turn;
    use epitome::message::{Part, Role};

    impl Format {
        /// A message of these parts, as [`Format::compose`] has one that the engine inserted.
        pub(crate) fn write(self, role: Role, parts: &[Part]) -> Value {
            let turn = Turn { role, author: None, items: parts.iter().map(What::of).collect() };
            let written = self.dialect().write(&turn, &mut Vec::new());
            written.into_iter().next().unwrap_or(Value::Null)
        }
    }

    #[test]
    fn every_format_has_the_name_that_it_is_found_by() {
        for format in Format::ALL {
            assert_eq!(Format::named(format.as_str()), Some(format));
            assert_eq!(serde_json::to_value(format).unwrap(), format.as_str());
        }
        assert_eq!(Format::named("morse"), None);
    }
}
