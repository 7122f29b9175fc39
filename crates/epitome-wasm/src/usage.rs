//! What a provider says a request took.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// Tokens of one call as the provider counted them, in our names or in those of Chat Completions, and how
/// long it took. Cached tokens count among those of the prompt, and reasoning among those of the
/// completion.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Tsify)]
#[serde(untagged, expecting = "expected { promptTokens, completionTokens }, each a whole number")]
pub enum Usage {
    /// In the names of this package.
    #[serde(rename_all = "camelCase")]
    Ours {
        /// Everything that was sent.
        prompt_tokens: u32,
        /// Everything that came back.
        completion_tokens: u32,
        /// How long it took, in milliseconds, where it was measured.
        #[tsify(optional)]
        duration_ms: Option<f64>,
    },
    /// In the names of Chat Completions.
    ChatCompletions {
        /// Everything that was sent.
        prompt_tokens: u32,
        /// Everything that came back.
        completion_tokens: u32,
        /// How long it took, in milliseconds, where it was measured.
        #[tsify(optional)]
        #[serde(rename = "durationMs")]
        duration_ms: Option<f64>,
    },
}

impl From<Usage> for epitome::message::Usage {
    fn from(usage: Usage) -> Self {
        match usage {
            Usage::Ours { prompt_tokens, completion_tokens, duration_ms }
            | Usage::ChatCompletions { prompt_tokens, completion_tokens, duration_ms } => {
                // Clocks tell fractions of a millisecond.
                let duration_ms = duration_ms.map(|duration_ms| duration_ms.round() as u32);
                Self { prompt_tokens, completion_tokens, duration_ms, ..Self::default() }
            }
        }
    }
}
