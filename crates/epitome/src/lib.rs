//! Keeps a conversation inside a model's context window.
//!
//! 1. A conversation is a [`history::Log`]; what the model sees is a [`history::View`] of it.
//! 2. A [`tokens::Meter`] counts each message once, when it arrives.
//! 3. A [`Policy`] says when to compact and how much.
//! 4. A [`Plan`] lists the action for every message, without changing anything.
//! 5. A [`Compactor`] carries the plan out: it requests summaries, verifies the result against the provider's
//!    [`Contract`], has it stored, and only then changes the view.
//! 6. Undo appends one more record: the log never loses a message.
//!
//! The engine does no I/O, and reads no clock. The app calls the summarizer and stores the records.
//!
//! ```
//! use epitome::message::{Message, Role};
//! use epitome::tokens::CharactersPer;
//! use epitome::{Compactor, Contract, Level, Output, Policy, Reason};
//!
//! let policy = Policy::recommended(400);
//! let tokenizer = Box::new(CharactersPer(4));
//! let mut compactor = Compactor::new(policy, Contract::default(), tokenizer)?;
//! for turn in 0..20 {
//!     let role = if turn % 2 == 0 { Role::User } else { Role::Assistant };
//!     let text = format!("Turn {turn}: we talk about the garden and what to plant in it this year.");
//!     compactor.append(Message::new(format!("m{turn}"), role, text))?;
//! }
//! assert_eq!(compactor.pressure().level, Level::Compact);
//!
//! compactor.compact(Reason::Threshold, None)?;
//! loop {
//!     match compactor.poll_output() {
//!         Output::Before(_) => compactor.proceed()?,
//!         Output::Summarize(request) => {
//!             compactor.handle_summary(request.id, "They planned this year's garden.");
//!         }
//!         Output::Persist(_record) => compactor.handle_persisted()?,
//!         Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
//!         Output::Wait(_) => break,
//!     }
//! }
//! assert_eq!(compactor.pressure().level, Level::Ok);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod calibration;
mod compactor;
mod contract;
mod conversation;
pub mod facts;
pub mod history;
pub mod json;
mod memory;
pub mod message;
mod overflow;
mod plan;
pub mod policy;
mod structured_state;
#[cfg(any(test, feature = "test-notation"))]
pub mod test_notation;
pub mod tokens;
pub mod transcript;
pub mod turn;

pub use calibration::Scale;
pub use compactor::{
    Agent, BeforeCompaction, CommandError, Compactor, CountedMessage, Event, GivenState, Lent,
    Lines, NextSummary, Outcome, Output, PreparedReport, PreparedUse, PromptCut, Report,
    RestoreError, Save, SetPolicyError, Snapshot, SnapshotError, Stored, SummarizerReport,
    SummarizerStep, SummarizerStepKind, SummarizerTokens, SummaryRequest, Waste,
};
pub use contract::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace, Thinking, Violation,
};
pub use conversation::{
    Breakdown, CompactionPoint, Conversation, Course, Level, Pressure, ProtectedTokens, Reported,
};
pub use history::Provider;
pub use memory::{Memory, MemoryEntry};
pub use message::Timestamp;
pub use overflow::ContextOverflow;
pub use plan::{Action, Columns, LockedParts, Plan, Scope};
pub use policy::{Failure, FailureKind, Phase, Policy, PolicyError, PolicySpec, Reason, Retry};
pub use structured_state::{StateEntry, StateList, StructuredState};
