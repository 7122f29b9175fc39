//! The summary of the next compaction, written while the chat goes on.
//!
//! It begins at a check that finds the policy's `prepareAt` reached and nothing due. Its requests are like those of a
//! compaction, and no command waits for them. When a compaction starts, what was written is used as it is if the result is
//! small enough, or as the summary so far for the messages since, if that is less to read than all of them. It is thrown
//! away as soon as a message that it covers has changed, or has left the conversation.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::inputs::Answer;
use super::job::{Job, Stage};
use super::reading::Read;
use super::{Asked, Compactor, Event, Output, State};
use crate::message::{Entry, RequestId};
use crate::plan::{Plan, Scope, WrittenSummary, entries_at};
use crate::policy::{Policy, Reason, SummaryInput, share};
use crate::structured_state::StateDelta;

/// After this many failures, no summary is prepared before the next compaction.
const MAX_FAILURES: u32 = 3;

/// The summary of the next compaction, which is written in advance. Tokens are those of the next prompt, in the provider's tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextSummary {
    /// It is being written.
    Writing {
        /// What a compaction with it is planned to leave.
        tokens_after: u32,
    },
    /// It is written.
    Ready {
        /// The most that a compaction which takes it as it is would leave; `None` if none would: it adds the messages since, or
        /// has another summary written.
        tokens_after: Option<u32>,
    },
}

/// A summary in preparation, and what earlier ones have cost in vain.
#[derive(Default)]
pub(super) struct Preparations {
    current: Option<Preparation>,
    balance: Balance,
}

enum Preparation {
    /// The texts to summarize are being read, in slices.
    Reading { job: Box<Job> },
    /// The summarizer has a request that is not answered yet.
    Writing { job: Box<Job>, in_flight: RequestId },
    /// It is written.
    Ready(Box<Draft>),
}

/// A summary of the messages in front of `tail_start`, which no compaction has yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Draft {
    /// How many messages the summary before it covers, on which it builds.
    covered: usize,
    /// The last user request, if that summary covers it: the summarizer reads it again.
    request: Option<usize>,
    tail_start: usize,
    /// Positions of messages in front of `tail_start` that the summarizer did not read, since they were to stay.
    unread: Vec<usize>,
    summary: String,
    notes: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<StateDelta>,
    asked: Asked,
}

/// What a store keeps of preparations. A request that is not answered is not stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PreparationState {
    #[serde(skip_serializing_if = "Option::is_none")]
    draft: Option<Draft>,
    balance: Balance,
}

/// What was spent since the last report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Balance {
    wasted: Waste,
    failures: u32,
    /// Tokens of the window when the last attempt failed or had nothing to summarize.
    failed_at_tokens: u32,
}

/// What prepared summaries have cost that no compaction used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Waste {
    /// Requests to the summarizer.
    pub requests: u32,
    /// Their tokens and those of the answers, as the provider reported them; for a request without a report, as the engine
    /// counts them.
    pub tokens: u32,
}

impl PreparationState {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Preparations {
    /// What a store keeps.
    pub(super) fn state(&self) -> PreparationState {
        let draft = match &self.current {
            Some(Preparation::Ready(draft)) => Some(Draft::clone(draft)),
            _ => None,
        };
        PreparationState { draft, balance: self.balance }
    }

    /// Goes on from what [`Self::state`] returned.
    pub(super) fn resume(state: PreparationState) -> Self {
        let current = state.draft.map(|draft| Preparation::Ready(draft.into()));
        Self { current, balance: state.balance }
    }

    /// The job with this request.
    pub(super) fn job(&mut self, request: RequestId) -> Option<&mut Job> {
        match &mut self.current {
            Some(Preparation::Writing { job, in_flight }) if *in_flight == request => Some(job),
            _ => None,
        }
    }

    /// True if a summary is being written in advance or is ready.
    pub(super) fn is_any(&self) -> bool {
        self.current.is_some()
    }

    /// True while texts are being read.
    pub(super) fn is_reading(&self) -> bool {
        matches!(self.current, Some(Preparation::Reading { .. }))
    }

    /// Takes the job that waits for the answer to this request.
    pub(super) fn take_job(&mut self, request: RequestId) -> Option<Box<Job>> {
        match self.current.take() {
            Some(Preparation::Writing { job, in_flight }) if in_flight == request => Some(job),
            other => {
                self.current = other;
                None
            }
        }
    }

    /// The request that is not answered yet.
    pub(super) fn request(&self) -> Option<RequestId> {
        match &self.current {
            Some(Preparation::Writing { in_flight, .. }) => Some(*in_flight),
            _ => None,
        }
    }

    /// A request was sent.
    pub(super) fn wait(&mut self, job: Box<Job>, in_flight: RequestId) {
        self.current = Some(Preparation::Writing { job, in_flight });
    }

    /// What was spent in vain since the last call of this.
    pub(super) fn take_waste(&mut self) -> Waste {
        std::mem::take(&mut self.balance.wasted)
    }

    fn fail(&mut self, tokens: u32) {
        self.balance.failures = self.balance.failures.saturating_add(1);
        self.balance.failed_at_tokens = tokens;
    }

    fn waste(&mut self, asked: &Asked) {
        let Waste { requests, tokens } = &mut self.balance.wasted;
        *requests = requests.saturating_add(asked.requests);
        *tokens = tokens.saturating_add(asked.spent_tokens());
    }

    /// The messages that are summarized, by position; those before them are what it builds on.
    fn range(&self) -> Option<Range<usize>> {
        match self.current.as_ref()? {
            Preparation::Reading { job } | Preparation::Writing { job, .. } => {
                Some(job.covered..job.plan.tail_start)
            }
            Preparation::Ready(draft) => Some(draft.covered..draft.tail_start),
        }
    }
}

impl Compactor {
    /// Begins to write the next summary, if the policy's point for that is reached and none is being written. Costs as much
    /// as a plan and the texts to summarize if it is, and otherwise O(1).
    pub(super) fn prepare(&mut self) {
        let Some(at) = self.policy.prepare_tokens() else { return };
        let tokens = self.conversation.load(&self.policy).tokens;
        let Balance { failures, failed_at_tokens, .. } = self.preparations.balance;
        let has_grown = failed_at_tokens == 0
            || tokens.saturating_sub(failed_at_tokens) >= share(self.policy.window, 0.05);
        if !matches!(self.state, State::Idle)
            || self.preparations.current.is_some()
            || !self.cycle.view_sent
            || tokens < at
            || failures >= MAX_FAILURES
            || !has_grown
        {
            return;
        }
        // As if the app asked for it: a plan for a trigger would have nothing to do below the target.
        let reason = Reason::SessionCompaction;
        let mut plan = Plan::without_requests(
            &self.conversation,
            &self.policy,
            reason,
            None,
            &Scope::default(),
        );
        plan.reason = Reason::Threshold;
        let job = match plan.summarizes && plan.idle.is_none() {
            true => Job::new(&self.conversation, &self.policy, plan, None).ok().flatten(),
            false => None,
        };
        let Some(mut job) = job else {
            self.preparations.balance.failed_at_tokens = tokens;
            return;
        };
        job.is_ahead = true;
        job.begin_reading(&self.conversation);
        self.preparations.current = Some(Preparation::Reading { job: Box::new(job) });
        self.read_ahead();
    }

    /// Reads a slice of the texts whose summary is to be written in advance. With the last one, the summarizer is asked.
    pub(super) fn read_ahead(&mut self) {
        let mut job = match self.preparations.current.take() {
            Some(Preparation::Reading { job }) => job,
            other => {
                self.preparations.current = other;
                return;
            }
        };
        match job.read_on(&self.conversation, self.slice) {
            Ok(Read::Partly) => {
                self.preparations.current = Some(Preparation::Reading { job });
            }
            Ok(Read::Whole) => {
                let tokens = self.conversation.load(&self.policy).tokens;
                let (_, chunks) = job.progress();
                self.outputs.push_back(Output::Event(Event::Preparing { tokens, chunks }));
                self.request_summary(job);
            }
            Ok(Read::Nothing) | Err(_) => {
                let tokens = self.conversation.load(&self.policy).tokens;
                self.preparations.balance.failed_at_tokens = tokens;
                self.go_on_waiting();
            }
        }
    }

    /// Keeps a summary that is written in advance. A compaction that waits for it goes on.
    pub(super) fn keep_draft(&mut self, mut job: Job, summary: String, notes: String) {
        job.asked.answer(self.scale().to_provider(self.conversation.meter().count(&summary)));
        let unread = job.plan.unread(&self.conversation);
        let tail_start = job.plan.tail_start;
        let draft = Draft {
            covered: job.covered,
            request: job.request,
            tail_start,
            unread,
            summary,
            notes,
            changes: job.changes,
            asked: job.asked,
        };
        self.preparations.current = Some(Preparation::Ready(Box::new(draft)));
        self.preparations.balance.failures = 0;
        self.outputs.push_back(Output::Event(Event::Prepared));
        self.go_on_waiting();
    }

    /// The compaction that waits for a summary in preparation goes on, with it or without it.
    fn go_on_waiting(&mut self) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Awaiting { job } => self.use_draft(job),
            state => self.state = state,
        }
    }

    /// Gives up a summary in preparation whose request failed.
    pub(super) fn fail_preparation(&mut self, job: &Job, because: String) {
        self.preparations.waste(&job.asked);
        self.preparations.fail(self.conversation.load(&self.policy).tokens);
        self.outputs.push_back(Output::Event(Event::PreparationDropped { request: None, because }));
        self.go_on_waiting();
    }

    /// Gives up what is prepared, if a change of the messages from this position on makes it wrong: one that it covers, or of
    /// the summary on which it builds.
    pub(super) fn drop_preparation_from(&mut self, position: usize) {
        let covered = self.conversation.projection().covered;
        let is_wrong = |range: Range<usize>| position < range.end || covered != range.start;
        if self.preparations.range().is_some_and(is_wrong) {
            self.drop_preparation("what it summarizes has changed");
        }
    }

    /// Gives up what is prepared. The host may end its request.
    pub(super) fn drop_preparation(&mut self, because: &str) {
        let (asked, request) = match self.preparations.current.take() {
            None => return,
            Some(Preparation::Ready(draft)) => (draft.asked, None),
            // Nothing was asked, and no event has announced it.
            Some(Preparation::Reading { .. }) => return self.go_on_waiting(),
            Some(Preparation::Writing { job, in_flight }) => {
                let mut asked = job.asked;
                let is_queued = |output: &Output| matches!(output, Output::Summarize(request) if request.id == in_flight);
                // The host has not polled it yet, so that nothing was spent for it.
                if self.outputs.iter().any(is_queued) {
                    self.outputs.retain(|output| !is_queued(output));
                    asked.take_back();
                }
                (asked, Some(in_flight))
            }
        };
        self.preparations.waste(&asked);
        let because = because.to_owned();
        self.outputs.push_back(Output::Event(Event::PreparationDropped { request, because }));
        self.go_on_waiting();
    }

    /// Sends the first request of a compaction, unless a prepared summary replaces it in whole or in part.
    pub(super) fn use_draft(&mut self, mut job: Box<Job>) {
        // A prepared summary does not follow instructions that came later, covers more than a compaction of the oldest
        // rounds, and knows nothing of a chosen scope.
        let is_other = job.instructions.is_some()
            || job.plan.reason == Reason::ReactiveMicro
            || !job.scope.is_default();
        let draft = match self.preparations.current.take() {
            Some(Preparation::Ready(draft)) if !is_other => *draft,
            Some(begun @ (Preparation::Reading { .. } | Preparation::Writing { .. }))
                if !is_other =>
            {
                self.preparations.current = Some(begun);
                self.state = State::Awaiting { job };
                return;
            }
            other => {
                self.preparations.current = other;
                return self.request_summary(job);
            }
        };
        if let Some(plan) = self.plan_with(&job, &draft) {
            let covered = self.covered_by(&job, &draft);
            let spent = (draft.asked, draft.changes);
            job.take_over(plan, covered, spent, PreparedUse::AsWritten);
            let answer = Answer { summary: draft.summary, notes: draft.notes };
            return self.take_answer(job, answer);
        }
        match self.topped_up(&job, &draft) {
            Some(stage) => {
                let covered = self.covered_by(&job, &draft);
                let plan = job.plan.clone();
                let spent = (draft.asked, draft.changes);
                job.take_over(plan, covered, spent, PreparedUse::ToppedUp);
                job.stage = stage;
            }
            None => {
                self.preparations.waste(&draft.asked);
                let because = "another summary has less to read, or saves more".to_owned();
                let dropped = Event::PreparationDropped { request: None, because };
                self.outputs.push_back(Output::Event(dropped));
            }
        }
        self.request_summary(job);
    }

    /// The plan of the compaction with this draft as its summary; `None` if the result would be refused or too large.
    fn plan_with(&self, job: &Job, draft: &Draft) -> Option<Plan> {
        let (plan, tokens) = self.as_written(&job.policy, job.plan.reason, draft)?;
        self.is_usable(&job.plan, draft, tokens).then_some(plan)
    }

    /// The plan with this draft as its summary, and the most tokens of the next prompt after it; `None` if the result would be
    /// refused.
    fn as_written(&self, policy: &Policy, reason: Reason, draft: &Draft) -> Option<(Plan, u32)> {
        let plan = Plan::up_to(&self.conversation, policy, reason, draft.tail_start);
        let is_read = draft.unread.iter().all(|at| !plan.summarizes_at(*at));
        if !plan.summarizes || plan.tail_start != draft.tail_start || !is_read {
            return None;
        }
        let written =
            WrittenSummary { summary: draft.summary.clone(), ..WrittenSummary::default() };
        let tokens = self.tokens_after(&plan, written)?.saturating_add(plan.ledger_tokens);
        Some((plan, tokens))
    }

    /// True if a compaction that would do as in `plan` takes this draft, which leaves this many tokens, in place of another
    /// summary.
    fn is_usable(&self, plan: &Plan, draft: &Draft, tokens: u32) -> bool {
        let is_enough = tokens <= self.policy.target_tokens();
        match plan.reason {
            Reason::TaskTransition => plan.tail_start == draft.tail_start,
            _ => is_enough || plan.tail_start <= draft.tail_start,
        }
    }

    /// The summary that is written in advance, and what a compaction with it would leave; `None` if there is none, and while
    /// the texts for its first request are being read. If it is ready, costs as much as two plans.
    pub fn next_summary(&self) -> Option<NextSummary> {
        match self.preparations.current.as_ref()? {
            Preparation::Reading { .. } => None,
            Preparation::Writing { job, .. } => {
                let since = self.prompt_tokens().saturating_sub(job.plan.tokens_before);
                let tokens_after = job.plan.tokens_after.saturating_add(since);
                Some(NextSummary::Writing { tokens_after })
            }
            Preparation::Ready(draft) => {
                let reason = match self.is_task_due() {
                    true => Reason::TaskTransition,
                    // A plan for a trigger has nothing to do before the trigger is met.
                    false => Reason::SessionCompaction,
                };
                let used = || {
                    let (_, tokens) = self.as_written(&self.policy, reason, draft)?;
                    let plan = Plan::without_requests(
                        &self.conversation,
                        &self.policy,
                        reason,
                        None,
                        &Scope::default(),
                    );
                    self.is_usable(&plan, draft, tokens).then_some(tokens)
                };
                Some(NextSummary::Ready { tokens_after: used() })
            }
        }
    }

    /// The rest of the messages to summarize, with the draft as the summary so far; `None` if that is no less to read, or
    /// if the draft covers more than this compaction.
    fn topped_up(&self, job: &Job, draft: &Draft) -> Option<Stage> {
        let Stage::Chunks(whole) = &job.stage else { return None };
        if job.asked.input != SummaryInput::Transcript || job.plan.tail_start < draft.tail_start {
            return None;
        }
        let is_new = |at: usize| at >= draft.tail_start || draft.unread.contains(&at);
        let chunks = job.plan.chunks_of(&self.conversation, &job.policy, &is_new).ok()?;
        let (previous, notes) = (draft.summary.clone(), draft.notes.clone());
        let rest = whole.continued(chunks, previous, notes)?;
        (rest.size() < whole.size()).then_some(Stage::Chunks(rest))
    }

    /// The messages that a draft covers. Their facts are found when it is used and not while it is written, since a restored
    /// conversation has the draft alone. Linear in their texts.
    fn covered_by(&self, job: &Job, draft: &Draft) -> Vec<Entry> {
        let new = (draft.covered..draft.tail_start).filter(|at| !draft.unread.contains(at));
        let read = draft.request.into_iter().chain(new);
        entries_at(&self.conversation, &job.policy.summary, read)
    }
}

/// How a compaction used a summary that was prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum PreparedUse {
    /// As it was written: nobody waited for a summarizer.
    AsWritten,
    /// As the summary so far, for the messages since.
    ToppedUp,
}
