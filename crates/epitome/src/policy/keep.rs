//! How much of the end of a conversation stays word for word.

use serde::{Deserialize, Serialize};

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
