//! From task to task of a workflow: the next one starts from a summary of the last one, of each agent's own or one for all.

use super::job::Job;
use super::{CommandError, Compactor, Outcome};
use crate::history::Record;
use crate::message::MessageId;
use crate::plan::Plan;
use crate::policy::{Policy, Reason};
use crate::tokens::MeterTokens;

/// What is to be done about the last completed task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transition {
    /// Nothing: a summary covers it, or an attempt has failed.
    Done,
    /// Nothing yet: the summary for all agents is not written.
    Waits,
    /// Nothing: its messages have fewer tokens than the policy asks for.
    Small,
    /// It is to be summarized.
    Due,
}

impl Compactor {
    /// Says that a task of the workflow is complete: the conversation up to here was for it. From now on, [`Self::check`] of
    /// each agent, and of this compactor, returns [`Reason::TaskTransition`] until the messages of the task are summarized or
    /// that was tried. The messages that follow belong to the next task, and stay.
    ///
    /// With `tasks.sharedBy` in the policy, this compactor has the summary of what is for everyone written, and the agents take
    /// it over without a request: each with the facts of what only it has seen behind it. Until then, nothing is due for them.
    /// If there is nothing to share, each has its own written.
    pub fn complete_task(&mut self, name: String) -> Result<(), CommandError> {
        self.refuse_to_agents()?;
        let shared = self.policy.tasks.shared_by.is_some();
        self.conversation.append(Record::Task { name, shared })?;
        self.resume_automatic();
        Ok(())
    }

    fn transition(&self) -> Transition {
        let log = self.log();
        let (covered, end) = (self.conversation.projection().covered, log.task_end());
        if covered >= end || self.cycle.settled_tasks == log.tasks_completed() {
            return Transition::Done;
        }
        if log.shares_task() && self.is_agent() && log.task_summary().is_none() {
            return Transition::Waits;
        }
        let tokens: MeterTokens = (covered..end).map(|at| self.conversation.seen_tokens(at)).sum();
        match self.scale().to_provider(tokens) < self.policy.tasks.min_tokens {
            true => Transition::Small,
            false => Transition::Due,
        }
    }

    /// True if the messages of a completed task are to be summarized.
    pub(super) fn is_task_due(&self) -> bool {
        self.transition() == Transition::Due
    }

    /// A completed task that is too small stays as it is.
    pub(super) fn pass_over_small_task(&mut self) {
        if self.transition() == Transition::Small {
            self.settle_task();
            self.share_nothing();
        }
    }

    /// The last completed task is not tried again.
    pub(super) fn settle_task(&mut self) {
        self.cycle.settled_tasks = self.log().tasks_completed();
    }

    /// The policy of a compaction: for the summary that all agents share, with the settings of the agent that writes it.
    pub(super) fn policy_for(&mut self, reason: Reason) -> Result<Policy, CommandError> {
        let mut policy = self.policy.clone();
        if reason == Reason::TaskTransition
            && !self.is_agent()
            && self.log().shares_task()
            && let Some(name) = &policy.tasks.shared_by
        {
            let summary = self.agent(name)?.policy().summary.clone();
            policy.summary = summary;
        }
        Ok(policy)
    }

    /// After a compaction that changed nothing.
    pub(super) fn end_transition(&mut self, plan: &Plan, outcome: &Outcome) {
        match outcome {
            _ if plan.reason != Reason::TaskTransition => {}
            Outcome::Skipped { .. } => self.share_nothing(),
            // Another attempt may succeed.
            Outcome::Failed { .. } => {
                self.cycle.settled_tasks = self.cycle.settled_tasks.saturating_sub(1);
            }
            Outcome::Applied { .. } | Outcome::Cancelled => {}
        }
    }

    /// Gives all agents the summary of the task, which was just committed.
    pub(super) fn share_task_summary(&mut self) {
        let cover = self.conversation.projection().cover.as_ref();
        let text = cover.map(|cover| cover.text_to_continue()).unwrap_or_default();
        self.share(text);
    }

    fn share_nothing(&mut self) {
        self.share(String::new());
    }

    fn share(&mut self, text: String) {
        if !self.is_agent() && self.log().shares_task() {
            // This cannot fail: nothing in the log refers to it.
            let _ = self.conversation.append(Record::TaskSummary { text });
        }
    }

    /// Takes the shared summary of a task back before one of its messages is changed: the summary is about the message as it
    /// was. Agents that did not take it over yet have their own written.
    pub(super) fn take_back_task_summary(&mut self, id: &MessageId) {
        let is_in_task = self.log().position(id).is_some_and(|at| at < self.log().task_end());
        if is_in_task && self.log().task_summary().is_some_and(|text| !text.is_empty()) {
            self.share_nothing();
        }
    }

    /// The summary of the completed task that all agents share, for this compaction of an agent; `None` if it has its own
    /// written. An earlier summary that the agent's own summarizer has written comes before it, if there is room for both; its
    /// facts are kept in any case as far as the ledger has room.
    pub(super) fn shared_summary(&self, job: &Job) -> Option<String> {
        let log = self.log();
        let is_asked = job.plan.reason == Reason::TaskTransition && job.instructions.is_none();
        let shared =
            log.task_summary().filter(|text| is_asked && self.is_agent() && !text.is_empty())?;
        let own = self.conversation.projection().cover.as_ref().map_or("", |cover| &cover.summary);
        let earlier = log.task_summaries().find_map(|earlier| own.strip_suffix(earlier));
        let own = earlier.unwrap_or(own).trim();
        let both = format!("{own}\n\n{shared}");
        let fits = self.conversation.meter().count(&both) <= job.plan.summary_budget();
        Some(if own.is_empty() || !fits { shared.to_owned() } else { both })
    }
}
