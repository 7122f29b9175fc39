//! Whether a compaction is due at a phase of the app's request loop.

use super::{Compactor, Event, Output, State};
use crate::message::Role;
use crate::plan::{Plan, Scope};
use crate::policy::Phase;
use crate::policy::Reason;

impl Compactor {
    /// Why a compaction is due at this phase of the request loop, to be passed to [`Self::compact`]; `None` if
    /// none is due. Costs O(1); if the condition of a reducer is met, as much as a plan, once per message. If the policy has
    /// `prepareAt` and it is reached, the next summary begins to be written.
    ///
    /// No automatic compaction is due before the view that the last one left has been sent to the model. An
    /// appended answer or a reported usage shows that it was.
    pub fn check(&mut self, phase: Phase) -> Option<Reason> {
        // An app may begin a request without a new user message, for example when it retries one.
        if phase == Phase::RequestStart {
            self.cycle.begin_request();
            self.resume_automatic();
        }
        self.cycle.phase = Some(phase);
        if self.is_busy() {
            return None;
        }
        if !self.is_paused(phase) {
            self.resume_automatic();
        }
        self.warn();
        self.pass_over_small_task();
        let due = self.due(phase);
        if due.is_none() && self.reducer_is_due(phase) {
            // The plan that `due` made had nothing to save, and the same plan would not have more.
            self.cycle.nothing_to_reduce_at = Some(self.log().len());
        }
        if due.is_none() {
            self.prepare();
        }
        // After a restore, and after a failure.
        self.blend_memory();
        due
    }

    /// The phase before the next request, for an app that does not say: inside of a request behind a tool result, and at its
    /// start behind any other message.
    pub fn phase(&self) -> Phase {
        let last = self.log().messages().next_back();
        match last.is_some_and(|message| message.role == Role::Tool) {
            true => Phase::Loop,
            false => Phase::RequestStart,
        }
    }

    /// What [`Self::check`] would return, for display: does not begin a request and emits no warning.
    pub fn due(&self, phase: Phase) -> Option<Reason> {
        if self.is_busy() || self.is_paused(phase) {
            return None;
        }
        if phase != Phase::Overflow && self.is_task_due() {
            return Some(Reason::TaskTransition);
        }
        let load = self.conversation.load(&self.policy);
        let is_stale = self.cycle.is_stale.then_some(Reason::Renew);
        let reactive = self.policy.reactive();
        let allowed = reactive.map_or(u32::MAX, |reactive| reactive.max_per_request);
        let due = match self.policy.reason_to_compact(phase, &load) {
            Some(Reason::ReactiveMicro | Reason::ReactiveFull)
                if self.cycle.reactive_compactions >= allowed =>
            {
                None
            }
            Some(Reason::Threshold | Reason::RequestBoundary) if !self.cycle.view_sent => None,
            reason => reason,
        };
        let due = due.or(is_stale);
        if due.is_some() {
            return due;
        }
        // A plan costs far more than the triggers, so it is made only if no trigger is met and the condition of
        // a reducer is.
        let saves = || {
            let plan = Plan::without_requests(
                &self.conversation,
                &self.policy,
                Reason::Reduce,
                Some(phase),
                &Scope::default(),
            );
            plan.idle.is_none()
        };
        (self.reducer_is_due(phase) && saves()).then_some(Reason::Reduce)
    }

    /// True if an earlier compaction of this request failed or saved too little, so that none is due. A rejected
    /// request is a reason to try again: without a compaction it cannot be sent at all.
    fn is_paused(&self, phase: Phase) -> bool {
        matches!(self.state, State::Paused { .. })
            && (phase != Phase::Overflow || self.cycle.is_exhausted_at_overflow())
    }

    /// True if the condition of any reducer is met at this phase, and a message was appended since the reducers
    /// last had nothing to save.
    fn reducer_is_due(&self, phase: Phase) -> bool {
        let policy = &self.policy;
        let load = self.conversation.load(policy);
        let mut conditions = policy.reducers.iter().filter_map(|rule| rule.when.as_ref());
        self.cycle.nothing_to_reduce_at != Some(self.log().len())
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
