//! What a message is made of.

use serde::{Deserialize, Serialize};

use super::CallId;

/// One piece of a message, in the order the model reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Plain text.
    Text {
        /// The text, as it came.
        text: String,
    },
    /// What the model thought, with the provider's seal on it. Goes or stays whole.
    Reasoning {
        /// Readable thoughts; empty where the provider hides them.
        text: String,
        /// The provider's opaque signature.
        signature: Option<String>,
    },
    /// A request by the model to run a tool.
    ToolCall {
        /// Pairs the call with its result.
        call: CallId,
        /// Name of the tool.
        name: String,
        /// The arguments as the provider wrote them: JSON, or what was left of it.
        arguments: String,
    },
    /// What a tool answered.
    ToolResult {
        /// The call that is answered; empty where the provider gave no id.
        call: CallId,
        /// Name of the tool, where the message tells.
        name: Option<String>,
        /// The answer as text.
        text: String,
    },
    /// Leave asked for to run a tool, or given, or refused.
    Approval {
        /// Pairs what was asked with what was answered.
        approval: String,
        /// The call that waits for it; `None` in an answer.
        call: Option<CallId>,
        /// What was answered; `None` in what was asked.
        granted: Option<bool>,
    },
    /// A picture.
    Image(Media),
    /// A document, a sound, or anything else that is attached.
    File(Media),
    /// A part this engine does not know. It is kept, and its size is counted.
    Other {
        /// The provider's name for it.
        kind: String,
        /// Its characters, as JSON.
        characters: u32,
    },
}

/// An attachment, told without its bytes: those stay with the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    /// Such as `image/png`.
    pub media_type: Option<String>,
    /// File name or address, where short enough to be one.
    pub name: Option<String>,
    /// Width and height in pixels, where known.
    pub pixels: Option<(u32, u32)>,
    /// How large it is, in bytes, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// True for what a provider itself has condensed earlier messages to.
    pub fn is_compaction(&self) -> bool {
        matches!(self, Self::Other { kind, .. } if kind.ends_with("compaction"))
    }

    /// True for a part with nothing in it that a model could read.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Text { text } => text.trim().is_empty(),
            Self::Reasoning { text, signature } => text.trim().is_empty() && signature.is_none(),
            _ => false,
        }
    }
}
