//! Why a compaction runs.

use serde::{Deserialize, Serialize};

/// Why a compaction runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A trigger is met.
    Threshold,
    /// The app or its user asked for it.
    Manual,
    /// A request begins with a long history (trigger `requestBoundary`).
    RequestBoundary,
    /// In the tool loop, the last prompt was large (trigger `reactive`): only the oldest rounds are summarized.
    ReactiveMicro,
    /// In the tool loop, the last prompt was very large or was rejected (trigger `reactive`): everything that may be
    /// summarized is.
    ReactiveFull,
    /// The condition of a reducer holds: reducers are applied, and nothing is summarized.
    Reduce,
}

impl Reason {
    /// True for the reasons of the trigger `reactive`: the model is in its tool loop.
    pub fn is_reactive(self) -> bool {
        matches!(self, Self::ReactiveMicro | Self::ReactiveFull)
    }
}
