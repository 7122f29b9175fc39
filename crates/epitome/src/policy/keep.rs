//! How much of the end of a conversation stays word for word.

use serde::{Deserialize, Serialize};

use super::trigger::share;

/// The tail of the conversation that a compaction does not change, as far as the target allows. A tool call is never
/// separated from its results: numbers of messages and rounds are rounded up to whole tool calls, tokens down.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Keep {
    /// At least this many messages.
    Messages(u32),
    /// At least this many rounds. A round is an assistant message with the results of its tool calls.
    Rounds(u32),
    /// At most this many tokens.
    Tokens(u32),
    /// At most this share of the window, from 0 to below 1.
    Fraction(f64),
}

/// The size of a tail, or of an exchange that may be added to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Messages in it.
    pub messages: u32,
    /// Rounds in it.
    pub rounds: u32,
    /// Tokens in it.
    pub tokens: u32,
}

impl Size {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            messages: self.messages.saturating_add(other.messages),
            rounds: self.rounds.saturating_add(other.rounds),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }
}

impl Keep {
    /// True if a tail of size `tail` should grow by one more exchange of size `next`.
    pub fn wants(&self, tail: Size, next: Size, window: u32) -> bool {
        match self {
            Self::Messages(messages) => tail.messages < *messages,
            Self::Rounds(rounds) => tail.rounds < *rounds,
            Self::Tokens(tokens) => tail.plus(next).tokens <= *tokens,
            Self::Fraction(fraction) => tail.plus(next).tokens <= share(window, *fraction),
        }
    }
}
