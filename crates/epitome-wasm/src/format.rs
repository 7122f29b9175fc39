//! The formats by name.

use serde::Serialize;
use tsify::Tsify;

use crate::error::{PackageErrorCode, Thrown};

/// A format that messages are read from and written to.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
pub enum Format {
    /// `OpenAI` Chat Completions, and the many servers that speak it.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// `OpenAI` Responses input items.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Anthropic Messages.
    #[serde(rename = "anthropic")]
    Anthropic,
    /// Vercel AI SDK `UIMessage`.
    #[serde(rename = "ai-sdk-ui")]
    AiSdkUi,
    /// Vercel AI SDK `ModelMessage`.
    #[serde(rename = "ai-sdk-model")]
    AiSdkModel,
    /// Gemini `Content`.
    #[serde(rename = "gemini")]
    Gemini,
    /// `LangChain` messages, in both serialized forms.
    #[serde(rename = "langchain")]
    LangChain,
    /// Amazon Bedrock Converse messages.
    #[serde(rename = "bedrock")]
    Bedrock,
}

impl From<epitome_formats::Format> for Format {
    fn from(format: epitome_formats::Format) -> Self {
        match format {
            epitome_formats::Format::OpenAiChat => Self::OpenAiChat,
            epitome_formats::Format::OpenAiResponses => Self::OpenAiResponses,
            epitome_formats::Format::Anthropic => Self::Anthropic,
            epitome_formats::Format::AiSdkUi => Self::AiSdkUi,
            epitome_formats::Format::AiSdkModel => Self::AiSdkModel,
            epitome_formats::Format::Gemini => Self::Gemini,
            epitome_formats::Format::LangChain => Self::LangChain,
            epitome_formats::Format::Bedrock => Self::Bedrock,
        }
    }
}

/// The format of a name.
pub(crate) fn named(name: &str) -> Result<epitome_formats::Format, Thrown> {
    epitome_formats::Format::named(name).ok_or_else(|| {
        let known = epitome_formats::Format::ALL.map(epitome_formats::Format::as_str).join(", ");
        let problem = format!("format: {name:?} is no format that can be read; there are {known}");
        Thrown::new(PackageErrorCode::UnknownFormat, &problem)
    })
}
