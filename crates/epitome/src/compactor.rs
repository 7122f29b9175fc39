//! The state machine that carries out compactions, without doing any I/O of its own.
//!
//! The host (the code that embeds the engine) calls a command, such as [`Compactor::append`] or
//! [`Compactor::compact`], and then [`Compactor::poll_output`] until it returns [`Output::Wait`]. It does what
//! each output asks for, and reports the result through a `handle_*` method, which may queue more outputs. Time
//! and ids are arguments, so that the same calls always lead to the same outputs.
//!
//! ```text
//!  Idle ── compact() ──► Deciding ── proceed() ──► Reading ──► Summarizing ── handle_failure() ──► Backoff
//!   ▲                       │                                   │    ▲   ▲                           │
//!   ├──────── skip() ───────┘                                   │    │   └───── handle_timeout() ────┘
//!   │                                                           │    │
//!   │                                    handle_summary()       │    └─ the next chunk, a reminder, a rollup or a
//!   │                                                           ▼       fallback level
//!   │                                                         Taking
//!   │                                                           │ it was the last chunk
//!   │                                                           ▼
//!   │                                                       Concluding
//!   │                                                           │
//!   │                                                           ▼
//!   └──────────── handle_persisted() ────────────────────── Committing ◄── compact() with reducers only, or undo()
//!
//!  every state of a compaction ── it failed or saved too little ──► Paused
//!  Paused ── append(), set_policy() or check() with a reason to try again ──► Idle
//! ```
//!
//! | state | waits for | commands that are legal |
//! |---|---|---|
//! | `Idle` | a command | all |
//! | `Deciding` | `proceed` or `skip` | `append`, changes, `set_todo`, `cancel` |
//! | `Reading` | `poll_output` | `append`, changes, `set_todo`, `cancel` |
//! | `Summarizing` | `handle_summary` or `handle_failure` | `append`, changes, `set_todo`, `cancel` |
//! | `Taking` | `poll_output` | `append`, changes, `set_todo`, `cancel` |
//! | `Awaiting` | the summary that is written in advance | `append`, changes, `set_todo`, `cancel` |
//! | `Backoff` | `handle_timeout` | `append`, changes, `set_todo`, `cancel` |
//! | `Concluding` | `poll_output` | `append`, changes, `set_todo`, `cancel` |
//! | `Committing` | `handle_persisted` or `handle_unpersisted` | `append`, `set_todo` |
//! | `Paused` | a reason to try again | all; `compact` only if the app [asks for it](Reason::is_asked_for) |
//!
//! Changes are `edit`, `insert`, `remove`, `move_head` and `switch_to`.
//!
//! A command that is not legal returns an error, mostly [`CommandError::Busy`]. `cancel` leads back to `Idle`,
//! except while a record is being stored. An answer to a request that is no longer open is ignored and reported as
//! [`Event::Stale`], so that a late answer cannot end up in the wrong compaction.
//!
//! Reading, taking an answer and concluding take time in proportion to the texts. They are done in slices, one for each call of
//! [`Compactor::poll_output`], which returns [`Output::Continue`] until the last one. The first slice is done by the call before
//! it, so that a short conversation needs no other. [`Compactor::set_slice`] says how long a slice is.
//!
//! Nothing changes before the record of a compaction is stored: the view is replaced in `handle_persisted`.

mod agent_providers;
mod agents;
mod asked;
mod attribution;
mod begin;
mod commit;
mod conclusion;
mod count;
mod cycle;
mod earlier_summary;
mod edits;
mod error;
mod fallback;
mod inputs;
mod job;
mod journal;
mod output;
mod phases;
mod prepare;
mod queries;
mod reading;
mod remember;
mod report;
mod sent_transcript;
mod shorten;
mod snapshot;
mod sources;
mod structured;
mod tasks;
mod unsupported;

use std::collections::VecDeque;
use std::sync::Arc;

use agent_providers::AgentProviders;
use agents::Agents;
pub use agents::{Agent, Lent};
use asked::Asked;
use conclusion::Conclusion;
pub(crate) use cycle::Cycle;
pub use error::{CommandError, RestoreError, SetPolicyError};
pub use fallback::{SummarizerStep, SummarizerStepKind};
use inputs::Answer;
use job::Job;
pub use journal::Stored;
use journal::{UnsavedPolicy, UnsavedState};
pub use output::{BeforeCompaction, Event, GivenState, Output, Save, SummaryRequest};
pub(crate) use prepare::PreparationState;
use prepare::Preparations;
pub use prepare::{NextSummary, PreparedUse, Waste};

use crate::conversation::Conversation;
use crate::history::{LogError, Record};
use crate::history::{Provider, SharedProvider};
use crate::message::Timestamp;
use crate::message::{Message, RequestId, Role};
use crate::policy::{Counting, Policy, PolicyError};
use crate::structured_state::StructuredState;
use crate::tokens::{BoxedTokenizer, CharactersPer, Cost};
pub use count::CountedMessage;
use remember::Blending;
pub use report::{Outcome, PreparedReport, PromptCut, Report, SummarizerReport, SummarizerTokens};
use snapshot::Condition;
pub use snapshot::{Lines, Snapshot, SnapshotError};

/// How much text one slice of work reads, in bytes, unless the host says otherwise: a few milliseconds in a browser.
const SLICE: usize = 1 << 18;

/// What the compactor waits for; see the module's documentation.
enum State {
    /// No compaction is running.
    Idle,
    /// The host decides whether the compaction starts.
    Deciding { job: Box<Job> },
    /// The texts to summarize are being read.
    Reading { job: Box<Job> },
    /// The summarizer has a request that is not answered yet.
    Summarizing { job: Box<Job>, in_flight: RequestId },
    /// The summarizer has answered, and the facts of what it was given are being read.
    Taking { job: Box<Job>, answer: Answer },
    /// The summarizer has failed, and gets the request again at `until`.
    Backoff { job: Box<Job>, until: Timestamp },
    /// The summary that was begun in advance is not written yet; the compaction goes on with it.
    Awaiting { job: Box<Job> },
    /// The summary is complete, and its result is being worked out.
    Concluding { conclusion: Box<Conclusion> },
    /// The host stores a record. `report` is `None` for an undo.
    Committing { record: Box<Record>, report: Option<Box<Report>> },
    /// The last compaction failed or saved too little. Automatic compactions are paused until the conversation
    /// has changed, since another attempt would end the same way; `reason` says how it ended.
    Paused { reason: String },
}

/// Keeps one conversation below its threshold.
///
/// Commands and `handle_*` methods report what has happened; [`Self::poll_output`] returns what the host has to
/// do next. No method blocks, does I/O, or reads a clock.
pub struct Compactor {
    policy: Policy,
    provider: SharedProvider,
    conversation: Conversation,
    state: State,
    outputs: VecDeque<Output>,
    next_request: u32,
    report: Option<Report>,
    cycle: Cycle,
    /// True while a compaction is running whose start event was emitted.
    started: bool,
    /// The summary that is written in advance.
    preparations: Preparations,
    /// Entries of the memory that are being blended.
    blending: Option<Blending>,
    /// The host's time, as far as it has said.
    now: Option<Timestamp>,
    /// The host's time when the running compaction was allowed to start.
    started_at: Option<Timestamp>,
    /// What a store does not have besides records.
    unsaved_policy: UnsavedPolicy,
    unsaved_state: UnsavedState,
    agents: Agents,
    agent_providers: AgentProviders,
    /// How much text one slice of work reads, in bytes.
    slice: usize,
    /// What the summarizer noted with the summary that is appended next.
    returned_notes: String,
    /// The structured state as the last event reported it to the host.
    reported_state: StructuredState,
}

impl Compactor {
    /// A compactor for an empty conversation. `tokenizer` must be the one that `policy.counting` names; if
    /// the policy counts characters, it is not used.
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
        Ok(Self::with(policy, Arc::new(provider), conversation))
    }

    fn with(policy: Policy, provider: SharedProvider, conversation: Conversation) -> Self {
        Self {
            policy,
            provider,
            conversation,
            state: State::Idle,
            outputs: VecDeque::new(),
            next_request: 1,
            report: None,
            cycle: Cycle::default(),
            started: false,
            preparations: Preparations::default(),
            blending: None,
            now: None,
            started_at: None,
            unsaved_policy: UnsavedPolicy::default(),
            unsaved_state: UnsavedState::default(),
            agents: Agents::default(),
            agent_providers: AgentProviders::default(),
            slice: SLICE,
            returned_notes: String::new(),
            reported_state: StructuredState::default(),
        }
    }

    /// Restores a compactor from a snapshot. Linear in the snapshot.
    pub fn restore(
        snapshot: Snapshot,
        provider: impl Provider + Send + Sync + 'static,
        tokenizer: BoxedTokenizer,
    ) -> Result<Self, RestoreError> {
        let (policy, records, condition) = snapshot.into_parts();
        let mut compactor = Self::new(policy, provider, tokenizer).map_err(RestoreError::Policy)?;
        compactor.conversation.replay(records).map_err(RestoreError::Log)?;
        compactor.resume(condition);
        compactor.know_state();
        Ok(compactor)
    }

    /// Goes on with what a store has of the compactor's own state.
    fn resume(&mut self, condition: Condition) {
        self.conversation.resume_usage(condition.usage);
        self.cycle = condition.cycle;
        self.preparations = Preparations::resume(condition.preparations);
        // A snapshot without the compactor's own state has 0 here, and the first request has the id 1.
        self.next_request = condition.next_request.max(1);
        if let Some(reason) = condition.paused {
            self.state = State::Paused { reason };
        }
        self.know_agents(condition.agents);
    }

    /// Appends a message. Legal at any time: a compaction that is running covers only the messages that were
    /// in the log when it was planned.
    ///
    /// A message that is a summary of an earlier compactor, as in the view that an app has stored, is the summary
    /// of this conversation too: the next compaction continues from it.
    ///
    /// After a compaction that failed or saved too little, another one can be due after the next user
    /// request, once the conversation has grown by a twentieth of the window, or with a message more if it is over the
    /// window. Three failures of one request end the former, and three others over the window the latter.
    ///
    /// A message that is only for some agents is in their views alone; see [`Self::agent`].
    pub fn append(&mut self, message: Message) -> Result<(), CommandError> {
        self.append_message(message, None)
    }

    /// Appends a message, and counts it unless its cost is known.
    fn append_message(
        &mut self,
        message: Message,
        known: Option<Cost>,
    ) -> Result<(), CommandError> {
        self.refuse_to_agents()?;
        let store =
            |conversation: &mut Conversation, message| conversation.append_message(message, known);
        if !message.audience.is_everyone() {
            // The view of the team does not have it.
            return Ok(store(&mut self.conversation, message.into())?);
        }
        self.take_message(message.into(), store)
    }

    /// Appends a message to the conversation in the way given.
    fn take_message(
        &mut self,
        message: Arc<Message>,
        append: impl FnOnce(&mut Conversation, Arc<Message>) -> Result<(), LogError>,
    ) -> Result<(), CommandError> {
        let answered = message.role == Role::Assistant;
        let earlier = self.earlier_summary(&message);
        let last_request = self.conversation.last_request();
        append(&mut self.conversation, message)?;
        if let Some(checkpoint) = earlier {
            self.conversation.append(Record::Checkpoint { checkpoint: checkpoint.into() })?;
            self.drop_preparation("the conversation has a summary already");
            self.outputs.push_back(Output::Changed);
        }
        self.cycle.view_sent |= answered;
        if self.conversation.last_request() > last_request {
            self.cycle.begin_request();
            self.resume_automatic();
        } else if self.cycle.may_retry(self.prompt_tokens(), self.policy.window) {
            self.resume_automatic();
        }
        Ok(())
    }

    /// What the summarizer noted when it wrote the summary that is appended next, as
    /// [`summarizer_notes`](Self::summarizer_notes) returned it. The next summary is as good with them as that of a
    /// compactor that lives on; without them, the text alone decides.
    pub fn set_returned_notes(&mut self, notes: String) {
        self.returned_notes = notes;
    }

    /// Allows automatic compactions again after one that failed or saved too little.
    fn resume_automatic(&mut self) {
        if matches!(self.state, State::Paused { .. }) {
            self.state = State::Idle;
        }
    }

    /// Sets the open tasks. They are part of every summarizer request, and are appended to every summary word
    /// for word. An empty text means that there are none.
    pub fn set_todo(&mut self, text: String) -> Result<(), CommandError> {
        Ok(self.conversation.append(Record::Todo { text })?)
    }

    /// Counts what the next request has besides the view, and what it leaves out of it, until this is called again; see
    /// [`Conversation::set_request_context`]. Linear in the texts.
    pub fn set_request_context<'a>(
        &mut self,
        added: impl IntoIterator<Item = &'a Message>,
        left_out: impl IntoIterator<Item = &'a Message>,
    ) {
        self.conversation.set_request_context(added, left_out);
    }

    /// Undoes the latest checkpoint: the view is again what it was before, with the messages appended since. If the app has set
    /// the structured state since then, that is taken back instead.
    pub fn undo(&mut self) -> Result<(), CommandError> {
        if !matches!(self.state, State::Idle | State::Paused { .. }) {
            return Err(CommandError::Busy);
        }
        if self.log().has_newer_state() {
            return Ok(self.conversation.append(Record::UndoStructuredState {})?);
        }
        let checkpoint = self.conversation.log().checkpoint();
        let checkpoint = checkpoint.ok_or(CommandError::NothingToUndo)?.id;
        self.commit(Record::Undo { checkpoint }, None);
        Ok(())
    }

    /// Cancels the running compaction; the conversation stays as it was. Does nothing if none is running, or
    /// if its record is already being stored.
    pub fn cancel(&mut self) {
        let job = match std::mem::replace(&mut self.state, State::Idle) {
            State::Concluding { conclusion } => Ok(conclusion.job),
            State::Deciding { job }
            | State::Reading { job }
            | State::Summarizing { job, .. }
            | State::Taking { job, .. }
            | State::Awaiting { job }
            | State::Backoff { job, .. } => Ok(job),
            state => Err(state),
        };
        match job {
            Ok(job) => {
                let others = [self.preparations.request(), self.blending_request()];
                self.outputs
                    // The host may not have polled these yet. It would pay for a summary whose answer is stale.
                    .retain(|output| match output {
                        Output::Summarize(request) => others.contains(&Some(request.id)),
                        output => !matches!(output, Output::Before(_)),
                    });
                self.end_unchanged(&job.plan, Outcome::Cancelled, &job.asked);
            }
            // A record that is being stored may be stored already, so that it is too late to cancel.
            Err(state) => self.state = state,
        }
    }

    /// What the host has to do next. To be called until it returns [`Output::Wait`]. If nothing else is to be done, a slice of
    /// the work of a compaction is.
    pub fn poll_output(&mut self) -> Output {
        if self.outputs.is_empty() {
            self.work();
        }
        if let Some(output) = self.outputs.pop_front().or_else(|| self.changed_state()) {
            return output;
        }
        match &self.state {
            State::Reading { .. } | State::Taking { .. } | State::Concluding { .. } => {
                Output::Continue
            }
            _ if self.preparations.is_reading() => Output::Continue,
            State::Backoff { until, .. } => Output::Wait(Some(*until)),
            _ => Output::Wait(None),
        }
    }

    /// Does one slice of work, if there is any.
    fn work(&mut self) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Reading { job } => self.read(job),
            State::Taking { job, answer } => self.take_answer(job, answer),
            State::Concluding { conclusion } => self.conclude(conclusion),
            state => {
                self.state = state;
                self.read_ahead();
            }
        }
    }

    /// Replaces the policy, from the next plan on. An error while a compaction is running.
    pub fn set_policy(&mut self, policy: Policy) -> Result<(), SetPolicyError> {
        if self.is_busy() {
            return Err(SetPolicyError::Busy);
        }
        policy.check().map_err(SetPolicyError::Invalid)?;
        self.conversation.index_for(&policy);
        self.conversation.name_model(policy.model.as_deref());
        if policy != self.policy {
            self.drop_preparation("the policy has changed");
        }
        self.policy = policy;
        self.note_policy();
        self.cycle.nothing_to_reduce_at = None;
        self.resume_automatic();
        Ok(())
    }

    fn job(&mut self) -> Option<&mut Job> {
        match &mut self.state {
            State::Deciding { job }
            | State::Reading { job }
            | State::Summarizing { job, .. }
            | State::Taking { job, .. }
            | State::Awaiting { job }
            | State::Backoff { job, .. } => Some(job),
            State::Concluding { conclusion } => Some(&mut conclusion.job),
            State::Idle | State::Committing { .. } | State::Paused { .. } => None,
        }
    }
}
