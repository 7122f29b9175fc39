//! What is due at a phase of the app's work.

use super::{Compactor, Event, Output, State};
use crate::plan::Plan;
use crate::policy::Phase;
use crate::policy::Reason;

impl Compactor {
    /// Why a compaction is due at this phase of the app's work, for [`Self::compact`]; `None` where it
    /// is not. Costs O(1) in the history; where the condition of a reducer holds, as much as a plan, once
    /// for every message.
    ///
    /// A compaction is due only once the view of the last one has been sent to the model: an answer or a
    /// usage reading tells that it was.
    pub fn check(&mut self, phase: Phase) -> Option<Reason> {
        if phase == Phase::RequestStart {
            self.cycle.begin_request();
            self.recover();
        }
        self.cycle.phase = Some(phase);
        if self.is_busy() {
            return None;
        }
        self.warn();
        let due = self.due(phase);
        if due.is_none() && self.trims(phase) {
            // It looked, and there was nothing to save.
            self.cycle.trimmed_at = Some(self.log().len());
        }
        due
    }

    /// What [`Self::check`] would answer, for a display: without beginning a request, and without a
    /// warning.
    pub fn due(&self, phase: Phase) -> Option<Reason> {
        if self.is_busy() || matches!(self.state, State::Exhausted { .. }) {
            return None;
        }
        let load = self.conversation.load(&self.policy);
        let allowed = self.policy.reactive().map_or(0, |reactive| reactive.max_per_request);
        let due = match self.policy.reason_to_compact(phase, &load) {
            Some(Reason::ReactiveMicro | Reason::ReactiveFull)
                if self.cycle.reactions >= allowed =>
            {
                None
            }
            Some(Reason::Threshold | Reason::RequestBoundary) if !self.cycle.used => None,
            call => call,
        };
        if due.is_some() {
            return due;
        }
        let saves = || {
            let plan = Plan::without_requests(
                &self.conversation,
                &self.policy,
                Reason::Reduce,
                Some(phase),
            );
            plan.idle.is_none()
        };
        (self.trims(phase) && saves()).then_some(Reason::Reduce)
    }

    /// True where a reducer's own condition holds at this phase, and a message came since none found
    /// anything to save.
    fn trims(&self, phase: Phase) -> bool {
        let policy = &self.policy;
        let load = self.conversation.load(policy);
        let mut conditions = policy.reducers.iter().filter_map(|one| one.when.as_ref());
        self.cycle.trimmed_at != Some(self.log().len())
            && conditions.any(|when| when.reason_to_compact(phase, &load, policy.window).is_some())
    }

    fn warn(&mut self) {
        let Some(warning) = self.policy.warning_tokens() else { return };
        let tokens = self.pressure().tokens;
        if tokens >= warning && !self.cycle.warned {
            self.cycle.warned = true;
            self.outputs.push_back(Output::Event(Event::Warning {
                tokens,
                threshold: self.policy.threshold().unwrap_or(self.policy.window),
                budget_used_pct: self.percent(tokens),
            }));
        }
    }
}
