//! Token usage as a provider reports it.

use serde::{Deserialize, Serialize};

/// Tokens of one request and its answer, as the provider reported them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(rename = "UsageOfView"))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// All tokens that were sent: system prompt, tool schemas and messages, cached or not.
    pub prompt_tokens: u32,
    /// All tokens of the answer, including reasoning.
    pub completion_tokens: u32,
    /// Prompt tokens that were read from the provider's cache, if reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u32>,
    /// Prompt tokens that were written to the provider's cache, if reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u32>,
    /// Completion tokens that are reasoning, if reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u32>,
    /// Duration of the request in milliseconds, if the app measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u32>,
    /// The revision of the view that was sent, which is the compactor's `epoch` at that time. Absent: the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u32>,
}

impl Usage {
    /// Tokens in the window after the answer was added to the conversation: prompt and completion.
    pub(crate) fn context_tokens(&self) -> u32 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}
