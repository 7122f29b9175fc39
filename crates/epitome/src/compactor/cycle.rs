//! What is remembered between two compactions, and forgotten with the next one.

use serde::{Deserialize, Serialize};

use crate::policy::{Phase, share};

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
    /// Compactions for the present request that came to nothing, and how many tokens there were at the
    /// last of them.
    pub(super) failures: u32,
    /// See `failures`.
    pub(super) failed_at_tokens: u32,
    /// How many messages there were when reducers last found nothing.
    pub(super) trimmed_at: Option<usize>,
    /// The phase that was last looked at.
    pub(super) phase: Option<Phase>,
}

impl Default for Cycle {
    fn default() -> Self {
        Self {
            used: true,
            warned: false,
            reactions: 0,
            failures: 0,
            failed_at_tokens: 0,
            trimmed_at: None,
            phase: None,
        }
    }
}

/// How often a compaction for one request may come to nothing before only another request, or somebody by
/// hand, has it tried again.
const MOST_FAILURES: u32 = 3;

impl Cycle {
    /// A request begins: what counts by the request counts anew.
    pub(super) fn begin_request(&mut self) {
        self.reactions = 0;
        self.failures = 0;
    }

    /// A compaction came to nothing, at this many tokens.
    pub(super) fn fail(&mut self, tokens: u32) {
        self.failures = self.failures.saturating_add(1);
        self.failed_at_tokens = tokens;
    }

    /// True where there is more to compact than when it last came to nothing, and it may be tried again.
    pub(super) fn may_try(&self, tokens: u32, window: u32) -> bool {
        let grown = tokens.saturating_sub(self.failed_at_tokens);
        self.failures < MOST_FAILURES && grown >= share(window, 0.05)
    }

    /// The cycle after a compaction. What belongs to the present request goes on.
    pub(super) fn next(&self) -> Self {
        let Self { reactions, failures, phase, .. } = *self;
        Self { used: false, reactions, failures, phase, ..Self::default() }
    }
}
