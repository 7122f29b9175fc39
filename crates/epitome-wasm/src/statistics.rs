//! What the provider's counts add up to.

use epitome::tokens;
use serde::Serialize;
use tsify::Tsify;

/// Usage of the latest call and of all calls, as `usage` was told.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Statistics {
    /// Prompt tokens of the latest call.
    pub last_prompt_tokens: u32,
    /// Completion tokens of the latest call.
    pub last_completion_tokens: u32,
    /// Prompt tokens of all calls.
    pub session_prompt_tokens: f64,
    /// Completion tokens of all calls.
    pub session_completion_tokens: f64,
    /// Prompt and completion tokens of the latest call: what the window holds after it.
    pub context_tokens: u32,
    /// Completion tokens a second in the latest call that told how long it took; 0 before one did.
    pub tokens_per_second: f64,
}

impl From<tokens::Statistics> for Statistics {
    fn from(statistics: tokens::Statistics) -> Self {
        let tokens::Statistics {
            last_prompt_tokens,
            last_completion_tokens,
            session_prompt_tokens,
            session_completion_tokens,
            context_tokens,
            tokens_per_second,
        } = statistics;
        Self {
            last_prompt_tokens,
            last_completion_tokens,
            session_prompt_tokens: session_prompt_tokens as f64,
            session_completion_tokens: session_completion_tokens as f64,
            context_tokens,
            tokens_per_second,
        }
    }
}
