//! Why a compaction is made.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// Why a compaction is made: a trigger fired, or somebody asked for it; a request begins with a long
/// history; in the tool loop the last prompt was large, or very large or refused; or a reducer's own
/// condition holds, and nothing is summarized.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A trigger fired.
    Threshold,
    /// Somebody asked for it.
    #[default]
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

impl From<epitome::Reason> for Reason {
    fn from(reason: epitome::Reason) -> Self {
        match reason {
            epitome::Reason::Threshold => Self::Threshold,
            epitome::Reason::Manual => Self::Manual,
            epitome::Reason::RequestBoundary => Self::RequestBoundary,
            epitome::Reason::ReactiveMicro => Self::ReactiveMicro,
            epitome::Reason::ReactiveFull => Self::ReactiveFull,
            epitome::Reason::Reduce => Self::Reduce,
        }
    }
}

impl From<Reason> for epitome::Reason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Threshold => Self::Threshold,
            Reason::Manual => Self::Manual,
            Reason::RequestBoundary => Self::RequestBoundary,
            Reason::ReactiveMicro => Self::ReactiveMicro,
            Reason::ReactiveFull => Self::ReactiveFull,
            Reason::Reduce => Self::Reduce,
        }
    }
}
