//! What the compactor remembers from one compaction to the next, so that it neither repeats itself nor loops.

use serde::{Deserialize, Serialize};

use crate::policy::{Phase, share};

/// Flags and counters of the time since the last summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cycle {
    /// True once the view that the last compaction left has been sent to the model. Until then, no automatic
    /// compaction is due: it would only compact the same messages further.
    pub(super) view_sent: bool,
    /// True once the warning event was emitted.
    pub(super) warned: bool,
    /// Reactive compactions since the present request began.
    pub(super) reactive_compactions: u32,
    /// Compactions since the present request began that failed.
    pub(super) failures: u32,
    /// Those since then that failed or saved too little for a prompt over the window.
    #[serde(default)]
    pub(super) failures_over_window: u32,
    /// Those since then that failed or saved too little after a rejected request.
    #[serde(default)]
    pub(super) failures_at_overflow: u32,
    /// Tokens of the next prompt at the last compaction that failed or saved too little.
    pub(super) failed_at_tokens: u32,
    /// The number of messages for which reducers are known to have nothing left to save. They run again only
    /// after another message, since a plan for every check would cost as much as the history is long.
    pub(super) nothing_to_reduce_at: Option<usize>,
    /// True if a summary was undone because a message that it covers has changed, and is to be made again.
    #[serde(default)]
    pub(super) is_stale: bool,
    /// The phase of the last check.
    pub(super) phase: Option<Phase>,
    /// How many tasks were completed when one was last summarized, successfully or not.
    #[serde(default)]
    pub(super) settled_tasks: usize,
}

impl Default for Cycle {
    fn default() -> Self {
        Self {
            view_sent: true,
            warned: false,
            reactive_compactions: 0,
            failures: 0,
            failures_over_window: 0,
            failures_at_overflow: 0,
            failed_at_tokens: 0,
            nothing_to_reduce_at: None,
            is_stale: false,
            phase: None,
            settled_tasks: 0,
        }
    }
}

/// After this many failures of one kind in one request, only the next request or a manual compaction tries again.
const MAX_FAILURES: u32 = 3;

/// Why a compaction was not applied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unapplied {
    Failed,
    /// In a long tool loop that is common, and once the loop has grown, another one saves more. So it is not counted.
    SavedTooLittle,
}

impl Cycle {
    /// A user request begins: the counters per request start at 0.
    pub(super) fn begin_request(&mut self) {
        self.reactive_compactions = 0;
        self.failures = 0;
        self.failures_over_window = 0;
        self.failures_at_overflow = 0;
    }

    /// A compaction failed or saved too little, at `tokens` tokens.
    pub(super) fn handle_unapplied(&mut self, why: Unapplied, tokens: u32, window: u32) {
        let counts = [
            (why == Unapplied::Failed, &mut self.failures),
            (tokens > window, &mut self.failures_over_window),
            (self.phase == Some(Phase::Overflow), &mut self.failures_at_overflow),
        ];
        for (_, count) in counts.into_iter().filter(|(counts, _)| *counts) {
            *count = count.saturating_add(1);
        }
        self.failed_at_tokens = tokens;
    }

    /// True if another attempt may be made after a message more: if the conversation has grown enough since the last one, or if the
    /// prompt is over the window, so that it cannot be sent without a compaction.
    pub(super) fn may_retry(&self, tokens: u32, window: u32) -> bool {
        if tokens > window {
            return self.failures_over_window < MAX_FAILURES;
        }
        let grown = tokens.saturating_sub(self.failed_at_tokens);
        self.failures < MAX_FAILURES && grown >= share(window, 0.05)
    }

    /// True if not even a rejected request is a reason to try again. What failed while there was room does not count: what
    /// saved too little then may be just what makes the request fit.
    pub(super) fn is_exhausted_at_overflow(&self) -> bool {
        self.failures_at_overflow >= MAX_FAILURES
    }

    /// The cycle after a committed summary. The counters per request stay.
    pub(super) fn next(&self) -> Self {
        // A summary does not begin a request. If it reset these counters, one long request could compact
        // without end.
        Self {
            view_sent: false,
            warned: false,
            failed_at_tokens: 0,
            nothing_to_reduce_at: None,
            is_stale: false,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_per_request_is_counted_beyond_a_summary() {
        let mut cycle = Cycle { reactive_compactions: 2, settled_tasks: 1, ..Cycle::default() };
        cycle.handle_unapplied(Unapplied::Failed, 100, 200);
        cycle.phase = Some(Phase::Overflow);
        for _ in 0..MAX_FAILURES {
            assert!(!cycle.is_exhausted_at_overflow() && cycle.may_retry(300, 200));
            cycle.handle_unapplied(Unapplied::Failed, 300, 200);
        }
        let next = cycle.next();
        assert_eq!((next.view_sent, next.failed_at_tokens), (false, 0));
        for cycle in [cycle, next] {
            assert!(cycle.is_exhausted_at_overflow() && !cycle.may_retry(300, 200));
            assert_eq!((cycle.failures, cycle.reactive_compactions), (4, 2));
            assert_eq!((cycle.phase, cycle.settled_tasks), (Some(Phase::Overflow), 1));
        }
    }
}
