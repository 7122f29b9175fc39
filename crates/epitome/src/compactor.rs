//! The state machine that carries a plan out: it asks for summaries and is given them.

mod job;
mod output;
mod refusal;

use std::collections::VecDeque;

use job::Job;
pub use output::{Event, Output, SummaryRequest};
pub use refusal::{CommandError, PolicyChange, RestoreError};

use crate::contract::Contract;
use crate::conversation::Conversation;
use crate::history::{Checkpoint, Log, LogError, Record, View};
use crate::message::{CheckpointId, Message, RequestId, Usage};
use crate::meter::{BoxedTokenizer, Level, Pressure};
use crate::plan::Plan;
use crate::policy::{Policy, PolicyError};
use crate::report::{Outcome, Reason, Report};
use crate::retry::{Failure, FailureKind};
use crate::summary::fold::Fold;
use crate::summary::receipt::{Facts, Receipt, settle};
use crate::{Snapshot, Timestamp};

enum State {
    Idle,
    /// A summary is being written.
    Summarizing {
        job: Box<Job>,
        in_flight: RequestId,
    },
    /// A summarizer failed; it is asked again at `until`.
    Backoff {
        job: Box<Job>,
        until: Timestamp,
    },
    /// A record is being stored.
    Committing {
        record: Record,
        report: Option<Box<Report>>,
    },
    /// A compaction failed or gained nothing; another is made only by hand, or after another message.
    Exhausted {
        reason: String,
    },
}

/// Keeps one conversation below its threshold.
///
/// Commands and `handle_*` take what happens outside; [`Self::poll_output`] tells what the host is to
/// do. Nothing here blocks, waits, or asks for the time.
pub struct Compactor {
    policy: Policy,
    contract: Contract,
    conversation: Conversation,
    state: State,
    outputs: VecDeque<Output>,
    next_request: u32,
    report: Option<Report>,
}

impl Compactor {
    /// An empty conversation under this policy, for a provider with this contract.
    pub fn new(
        policy: Policy,
        contract: Contract,
        tokenizer: BoxedTokenizer,
    ) -> Result<Self, PolicyError> {
        policy.check()?;
        Ok(Self {
            policy,
            contract,
            conversation: Conversation::new(tokenizer),
            state: State::Idle,
            outputs: VecDeque::new(),
            next_request: 1,
            report: None,
        })
    }

    /// Goes on from a snapshot.
    pub fn restore(
        snapshot: Snapshot,
        contract: Contract,
        tokenizer: BoxedTokenizer,
    ) -> Result<Self, RestoreError> {
        let (policy, records) = snapshot.into_parts();
        let mut compactor = Self::new(policy, contract, tokenizer).map_err(RestoreError::Policy)?;
        for record in records {
            compactor.conversation.append(record).map_err(RestoreError::Log)?;
        }
        Ok(compactor)
    }

    /// Adds a message at the end. Safe at any time: a compaction under way covers what was there when
    /// it began.
    pub fn append(&mut self, message: Message) -> Result<(), CommandError> {
        self.conversation.append(Record::Message { message })?;
        if matches!(self.state, State::Exhausted { .. }) {
            self.state = State::Idle;
        }
        Ok(())
    }

    /// Gives a message another wording. Cancels a compaction under way that covers it, and takes back
    /// committed ones that do: their summaries tell of words that no longer stand.
    pub fn edit(&mut self, message: Message) -> Result<(), CommandError> {
        let position = self.conversation.log().position(&message.id);
        let Some(position) = position else {
            return Err(LogError::UnknownId(message.id).into());
        };
        if matches!(self.state, State::Committing { .. }) {
            return Err(CommandError::Busy);
        }
        if self.job().is_some_and(|job| position < job.plan.tail_start) {
            self.cancel();
        }
        let stale = self.conversation.log().in_force().find(|checkpoint| {
            let through = self.conversation.log().position(&checkpoint.through);
            through.is_some_and(|through| position <= through)
        });
        if let Some(checkpoint) = stale.map(|checkpoint| checkpoint.id) {
            self.conversation.append(Record::Undo { checkpoint })?;
        }
        self.conversation.append(Record::Edit { message })?;
        self.outputs.push_back(Output::Changed);
        Ok(())
    }

    /// Begins a compaction. `instructions` are what the person asks to pay attention to.
    pub fn compact(
        &mut self,
        reason: Reason,
        instructions: Option<String>,
    ) -> Result<(), CommandError> {
        match &self.state {
            State::Idle => {}
            State::Exhausted { .. } if reason == Reason::Manual => {}
            State::Exhausted { reason } => return Err(CommandError::Exhausted(reason.clone())),
            _ => return Err(CommandError::Busy),
        }
        self.state = State::Idle;
        let plan = Plan::draft(&self.conversation, &self.policy, reason);
        let previous = self.conversation.log().checkpoint();
        let previous = previous.map(|checkpoint| checkpoint.summary.clone()).unwrap_or_default();
        let fold = match &plan.idle {
            Some(_) => None,
            None => Fold::new(plan.chunks(&self.conversation, &self.policy), previous),
        };
        let Some(fold) = fold else {
            let nothing = || "what there is to summarize has no text in it".to_owned();
            let message = plan.idle.clone().unwrap_or_else(nothing);
            self.finish(&plan, Outcome::Skipped { message }, 0);
            return Ok(());
        };
        self.outputs.push_back(Output::Event(Event::Start {
            tokens: plan.tokens_before,
            threshold: self.policy.threshold(),
            chunks: fold.place().count,
        }));
        let facts = Facts::of_summary(&fold.envelope().previous_summary);
        self.ask(Box::new(Job { plan, fold, facts, instructions, attempts: 0, requests: 0 }));
        Ok(())
    }

    /// Takes the latest compaction back: the view is what it was, with what was said since.
    pub fn undo(&mut self) -> Result<(), CommandError> {
        if !matches!(self.state, State::Idle | State::Exhausted { .. }) {
            return Err(CommandError::Busy);
        }
        let checkpoint = self.conversation.log().checkpoint();
        let checkpoint = checkpoint.ok_or(CommandError::NothingToUndo)?.id;
        self.commit(Record::Undo { checkpoint }, None);
        Ok(())
    }

    /// Calls a compaction off; the conversation is as it was. Without one, does nothing.
    pub fn cancel(&mut self) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Summarizing { job, .. } | State::Backoff { job, .. } => {
                self.outputs.retain(|output| !matches!(output, Output::Summarize(_)));
                self.finish(&job.plan, Outcome::Cancelled, job.requests);
            }
            // What is being stored can no longer be called off, and the rest is not under way.
            state => self.state = state,
        }
    }

    /// Takes what the provider counted for the latest request. Until the next compaction it goes before
    /// the engine's own count.
    pub fn handle_usage(&mut self, usage: Usage) {
        self.conversation.read(usage);
    }

    /// Takes a summary.
    pub fn handle_summary(&mut self, request: RequestId, text: &str) {
        let Some(mut job) = self.take_job(request) else { return };
        let text = text.trim();
        if text.is_empty() {
            let message = "the summarizer answered with nothing; try another model".to_owned();
            self.fail(&job, message);
            return;
        }
        job.facts.read(&job.fold.envelope().entries);
        let done = job.fold.take(text.to_owned());
        let place = job.fold.place();
        let finished = if done.is_some() { place.count } else { place.index };
        let progress = Event::Progress { done: finished, chunks: place.count };
        self.outputs.push_back(Output::Event(progress));
        match done {
            Some(summary) => self.conclude(*job, &summary),
            None => {
                job.attempts = 0;
                self.ask(job);
            }
        }
    }

    /// Takes a summarizer's failure, at a moment of the host's clock.
    pub fn handle_failure(&mut self, request: RequestId, failure: Failure, now: Timestamp) {
        let Some(job) = self.take_job(request) else { return };
        if failure.kind == FailureKind::Cancelled {
            self.finish(&job.plan, Outcome::Cancelled, job.requests);
            return;
        }
        match self.policy.retry.delay_ms(job.attempts, failure.kind) {
            Some(delay_ms) => {
                let until = now.plus_ms(delay_ms);
                let message = failure.message;
                let retry = Event::Retry { attempt: job.attempts, at: until, message };
                self.outputs.push_back(Output::Event(retry));
                self.state = State::Backoff { job, until };
            }
            None => self.fail(&job, failure.message),
        }
    }

    /// Goes on where the wait that [`Output::Wait`] asked for is over.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Backoff { job, until } if until <= now => self.ask(job),
            state => self.state = state,
        }
    }

    /// Brings a stored record into force.
    pub fn handle_persisted(&mut self) -> Result<(), CommandError> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Committing { record, report } => {
                self.conversation.append(record)?;
                self.outputs.push_back(Output::Changed);
                if let Some(report) = report {
                    self.end(*report);
                }
                Ok(())
            }
            state => {
                self.state = state;
                Err(CommandError::NothingToPersist)
            }
        }
    }

    /// Drops a record that could not be stored; the view stays as it is. `message` says why.
    pub fn handle_unpersisted(&mut self, message: String) -> Result<(), CommandError> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Committing { report, .. } => {
                if let Some(report) = report {
                    let tokens_after = report.tokens_before;
                    let messages_after = report.messages_before;
                    let outcome = Outcome::Failed { message };
                    let receipt = Receipt::default();
                    let summary = None;
                    let unchanged = Report {
                        outcome,
                        tokens_after,
                        messages_after,
                        receipt,
                        summary,
                        ..*report
                    };
                    self.end(unchanged);
                }
                Ok(())
            }
            state => {
                self.state = state;
                Err(CommandError::NothingToPersist)
            }
        }
    }

    /// What the host is to do next.
    pub fn poll_output(&mut self) -> Output {
        self.outputs.pop_front().unwrap_or(Output::Wait(match &self.state {
            State::Backoff { until, .. } => Some(*until),
            _ => None,
        }))
    }

    /// What the model sees.
    pub fn view(&self) -> View {
        self.conversation.view()
    }

    /// How full the window is. Costs O(1).
    pub fn pressure(&self) -> Pressure {
        let policy = &self.policy;
        let tools = policy.tool_schema_tokens;
        let (tokens, exact) = self.conversation.tokens(tools);
        let level = if policy.fires(tokens) {
            Level::Compact
        } else if policy.trim.fires(tokens, policy.window) {
            Level::Warn
        } else {
            Level::Ok
        };
        Pressure {
            tokens,
            window: policy.window,
            fill: f64::from(tokens) / f64::from(policy.window),
            level,
            threshold: policy.threshold(),
            target: policy.target_tokens(),
            exact,
            error_band: if exact { 0.0 } else { self.conversation.tokenizer().error_band() },
            floor: self.conversation.protected().sum().saturating_add(tools),
            breakdown: self.conversation.breakdown(tools),
        }
    }

    /// What a compaction would do now.
    pub fn plan(&self, reason: Reason) -> Plan {
        Plan::new(&self.conversation, &self.policy, reason)
    }

    /// What the latest compaction did.
    pub fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// Everything, to go on from later. A compaction under way is not in it.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.policy.clone(), self.log().records().to_vec())
    }

    /// The log.
    pub fn log(&self) -> &Log {
        self.conversation.log()
    }

    /// The log with its costs.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The policy in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Puts another policy in force, from the next plan on. Refused while a compaction runs.
    pub fn set_policy(&mut self, policy: Policy) -> Result<(), PolicyChange> {
        if self.is_busy() {
            return Err(PolicyChange::Busy);
        }
        policy.check().map_err(PolicyChange::Refused)?;
        self.policy = policy;
        Ok(())
    }

    /// True while a compaction runs or a record is being stored.
    pub fn is_busy(&self) -> bool {
        !matches!(self.state, State::Idle | State::Exhausted { .. })
    }

    fn job(&self) -> Option<&Job> {
        match &self.state {
            State::Summarizing { job, .. } | State::Backoff { job, .. } => Some(job),
            _ => None,
        }
    }

    /// The job that waits for an answer to this request; anything else is reported and left aside.
    fn take_job(&mut self, request: RequestId) -> Option<Box<Job>> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Summarizing { job, in_flight } if in_flight == request => Some(job),
            state => {
                self.state = state;
                self.outputs.push_back(Output::Event(Event::Stale { request }));
                None
            }
        }
    }

    fn ask(&mut self, mut job: Box<Job>) {
        job.attempts += 1;
        job.requests += 1;
        let id = RequestId(self.next_request);
        self.next_request += 1;
        self.outputs.push_back(Output::Summarize(job.request(id)));
        self.state = State::Summarizing { job, in_flight: id };
    }

    /// Verifies what a summary would make of the view, and only then has it stored.
    fn conclude(&mut self, mut job: Job, summary: &str) {
        let Some(through) = job.plan.through(&self.conversation) else {
            self.fail(&job, "nothing was left to summarize".to_owned());
            return;
        };
        let (summary, receipt) = settle(
            std::mem::take(&mut job.facts),
            summary,
            &job.plan.stays(&self.conversation),
            job.plan.ledger_tokens,
            self.conversation.tokenizer(),
            &|number| self.log().message_numbered(number).map(|message| message.id.clone()),
        );
        let number = u32::try_from(self.log().checkpoints_made()).unwrap_or(u32::MAX);
        let mut checkpoint = Checkpoint {
            id: CheckpointId(number.saturating_add(1)),
            through: through.clone(),
            kept: job.plan.kept(&self.conversation),
            summarized: job.plan.summarized(),
            reason: job.plan.reason,
            tokens_before: self.conversation.counted_tokens(),
            tokens_after: 0,
            summary,
        };
        let view = View::through(self.log(), &checkpoint);
        checkpoint.tokens_after = self.conversation.tokens_through(&checkpoint);
        let tools = self.policy.tool_schema_tokens;
        if checkpoint.tokens_after >= checkpoint.tokens_before {
            let message = format!(
                "the summary would not make the conversation smaller: {} tokens before, {} after",
                checkpoint.tokens_before, checkpoint.tokens_after
            );
            let outcome = Outcome::Skipped { message: message.clone() };
            self.state = State::Exhausted { reason: message };
            return self.finish(&job.plan, outcome, job.requests);
        }
        if let Err(violation) = self.contract.check(self.log(), &view) {
            let message = format!("the result would be refused by the provider: {violation}");
            return self.fail(&job, message);
        }
        let tokens_after = checkpoint.tokens_after.saturating_add(tools);
        let report = Report {
            reason: job.plan.reason,
            outcome: Outcome::Applied { checkpoint: checkpoint.id },
            tokens_before: checkpoint.tokens_before.saturating_add(tools),
            tokens_after,
            messages_before: self.conversation.messages(),
            messages_after: u32::try_from(view.edits.len()).unwrap_or(u32::MAX),
            summary: Some(checkpoint.summary.clone()),
            receipt,
            requests: job.requests,
            floor: job.plan.floor.clone().filter(|_| self.policy.fires(tokens_after)),
            findings: view.findings,
        };
        self.commit(Record::Checkpoint { checkpoint }, Some(Box::new(report)));
    }

    fn commit(&mut self, record: Record, report: Option<Box<Report>>) {
        self.outputs.push_back(Output::Persist(record.clone()));
        self.state = State::Committing { record, report };
    }

    fn fail(&mut self, job: &Job, message: String) {
        self.state = State::Exhausted { reason: message.clone() };
        self.finish(&job.plan, Outcome::Failed { message }, job.requests);
    }

    /// Ends a compaction that left everything as it was.
    fn finish(&mut self, plan: &Plan, outcome: Outcome, requests: u32) {
        let tools = self.policy.tool_schema_tokens;
        let tokens = self.conversation.counted_tokens().saturating_add(tools);
        let messages = self.conversation.messages();
        self.end(Report {
            reason: plan.reason,
            outcome,
            tokens_before: tokens,
            tokens_after: tokens,
            messages_before: messages,
            messages_after: messages,
            summary: None,
            receipt: Receipt::default(),
            requests,
            findings: Vec::new(),
            floor: plan.floor.clone(),
        });
    }

    fn end(&mut self, report: Report) {
        self.report = Some(report.clone());
        self.outputs.push_back(Output::Event(Event::End { report: Box::new(report) }));
    }
}
