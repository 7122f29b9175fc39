//! The parts of a message.

use epitome_text::is_blank;
use serde::{Deserialize, Serialize};

use super::CallId;

/// One part of a message's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// Reasoning of the model, with the provider's signature. It is kept or removed as a whole.
    Reasoning {
        /// The readable reasoning; empty if the provider hides it.
        text: String,
        /// The provider's opaque signature; `None` if the reasoning is not signed.
        signature: Option<String>,
    },
    /// A tool call by the model.
    ToolCall {
        /// The id that pairs the call with its result.
        call: CallId,
        /// Name of the tool.
        name: String,
        /// The arguments as the provider sent them: JSON, or a part of it after an aborted stream.
        arguments: String,
    },
    /// The result of a tool call.
    ToolResult {
        /// The id of the call; empty if the provider gave none.
        call: CallId,
        /// Name of the tool, if the message has it.
        name: Option<String>,
        /// The result as text.
        text: String,
    },
    /// A request for the user's approval of a tool call, or the response to one.
    Approval {
        /// The id that pairs the request with its response.
        approval: String,
        /// In a request, the call that waits for approval; `None` in a response.
        call: Option<CallId>,
        /// In a response, whether the call was approved; `None` in a request.
        granted: Option<bool>,
    },
    /// An image.
    Image(Media),
    /// A document, a sound or another attachment.
    File(Media),
    /// A part of a kind that the engine does not know. It is kept, and its characters are counted.
    Other {
        /// The provider's name for this kind of part.
        kind: String,
        /// Its length as JSON, in characters.
        characters: u32,
    },
}

/// What is known of an attachment. Its bytes stay in the app.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    /// The media type, such as `image/png`.
    pub media_type: Option<String>,
    /// File name or URL, if known and short.
    pub name: Option<String>,
    /// Width and height in pixels, if known.
    pub pixels: Option<(u32, u32)>,
    /// Size in bytes, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// True for a part into which the provider itself has compacted earlier messages.
    pub fn is_compaction(&self) -> bool {
        matches!(self, Self::Other { kind, .. } if kind.ends_with("compaction"))
    }

    /// True for reasoning with a signature of the provider.
    pub fn is_signed_reasoning(&self) -> bool {
        matches!(self, Self::Reasoning { signature: Some(_), .. })
    }

    /// True if a model finds nothing to read in the part: blank text, or blank reasoning without a signature.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Text { text } => is_blank(text),
            Self::Reasoning { text, signature } => is_blank(text) && signature.is_none(),
            _ => false,
        }
    }
}
