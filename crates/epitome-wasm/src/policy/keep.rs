//! How much of the end of a conversation stays word for word.

use epitome::policy;
use serde::Serialize;
use tsify::Tsify;

/// The tail that a compaction leaves alone, where there is room for it. Calls stay with their results.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
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

impl From<policy::Keep> for Keep {
    fn from(keep: policy::Keep) -> Self {
        match keep {
            policy::Keep::Messages(messages) => Self::Messages(messages),
            policy::Keep::Rounds(rounds) => Self::Rounds(rounds),
            policy::Keep::Tokens(tokens) => Self::Tokens(tokens),
            policy::Keep::Fraction(fraction) => Self::Fraction(fraction),
        }
    }
}
