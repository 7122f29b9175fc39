//! How much of the end of a conversation stays word for word.

use serde::{Deserialize, Serialize};

/// The tail of the conversation that a compaction does not change, as far as the target allows. A tool call is never
/// separated from its results: numbers of messages and rounds are rounded up to whole tool calls, tokens down.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
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
