//! Why a compaction is made.

use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// Why a compaction is made: a trigger fired, or somebody asked for it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// A trigger fired.
    Threshold,
    /// Somebody asked for it.
    #[default]
    Manual,
}

impl From<epitome::Reason> for Reason {
    fn from(reason: epitome::Reason) -> Self {
        match reason {
            epitome::Reason::Threshold => Self::Threshold,
            epitome::Reason::Manual => Self::Manual,
        }
    }
}

impl From<Reason> for epitome::Reason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Threshold => Self::Threshold,
            Reason::Manual => Self::Manual,
        }
    }
}
