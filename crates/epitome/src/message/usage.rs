//! What a provider says a request took.

use serde::{Deserialize, Serialize};

/// Tokens of one call, in the provider's own count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(rename = "UsageOfView"))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Everything that was sent: system prompt, tool schemas, messages, cached or not.
    pub prompt_tokens: u32,
    /// Everything that came back, reasoning included.
    pub completion_tokens: u32,
    /// Those of the prompt that came out of the provider's cache, where it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u32>,
    /// Those of the prompt that went into the provider's cache, where it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u32>,
    /// Those of the completion that are thoughts, where the provider tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u32>,
    /// How long it took, in milliseconds, where the host measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u32>,
    /// Which view was sent: [`Compactor::epoch`](crate::Compactor::epoch) at that time. `None`: the
    /// present one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u32>,
}

impl Usage {
    /// Tokens in the window once the answer is part of the conversation.
    pub fn context_tokens(&self) -> u32 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
}
