//! Why a compaction runs.

use serde::{Deserialize, Serialize};

/// Why a compaction runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The app asks for it without a reason: the session is compacted. It is carried out like `manual`.
    #[default]
    SessionCompaction,
    /// A trigger is met.
    Threshold,
    /// The app or its user asked for it.
    Manual,
    /// A request begins with a long history (trigger `requestBoundary`).
    RequestBoundary,
    /// A task of the workflow is complete, and the next one starts from a summary of it.
    TaskTransition,
    /// In the tool loop, the last prompt was large (trigger `reactive`): only the oldest rounds are summarized.
    ReactiveMicro,
    /// In the tool loop, the last prompt was very large or was rejected (trigger `reactive`): everything that may be
    /// summarized is.
    ReactiveFull,
    /// A message that the summary covered was changed or removed, so that the summary was undone (`staleSummary`).
    Renew,
    /// The condition of a reducer holds: reducers are applied, and nothing is summarized.
    Reduce,
}

impl Reason {
    /// True if the app or its user asked for the compaction, and no trigger did.
    pub fn is_asked_for(self) -> bool {
        matches!(self, Self::SessionCompaction | Self::Manual)
    }

    /// True for the reasons of the trigger `reactive`: the model is in its tool loop.
    pub fn is_reactive(self) -> bool {
        matches!(self, Self::ReactiveMicro | Self::ReactiveFull)
    }
}

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn g7_without_a_reason_the_session_is_compacted() {
        let named = serde_json::to_string(&Reason::default()).unwrap();
        assert_eq!(named, "\"session-compaction\"");
        assert!(Reason::default().is_asked_for() && !Reason::Threshold.is_asked_for());
    }
}
