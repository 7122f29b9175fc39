//! How a compaction begins: its plan, and the decision that the host takes about it.

use super::job::Job;
use super::{Asked, CommandError, Compactor, Outcome, Output, State};
use crate::plan::{Plan, Scope};
use crate::policy::Reason;

impl Compactor {
    /// Starts a compaction. `instructions` is what the user asks the summarizer to pay attention to.
    ///
    /// With a summary, [`Output::Before`] comes first; with reducers only, [`Output::Persist`]. If nothing can
    /// be saved, the compaction ends at once, and its report says why.
    pub fn compact(
        &mut self,
        reason: Reason,
        instructions: Option<String>,
    ) -> Result<(), CommandError> {
        self.compact_within(reason, instructions, Scope::default())
    }

    /// The same for a compaction for which somebody has chosen what it may replace.
    pub fn compact_within(
        &mut self,
        reason: Reason,
        instructions: Option<String>,
        scope: Scope,
    ) -> Result<(), CommandError> {
        match &self.state {
            State::Idle => {}
            State::Paused { .. } if reason.is_asked_for() => {}
            State::Paused { reason } => return Err(CommandError::Exhausted(reason.clone())),
            _ => return Err(CommandError::Busy),
        }
        self.state = State::Idle;
        // Whatever comes of it: another attempt would end the same way.
        self.cycle.is_stale = false;
        if reason.is_reactive() {
            // Counted before the result is known. If only successes counted, an app that repeats a rejected
            // request would never reach the limit.
            let made = &mut self.cycle.reactive_compactions;
            *made = made.saturating_add(1);
        }
        if reason == Reason::TaskTransition {
            self.settle_task();
        }
        let policy = self.policy_for(reason)?;
        let phase = self.cycle.phase.filter(|_| reason == Reason::Reduce);
        let plan = Plan::without_requests(&self.conversation, &policy, reason, phase, &scope);
        if plan.idle.is_some() || !plan.summarizes {
            self.apply_reducers(&plan);
            return Ok(());
        }
        match Job::new(&self.conversation, &policy, plan.clone(), instructions) {
            Ok(Some(mut job)) => {
                // What ends where somebody has chosen is not made smaller.
                if scope.up_to.is_some() {
                    job.fallbacks.clear();
                }
                job.scope = scope;
                if self.end_if_nothing_saved(&mut job) {
                    return Ok(());
                }
                self.outputs.push_back(Output::Before(self.before(&job.plan)));
                self.state = State::Deciding { job: Box::new(job) };
            }
            Err(error) => self.end_failed(&plan, error.to_string(), &Asked::default()),
            Ok(None) => self.end_without_text(&plan),
        }
        Ok(())
    }

    pub(super) fn end_without_text(&mut self, plan: &Plan) {
        let message = "the messages to summarize have no text".to_owned();
        self.end_unchanged(plan, Outcome::Skipped { message }, &Asked::default());
    }
}
