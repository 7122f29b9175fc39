//! The state machine that carries a plan out: it asks for summaries and is given them.

mod commit;
mod cycle;
mod error;
mod inputs;
mod job;
mod output;
mod phases;
mod report;
mod snapshot;

use std::collections::VecDeque;

pub(crate) use cycle::Cycle;
pub use error::{CommandError, PolicyChange, RestoreError};
use job::Job;
pub use output::{BeforeCompaction, Event, Output, SummaryRequest};

use crate::conversation::Conversation;
use crate::conversation::{Level, Pressure};
use crate::history::{BoxedProvider, Provider};
use crate::history::{Checkpoint, Log, LogError, Record, View};
use crate::message::Timestamp;
use crate::message::{Message, MessageId, RequestId, Role};
use crate::plan::Plan;
use crate::policy::Reason;
use crate::policy::{Counting, Policy, PolicyError};
use crate::tokens::{BoxedTokenizer, CharactersPer};
pub use report::{Outcome, Report};
use snapshot::Condition;
pub use snapshot::{Snapshot, SnapshotError};

enum State {
    Idle,
    /// The host is asked whether to go on.
    Deciding {
        job: Box<Job>,
    },
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
    provider: BoxedProvider,
    conversation: Conversation,
    state: State,
    outputs: VecDeque<Output>,
    next_request: u32,
    report: Option<Report>,
    cycle: Cycle,
    /// True while a compaction is under way that the host let begin.
    began: bool,
}

impl Compactor {
    /// An empty conversation under this policy, with this provider. `tokenizer` is what the policy has tokens
    /// counted by; characters need none.
    pub fn new(
        policy: Policy,
        provider: impl Provider + Send + Sync + 'static,
        tokenizer: BoxedTokenizer,
    ) -> Result<Self, PolicyError> {
        policy.check()?;
        let tokenizer = match policy.counting {
            Counting::CharactersPerToken(characters) => Box::new(CharactersPer(characters)),
            _ => tokenizer,
        };
        let mut conversation = Conversation::new(provider.contract(), tokenizer);
        conversation.index_for(&policy);
        conversation.name_model(policy.model.as_deref());
        Ok(Self {
            policy,
            provider: Box::new(provider),
            conversation,
            state: State::Idle,
            outputs: VecDeque::new(),
            next_request: 1,
            report: None,
            cycle: Cycle::default(),
            began: false,
        })
    }

    /// Goes on from a snapshot.
    pub fn restore(
        snapshot: Snapshot,
        provider: impl Provider + Send + Sync + 'static,
        tokenizer: BoxedTokenizer,
    ) -> Result<Self, RestoreError> {
        let (policy, records, condition) = snapshot.into_parts();
        let mut compactor = Self::new(policy, provider, tokenizer).map_err(RestoreError::Policy)?;
        compactor.conversation.replay(records).map_err(RestoreError::Log)?;
        compactor.conversation.resume_usage(condition.usage);
        compactor.cycle = condition.cycle;
        compactor.next_request = condition.next_request.max(1);
        if let Some(reason) = condition.exhausted {
            compactor.state = State::Exhausted { reason };
        }
        Ok(compactor)
    }

    /// Adds a message at the end. Safe at any time: a compaction under way covers what was there when
    /// it began.
    ///
    /// After a compaction that came to nothing, another may be due once a person says something, or once
    /// the conversation has grown by a twentieth of the window; three times for one request.
    pub fn append(&mut self, message: Message) -> Result<(), CommandError> {
        let answered = message.role == Role::Assistant;
        let last_request = self.conversation.last_request();
        self.conversation.append(Record::Message { message })?;
        self.cycle.used |= answered;
        if self.conversation.last_request() > last_request {
            self.cycle.begin_request();
            self.recover();
        } else if self.cycle.may_try(self.prompt_tokens(), self.policy.window) {
            self.recover();
        }
        Ok(())
    }

    /// Lets compactions be due again after one that came to nothing.
    fn recover(&mut self) {
        if matches!(self.state, State::Exhausted { .. }) {
            self.state = State::Idle;
        }
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
        if self.job().is_some_and(|job| job.loses_to_edit_of(position)) {
            self.cancel();
        }
        let log = self.conversation.log();
        let stale =
            log.active_checkpoints().find(|checkpoint| tells_of(log, checkpoint, &message.id));
        if let Some(checkpoint) = stale.map(|checkpoint| checkpoint.id) {
            self.conversation.append(Record::Undo { checkpoint })?;
        }
        self.conversation.append(Record::Edit { message })?;
        self.cycle.used = true;
        self.cycle.trimmed_at = None;
        self.outputs.push_back(Output::Changed);
        Ok(())
    }

    /// Notes the open tasks: they go to the summarizer, and stand behind every summary word for word.
    /// Empty where there are none.
    pub fn set_todo(&mut self, text: String) -> Result<(), CommandError> {
        Ok(self.conversation.append(Record::Todo { text })?)
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
        if reason.is_reactive() {
            self.cycle.reactions = self.cycle.reactions.saturating_add(1);
        }
        let phase = self.cycle.phase.filter(|_| reason == Reason::Reduce);
        let plan = Plan::without_requests(&self.conversation, &self.policy, reason, phase);
        if plan.idle.is_some() || !plan.summarizes {
            self.reduce(&plan);
            return Ok(());
        }
        match Job::new(&self.conversation, &self.policy, plan.clone(), instructions) {
            Ok(Some(mut job)) => {
                if self.ends_early(&mut job) {
                    return Ok(());
                }
                self.outputs.push_back(Output::Before(self.before(&job.plan)));
                self.state = State::Deciding { job: Box::new(job) };
            }
            Err(error) => self.give_up(&plan, error.to_string(), 0),
            Ok(None) => {
                let message = "what there is to summarize has no text in it".to_owned();
                self.finish(&plan, Outcome::Skipped { message }, 0);
            }
        }
        Ok(())
    }

    fn before(&self, plan: &Plan) -> BeforeCompaction {
        let tokens_used = self.pressure().tokens;
        let spoken = |at: &usize| {
            self.log().message(*at).is_some_and(|message| message.role != Role::System)
        };
        let stays = plan.staying().filter(spoken);
        BeforeCompaction {
            reason: plan.reason,
            forced: plan.reason == Reason::Manual,
            tokens_used,
            context_percent: self.percent(tokens_used),
            message_count: self.conversation.messages(),
            keep_last: u32::try_from(stays.count()).unwrap_or(u32::MAX),
        }
    }

    /// Lets the compaction begin that [`Output::Before`] told of.
    pub fn proceed(&mut self) -> Result<(), CommandError> {
        let job = self.take_decision()?;
        let tokens = self.pressure().tokens;
        let budget_used_pct = self.percent(tokens);
        let (_, chunks) = job.progress();
        self.outputs.push_back(Output::Event(match job.plan.reason.is_reactive() {
            true => Event::Reacting { tokens, budget_used_pct, chunks },
            false => {
                let threshold = self.policy.threshold();
                Event::Start { tokens, threshold, budget_used_pct, chunks }
            }
        }));
        self.began = true;
        self.ask(job);
        Ok(())
    }

    /// Keeps the compaction from beginning that [`Output::Before`] told of.
    pub fn skip(&mut self) -> Result<(), CommandError> {
        let job = self.take_decision()?;
        let message = "the host decided against it".to_owned();
        self.finish(&job.plan, Outcome::Skipped { message }, 0);
        Ok(())
    }

    fn take_decision(&mut self) -> Result<Box<Job>, CommandError> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Deciding { job } => Ok(job),
            state => {
                self.state = state;
                Err(CommandError::NothingToDecide)
            }
        }
    }

    /// Takes the latest step back: the view is what it was, with what was said since.
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
            State::Deciding { job }
            | State::Summarizing { job, .. }
            | State::Backoff { job, .. } => {
                self.outputs
                    .retain(|output| !matches!(output, Output::Summarize(_) | Output::Before(_)));
                self.finish(&job.plan, Outcome::Cancelled, job.requests);
            }
            // What is being stored can no longer be called off, and the rest is not under way.
            state => self.state = state,
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

    /// Which view that is, for [`Usage::epoch`](crate::message::Usage::epoch): another number with every
    /// step taken, undone or edited away.
    pub fn epoch(&self) -> u32 {
        self.conversation.epoch()
    }

    /// How full the window is. Costs O(1).
    pub fn pressure(&self) -> Pressure {
        self.pressure_under(&self.policy)
    }

    /// How full the window would be under another policy: before a change of the model, this tells
    /// whether to compact first, with the model that still holds everything. Costs O(1).
    pub fn pressure_under(&self, policy: &Policy) -> Pressure {
        let scale = self.conversation.scale(policy);
        let (tokens, reported) = self.conversation.tokens(policy);
        let exact = reported || self.conversation.meter().error_band() <= 0.0;
        let load = self.conversation.load(policy);
        let warned = policy.warning_tokens().is_some_and(|warning| tokens >= warning);
        let mut trims = policy.reducers.iter().filter_map(|reduction| reduction.when.as_ref());
        let level = if policy.is_due(&load) {
            Level::Compact
        } else if warned
            || trims.any(|when| {
                when.threshold(policy.window).is_some() && when.is_met(&load, policy.window)
            })
        {
            Level::Warn
        } else {
            Level::Ok
        };
        let fill = f64::from(tokens) / f64::from(policy.window);
        Pressure {
            tokens,
            window: policy.window,
            fill,
            budget_used_pct: fill * 100.0,
            level,
            threshold: policy.threshold(),
            target: policy.target_tokens(),
            exact,
            error_band: if exact { 0.0 } else { self.conversation.error_band(policy) },
            floor: scale.prompt_tokens(self.conversation.protected().sum()),
            breakdown: self.conversation.breakdown(&scale),
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

    /// The session, from 1: every summary that comes into force begins another. Linear in the records.
    pub fn session(&self) -> u32 {
        let begins = |record: &&Record| matches!(record, Record::Checkpoint { checkpoint } if checkpoint.cover.is_some());
        let begun = self.log().records().iter().filter(begins).count();
        u32::try_from(begun).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// Everything, to go on from later. A compaction under way is not in it.
    pub fn snapshot(&self) -> Snapshot {
        let usage = self.conversation.usage_state();
        let exhausted = match &self.state {
            State::Exhausted { reason } => Some(reason.clone()),
            _ => None,
        };
        let cycle = self.cycle.clone();
        let next_request = self.next_request;
        let condition = Condition { cycle, exhausted, usage, next_request };
        Snapshot::new(self.policy.clone(), self.log().records().to_vec(), condition)
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
        self.conversation.index_for(&policy);
        self.conversation.name_model(policy.model.as_deref());
        self.policy = policy;
        self.cycle.trimmed_at = None;
        self.recover();
        Ok(())
    }

    /// Counts everything anew by another tokenizer. Linear.
    pub fn count_by(&mut self, tokenizer: BoxedTokenizer) {
        self.conversation.count_by(tokenizer);
    }

    /// Begins to count everything anew by another tokenizer, in place of one that was begun before.
    /// Until [`Self::count_next`] has come to the end, everything stays as it was counted.
    pub fn begin_count_by(&mut self, tokenizer: BoxedTokenizer) {
        self.conversation.begin_count_by(tokenizer);
    }

    /// Counts one more message anew. False once all are, which is when the new counts hold.
    ///
    /// Refused while a compaction runs, which goes on with the counts that it began with.
    pub fn count_next(&mut self) -> Result<bool, CommandError> {
        if self.is_busy() {
            return Err(CommandError::Busy);
        }
        Ok(self.conversation.count_next())
    }

    /// True while a compaction runs or a record is being stored.
    pub fn is_busy(&self) -> bool {
        !matches!(self.state, State::Idle | State::Exhausted { .. })
    }

    fn job(&mut self) -> Option<&mut Job> {
        match &mut self.state {
            State::Deciding { job }
            | State::Summarizing { job, .. }
            | State::Backoff { job, .. } => Some(job),
            _ => None,
        }
    }

    fn percent(&self, tokens: u32) -> f64 {
        f64::from(tokens) * 100.0 / f64::from(self.policy.window)
    }
}

/// True for a step that no longer fits where this message changes.
fn tells_of(log: &Log, checkpoint: &Checkpoint, id: &MessageId) -> bool {
    let covers = checkpoint
        .cover
        .as_ref()
        .is_some_and(|cover| log.position(id) <= log.position(&cover.through));
    covers
        || checkpoint.rewrites.iter().any(|rewrite| rewrite.id == *id)
        || checkpoint.dropped.contains(id)
}
