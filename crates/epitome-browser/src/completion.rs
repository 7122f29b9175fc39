//! A prompt for a summarizer, and the completion that answers it.

use serde::Serialize;

/// What to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The system message; not sent if it is empty.
    pub system: String,
    /// The user message.
    pub user: String,
    /// The most tokens the answer may have.
    pub max_tokens: u32,
}

/// A complete answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The text, without white space before it and without a `<think>…</think>` at its start; never empty. If it was
    /// streamed, it is the deltas joined.
    pub text: String,
    /// Tokens, if the server reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<CompletionUsage>,
    /// Why the model stopped, in the server's words: mostly `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
}

/// Tokens of a completion as the server reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct CompletionUsage {
    /// Tokens of the prompt. Far fewer than estimated mean that the server truncated it silently.
    pub prompt_tokens: u32,
    /// Tokens of the answer, including reasoning.
    pub completion_tokens: u32,
}
