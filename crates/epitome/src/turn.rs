//! Runs one turn of a conversation: everything between a user message and the answer to it, as tasks for the host.
//!
//! A turn has one or more steps, each with one request to the model. In each step, the host is asked for:
//!
//! 1. the middleware, in order: continue, compact or stop;
//! 2. the transforms, in order: each rewrites the messages of this request;
//! 3. the context providers, in order: their messages stand before those;
//! 4. the count of what the request has besides the view;
//! 5. a compaction, if a reducer or a trigger is due; then the middleware is reset, and 2 to 4 are repeated;
//! 6. the request. If the prompt is too long, the conversation is compacted and the request is sent again;
//! 7. the middleware again, after the answer and the results of its calls are appended.
//!
//! After the last step, the host is asked for a compaction if one is due at the end of a turn.
//!
//! The machine holds no messages and calls nothing: [`Turn::poll`] returns the task, and a `handle_*` method takes its
//! result. What transforms and providers make is for one request, and is never stored.
//!
//! A turn of an agent of a team is the same with [`Compactor::agent`] in place of the compactor. The host gets the agent from the team
//! again for each task, and appends to the team what the agent says, with the agent as author and with its audience.

use serde_json::Value;

use crate::compactor::Compactor;
use crate::message::{Message, Role};
use crate::policy::{Phase, Reason};

/// How many middleware, transforms and providers a turn has, and its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnOptions {
    /// How many middleware are asked before and after each step.
    pub middleware: usize,
    /// How many transforms rewrite the messages of a request.
    pub transforms: usize,
    /// How many context providers add messages to a request.
    pub providers: usize,
    /// The most steps, from 1.
    pub max_steps: u32,
    /// How often a request is sent again after a compaction because its prompt was too long, in one step.
    pub max_retries: u32,
}

impl Default for TurnOptions {
    /// No middleware, transforms or providers; 50 steps, 3 retries.
    fn default() -> Self {
        Self { middleware: 0, transforms: 0, providers: 0, max_steps: 50, max_retries: 3 }
    }
}

/// What the host has to do next.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum TurnTask {
    /// Ask the middleware of this index what to do before the request, and call [`Turn::handle_verdict`].
    Before(usize),
    /// Have the transform of this index rewrite the messages, the first one those of the view, and call
    /// [`Turn::handle_done`].
    Transform(usize),
    /// Ask the context provider of this index for its messages, and call [`Turn::handle_done`]. All providers get the
    /// messages that the last transform has returned.
    Provide(usize),
    /// Pass what the request has besides the view to [`Compactor::set_request_context`], and call [`Turn::handle_done`].
    Count,
    /// Call [`Compactor::compact`] with this reason, do what it asks for, and call [`Turn::handle_compaction`].
    Compact {
        /// Why it is due.
        reason: Reason,
        /// What the middleware that asked for it has said about it.
        metadata: Option<Value>,
    },
    /// Reset all middleware, since a compaction for this reason was applied, and call [`Turn::handle_done`]. The numbers of
    /// steps and sessions go on.
    Reset(Reason),
    /// Send the messages of the providers and behind them those of the transforms. Append the answer and the results of its
    /// calls, report the usage, and call [`Turn::handle_reply`]; or [`Turn::handle_overflow`] after an error that is a
    /// [`ContextOverflow`](crate::ContextOverflow).
    Send,
    /// Ask the middleware of this index what to do after the step, and call [`Turn::handle_verdict`].
    After(usize),
    /// The turn has ended.
    End(TurnEnd),
}

/// A part of the usual context of a request, for a context provider of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextPart {
    /// Who the user is, such as tenant and user.
    Identity,
    /// The date.
    Date,
    /// A summary or an index of what is remembered.
    Memory,
    /// A summary or an index of a knowledge base.
    Knowledge,
    /// The skills that the model can use.
    Skills,
    /// The present state of the workspace.
    Workspace,
}

impl ContextPart {
    /// All parts in the order in which models read them best: who and when first, the workspace last, since it changes most
    /// often.
    pub const ALL: [Self; 6] =
        [Self::Identity, Self::Date, Self::Memory, Self::Knowledge, Self::Skills, Self::Workspace];

    /// The name of the part, as in the options of the npm package.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Date => "date",
            Self::Memory => "memory",
            Self::Knowledge => "knowledge",
            Self::Skills => "skills",
            Self::Workspace => "workspace",
        }
    }

    /// The user message by which the part is sent, with its name as id; `None` if the text is blank.
    pub fn message(self, text: &str) -> Option<Message> {
        (!text.trim().is_empty()).then(|| Message::new(self.as_str(), Role::User, text))
    }
}

/// What a middleware answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Goes on.
    Continue,
    /// Compacts first, and then goes on with the next middleware.
    Compact {
        /// What the events of the host should say about it; null for nothing.
        metadata: Value,
    },
    /// Ends the turn.
    Stop,
}

/// What the model answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Calls of tools, whose results are appended: another step follows.
    Calls,
    /// The end of the turn.
    Final,
}

/// Why a turn has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// The model has answered without calls.
    Answered,
    /// A middleware has stopped it.
    Stopped,
    /// It has taken as many steps as it may.
    MaxSteps,
    /// The prompt is too long, and no compaction can shorten it further.
    TooLong,
}

/// The result does not belong to the present task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the turn waits for the result of another task; poll it")]
pub struct UnexpectedResult;

/// One turn. See the module's documentation.
#[derive(Clone, Debug)]
pub struct Turn {
    options: TurnOptions,
    stage: Stage,
    step: u32,
    retries: u32,
    /// The phase of the next check before a request.
    phase: Phase,
    /// What the model answered in this step.
    reply: Reply,
}

#[derive(Clone, Debug)]
enum Stage {
    Before(usize),
    Transform(usize),
    Provide(usize),
    Count,
    /// A compaction may be due.
    Check {
        phase: Phase,
        then: Next,
    },
    /// `then` is what follows.
    Compact {
        reason: Reason,
        metadata: Option<Value>,
        then: Next,
    },
    Reset {
        reason: Reason,
        then: Next,
    },
    Send,
    After(usize),
    End(TurnEnd),
}

/// What follows a compaction.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// The next middleware before the request.
    Before(usize),
    /// The request, which is assembled again if a compaction was applied.
    Request,
    /// The same request again, only if a compaction was applied.
    Retry,
    /// The next middleware after the step.
    After(usize),
    /// The end of the turn.
    End,
}

impl Turn {
    /// A turn before its first step. The compactor already has the user's message, or the tool results after which the turn goes on.
    pub fn new(options: TurnOptions, compactor: &Compactor) -> Self {
        let (stage, phase, reply) = (Stage::Before(0), compactor.phase(), Reply::Final);
        let mut turn = Self { options, stage, step: 1, retries: 0, phase, reply };
        turn.skip_absent();
        turn
    }

    /// The number of the present step, from 1. A compaction does not change it.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// What the host has to do next; the same until its result is handed over. `compactor` says whether a compaction is due.
    pub fn poll(&mut self, compactor: &mut Compactor) -> TurnTask {
        if let Stage::Check { phase, then } = self.stage {
            let is_request = matches!(then, Next::Request);
            let also = || is_request.then_some(Phase::TurnStart);
            let due = compactor.check(phase);
            match due.or_else(|| compactor.check(also()?)) {
                Some(reason) => self.stage = Stage::Compact { reason, metadata: None, then },
                None => self.go_on_unchanged(then),
            }
        }
        match &self.stage {
            Stage::Before(index) => TurnTask::Before(*index),
            Stage::Transform(index) => TurnTask::Transform(*index),
            Stage::Provide(index) => TurnTask::Provide(*index),
            Stage::Count | Stage::Check { .. } => TurnTask::Count,
            Stage::Compact { reason, metadata, .. } => {
                TurnTask::Compact { reason: *reason, metadata: metadata.clone() }
            }
            Stage::Reset { reason, .. } => TurnTask::Reset(*reason),
            Stage::Send => TurnTask::Send,
            Stage::After(index) => TurnTask::After(*index),
            Stage::End(end) => TurnTask::End(*end),
        }
    }

    /// Takes the answer of a middleware.
    pub fn handle_verdict(&mut self, verdict: Verdict) -> Result<(), UnexpectedResult> {
        let next = match &self.stage {
            Stage::Before(index) => Next::Before(index + 1),
            Stage::After(index) => Next::After(index + 1),
            _ => return Err(UnexpectedResult),
        };
        match verdict {
            Verdict::Continue => self.go_on(next),
            Verdict::Compact { metadata } => {
                let metadata = Some(metadata).filter(|metadata| !metadata.is_null());
                let reason = Reason::SessionCompaction;
                self.stage = Stage::Compact { reason, metadata, then: next };
            }
            Verdict::Stop => self.stage = Stage::End(TurnEnd::Stopped),
        }
        Ok(())
    }

    /// Goes on after a transform, a provider, the count or a reset.
    pub fn handle_done(&mut self) -> Result<(), UnexpectedResult> {
        match self.stage {
            Stage::Transform(index) => self.stage = Stage::Transform(index + 1),
            Stage::Provide(index) => self.stage = Stage::Provide(index + 1),
            Stage::Reset { then, .. } => self.go_on(then),
            Stage::Count => {
                // A check at the start of a request resets what is counted for each request, so it is made only once.
                let phase = std::mem::replace(&mut self.phase, Phase::TurnStart);
                self.stage = Stage::Check { phase, then: Next::Request };
            }
            _ => return Err(UnexpectedResult),
        }
        self.skip_absent();
        Ok(())
    }

    /// Goes on after a compaction, whose report says whether it was applied.
    pub fn handle_compaction(&mut self, is_applied: bool) -> Result<(), UnexpectedResult> {
        let Stage::Compact { reason, then, .. } = self.stage else { return Err(UnexpectedResult) };
        match is_applied {
            true => self.stage = Stage::Reset { reason, then },
            false => self.go_on_unchanged(then),
        }
        Ok(())
    }

    /// Goes on after an answer, which is appended with the results of its calls.
    pub fn handle_reply(&mut self, reply: Reply) -> Result<(), UnexpectedResult> {
        let Stage::Send = self.stage else { return Err(UnexpectedResult) };
        self.stage = Stage::After(0);
        self.reply = reply;
        self.skip_absent();
        Ok(())
    }

    /// Goes on after a request that was refused because its prompt is too long: it is sent again after a compaction, if one
    /// can still be made.
    pub fn handle_overflow(&mut self) -> Result<(), UnexpectedResult> {
        let Stage::Send = self.stage else { return Err(UnexpectedResult) };
        self.stage = match self.retries < self.options.max_retries {
            true => Stage::Check { phase: Phase::Overflow, then: Next::Retry },
            false => Stage::End(TurnEnd::TooLong),
        };
        self.retries = self.retries.saturating_add(1);
        Ok(())
    }

    fn go_on(&mut self, next: Next) {
        self.stage = match next {
            Next::Before(index) => Stage::Before(index),
            Next::Request | Next::Retry => Stage::Transform(0),
            Next::After(index) => Stage::After(index),
            Next::End => Stage::End(TurnEnd::Answered),
        };
        self.skip_absent();
    }

    /// Goes on if there is no compaction, or one that changed nothing.
    fn go_on_unchanged(&mut self, next: Next) {
        match next {
            // The messages are assembled and counted already.
            Next::Request => self.stage = Stage::Send,
            Next::Retry => self.stage = Stage::End(TurnEnd::TooLong),
            next => self.go_on(next),
        }
    }

    /// Skips what the turn does not have, up to the next task.
    fn skip_absent(&mut self) {
        let TurnOptions { middleware, transforms, providers, max_steps, .. } = self.options;
        loop {
            self.stage = match self.stage {
                Stage::Before(index) if index >= middleware => Stage::Transform(0),
                Stage::Transform(index) if index >= transforms => Stage::Provide(0),
                Stage::Provide(index) if index >= providers => Stage::Count,
                Stage::After(index) if index >= middleware => match self.reply {
                    Reply::Final => Stage::Check { phase: Phase::TurnEnd, then: Next::End },
                    Reply::Calls if self.step >= max_steps => Stage::End(TurnEnd::MaxSteps),
                    Reply::Calls => {
                        self.step += 1;
                        self.retries = 0;
                        self.phase = Phase::Loop;
                        Stage::Before(0)
                    }
                },
                _ => return,
            };
        }
    }
}
