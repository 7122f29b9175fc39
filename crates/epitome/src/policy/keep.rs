//! How much of the end of a conversation stays word for word.

use serde::{Deserialize, Serialize};

use super::trigger::share;

/// The tail that a compaction leaves alone, where there is room for it. It is counted in whole
/// exchanges: a count of messages or rounds is rounded up to one, a count of tokens down.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum Keep {
    /// At least this many messages.
    Messages(u32),
    /// At least this many rounds: an assistant message with its results.
    Rounds(u32),
    /// At most this many tokens.
    Tokens(u32),
    /// At most this share of the window, 0 to 1.
    Fraction(f64),
}

/// What an exchange adds to a tail.
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
    /// Both together.
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
    /// True where a tail of size `tail` should grow by one more exchange of size `next`.
    pub fn wants(&self, tail: Size, next: Size, window: u32) -> bool {
        match self {
            Self::Messages(messages) => tail.messages < *messages,
            Self::Rounds(rounds) => tail.rounds < *rounds,
            Self::Tokens(tokens) => tail.plus(next).tokens <= *tokens,
            Self::Fraction(fraction) => tail.plus(next).tokens <= share(window, *fraction),
        }
    }
}
