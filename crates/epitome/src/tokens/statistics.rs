//! Sums of the provider's token counts over a conversation.

use serde::{Deserialize, Serialize};

use crate::message::Usage;

/// Tokens that the provider reported for the latest call, and for all calls of the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Statistics {
    /// Prompt tokens of the latest call.
    pub last_prompt_tokens: u32,
    /// Completion tokens of the latest call.
    pub last_completion_tokens: u32,
    /// Prompt tokens of all calls.
    pub session_prompt_tokens: u64,
    /// Completion tokens of all calls.
    pub session_completion_tokens: u64,
    /// Prompt and completion tokens of the latest call: the tokens in the window after it.
    pub context_tokens: u32,
    /// Completion tokens per second of the latest call with a known duration; 0 if none has one.
    pub tokens_per_second: f64,
}

impl Statistics {
    /// Adds the usage of one call.
    pub fn record(&mut self, usage: &Usage) {
        self.last_prompt_tokens = usage.prompt_tokens;
        self.last_completion_tokens = usage.completion_tokens;
        self.session_prompt_tokens += u64::from(usage.prompt_tokens);
        self.session_completion_tokens += u64::from(usage.completion_tokens);
        self.context_tokens = usage.context_tokens();
        if let Some(duration_ms) = usage.duration_ms.filter(|duration_ms| *duration_ms > 0)
            && usage.completion_tokens > 0
        {
            let seconds = f64::from(duration_ms) / 1_000.0;
            self.tokens_per_second = f64::from(usage.completion_tokens) / seconds;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b11_every_call_counts_for_itself_and_for_the_session() {
        let mut statistics = Statistics::default();
        let usage = |prompt_tokens, completion_tokens, duration_ms| Usage {
            prompt_tokens,
            completion_tokens,
            duration_ms,
            ..Usage::default()
        };
        statistics.record(&usage(1_000, 50, Some(500)));
        statistics.record(&usage(1_200, 30, None));
        let expected = Statistics {
            last_prompt_tokens: 1_200,
            last_completion_tokens: 30,
            session_prompt_tokens: 2_200,
            session_completion_tokens: 80,
            context_tokens: 1_230,
            tokens_per_second: 100.0,
        };
        assert_eq!(statistics, expected);
    }
}
