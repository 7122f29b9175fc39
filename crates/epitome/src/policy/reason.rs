//! Why a compaction is made.

use serde::{Deserialize, Serialize};

/// Why a compaction is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A trigger fired.
    Threshold,
    /// Somebody asked for it.
    Manual,
    /// A request begins with a long history: the session is compacted.
    RequestBoundary,
    /// In the tool loop, the last prompt was large: only the oldest rounds are summarized.
    ReactiveMicro,
    /// In the tool loop, the last prompt was very large or refused: all that may be is summarized.
    ReactiveFull,
    /// A reducer's own condition holds: nothing is summarized.
    Reduce,
}

impl Reason {
    /// True in the middle of a request, where the model is in its tool loop.
    pub fn is_reactive(self) -> bool {
        matches!(self, Self::ReactiveMicro | Self::ReactiveFull)
    }
}
