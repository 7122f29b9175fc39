//! What is remembered between two compactions, and forgotten with the next one.

use serde::{Deserialize, Serialize};

use crate::policy::Moment;

/// Flags and counters of one cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cycle {
    /// True once the view of the last compaction has been sent to the model: before that, another one
    /// would build on something untried.
    pub(super) used: bool,
    /// True once the warning was given.
    pub(super) warned: bool,
    /// Compactions in the loop of the present request.
    pub(super) reactions: u32,
    /// How many messages there were when reducers last found nothing.
    pub(super) trimmed_at: Option<usize>,
    /// The moment that was last looked at.
    pub(super) moment: Option<Moment>,
}

impl Default for Cycle {
    fn default() -> Self {
        Self { used: true, warned: false, reactions: 0, trimmed_at: None, moment: None }
    }
}

impl Cycle {
    /// The cycle after a compaction. What belongs to the present request goes on.
    pub(super) fn next(&self) -> Self {
        Self { used: false, reactions: self.reactions, moment: self.moment, ..Self::default() }
    }
}
