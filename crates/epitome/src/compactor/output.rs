//! What the compactor asks its host to do.

use serde::Serialize;

use super::Report;
use crate::history::{Record, View};
use crate::message::RequestId;
use crate::message::Timestamp;
use crate::policy::Reason;
use crate::policy::{Keep, Summarizer, SummaryInput};
use crate::structured_state::StructuredState;
use crate::transcript::Envelope;

/// What the host has to do next. To be polled until [`Output::Wait`] after every call.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Output {
    /// A compaction is about to request a summary: call [`Compactor::proceed`](crate::Compactor::proceed), or [`Compactor::skip`](crate::Compactor::skip) to leave everything as it is. Not emitted if only reducers work.
    Before(BeforeCompaction),
    /// Send this to the summarizer and call [`Compactor::handle_summary`](crate::Compactor::handle_summary) or [`Compactor::handle_failure`](crate::Compactor::handle_failure).
    Summarize(SummaryRequest),
    /// Store this and call [`Compactor::handle_persisted`](crate::Compactor::handle_persisted) or [`Compactor::handle_unpersisted`](crate::Compactor::handle_unpersisted).
    Persist(Record),
    /// Save the conversation, with [`Compactor::snapshot`](crate::Compactor::snapshot) or in a log of the app, before
    /// the next output is polled. No answer is expected: if the state before a compaction cannot be saved, an app may
    /// [`cancel`](crate::Compactor::cancel) it. Not emitted if only reducers work.
    Save(Save),
    /// The view has changed.
    Changed,
    /// Something that an app may want to show.
    Event(Event),
    /// A slice of a long work is done, and another one follows: poll again. Between two slices, a page can be drawn and
    /// react, and the app can [`cancel`](crate::Compactor::cancel).
    Continue,
    /// Nothing to do for now. If a time is given, call [`Compactor::handle_timeout`](crate::Compactor::handle_timeout) at that time.
    Wait(Option<Timestamp>),
}

/// The occasion to save a conversation, and the session that it is in: the log of one session ends with the
/// compaction that begins the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(tag = "when", rename_all = "camelCase")]
pub enum Save {
    /// A compaction was allowed to start; the summarizer was not asked yet.
    Before {
        /// The session, see [`Compactor::session`](crate::Compactor::session).
        session: u32,
    },
    /// The compaction has ended.
    After {
        /// The session, which is the next one after a success.
        session: u32,
        /// True if it was applied. If not, the conversation is as before.
        success: bool,
    },
}

/// A compaction that is about to start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct BeforeCompaction {
    /// Why it is due.
    pub reason: Reason,
    /// True if it was requested manually.
    pub forced: bool,
    /// Tokens in the window.
    pub tokens_used: u32,
    /// `tokens_used` in percent of the window.
    pub context_percent: f64,
    /// Messages of the view.
    pub message_count: u32,
    /// How many of them stay, not counting system messages.
    pub keep_last: u32,
}

/// What a model knows of the state of the messages, if its summary is to begin with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum GivenState {
    /// It is shown the state, and asked to amend it.
    Shown,
    /// It knows only how many tokens are left: its last answer was no summary or lacked its end, and small models repeat a state
    /// that they are shown.
    Hidden,
    /// There is no state before the answer, which is not about the conversation: entries of the memory are blended.
    None,
}

/// A request to the summarizer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct SummaryRequest {
    /// Identifies the request; to be passed back with the answer.
    pub id: RequestId,
    /// Why a summary is needed.
    pub reason: Reason,
    /// Which summarizer answers it.
    pub summarizer: Summarizer,
    /// The instructions for a transcript, as the system message.
    pub system: String,
    /// The transcript to summarize, as the user message; see [`crate::transcript::Envelope`]. Also if there are messages,
    /// for a summarizer that takes none.
    pub input: String,
    /// What the summarizer noted for itself when it wrote the summary so far. No model reads it.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub notes: String,
    /// The messages to send in place of `system` and `input`; `None` for a transcript. The last one asks for the summary. If
    /// the whole conversation is sent, its own system prompt and tools belong to the request.
    #[serde(skip)]
    pub messages: Option<View>,
    /// What the summarizer gets.
    pub form: SummaryInput,
    /// The longest useful answer, in tokens.
    pub target_tokens: u32,
    /// The limit for the model's output, in tokens: 1.5 × `target_tokens`, since no model keeps to its target
    /// exactly.
    pub max_tokens: u32,
    /// What the user asked the summarizer to pay attention to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// True if no compaction waits for the answer: the summary is written in advance.
    pub is_ahead: bool,
    /// True if changes to the structured state are to stand beside the summary, as the instructions say. A server that holds
    /// answers to a schema or a grammar can be given [`StructuredState::answer_schema`] or
    /// [`StructuredState::answer_grammar`].
    pub asks_for_state: bool,
    /// What a model knows of the state of the messages, for [`Compactor::handle_summary_state`](crate::Compactor).
    pub given_state: GivenState,
    /// Which chunk this is, from 0.
    pub chunk_index: u32,
    /// How many chunks there are.
    pub chunk_count: u32,
}

impl SummaryRequest {
    /// The content of the transcript. Linear in it.
    pub fn envelope(&self) -> Envelope {
        Envelope { notes: self.notes.clone(), ..Envelope::parse(&self.input) }
    }
}

/// Progress of a compaction, for display and logs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(rename = "EngineEvent"))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Event {
    /// A compaction has started.
    Start {
        /// Tokens in the window.
        tokens: u32,
        /// The threshold in tokens, if the policy has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        threshold: Option<u32>,
        /// Tokens in percent of the window.
        budget_used_pct: f64,
        /// How many chunks the summarizer gets.
        chunks: u32,
    },
    /// A reactive compaction has started, in the middle of a request.
    Reacting {
        /// Tokens in the window.
        tokens: u32,
        /// Tokens in percent of the window.
        budget_used_pct: f64,
        /// How many chunks the summarizer gets.
        chunks: u32,
    },
    /// The summary of the next compaction begins to be written in advance.
    Preparing {
        /// Tokens in the window.
        tokens: u32,
        /// How many chunks the summarizer gets.
        chunks: u32,
    },
    /// It is written, and waits for the compaction.
    Prepared,
    /// What was written in advance is thrown away.
    PreparationDropped {
        /// The request that is not answered yet, and need not be any more; `None` if there is none.
        #[serde(skip_serializing_if = "Option::is_none")]
        request: Option<RequestId>,
        /// Why.
        because: String,
    },
    /// The structured state is another one: after a summary with changes to it, an edit of the app's, an undo, or a move to
    /// another branch.
    StateChanged {
        /// As it is now.
        state: Box<StructuredState>,
    },
    /// The oldest entries of the memory were blended into its summary.
    MemoryBlended {
        /// How many.
        entries: u32,
    },
    /// They were not, and stay as they are. The next entry tries again.
    MemoryFailed {
        /// What went wrong.
        message: String,
    },
    /// A chunk was summarized.
    Progress {
        /// Chunks that are done.
        done: u32,
        /// All chunks.
        chunks: u32,
    },
    /// The summarizer failed, and the request will be repeated.
    Retry {
        /// How often this chunk was requested so far.
        attempt: u32,
        /// When it will be repeated, in milliseconds of the app's clock.
        at: Timestamp,
        /// What went wrong.
        message: String,
    },
    /// An answer to a request that is no longer open was ignored.
    Stale {
        /// The request.
        request: RequestId,
    },
    /// A token count of the provider was ignored, because it is far below what is certain to be in the view: many servers
    /// report 0 for a stream. The engine's own count goes on to be used.
    UsageIgnored {
        /// Tokens in the window as they were reported, prompt and answer together.
        reported: u32,
        /// Tokens in the window as they are counted without it.
        used: u32,
    },
    /// The server of a summarizer seems to have cut a prompt without saying so, so that the summary lacks what was cut. The
    /// compaction goes on.
    PromptCut {
        /// Tokens of the prompt as the server reported them.
        reported: u32,
        /// Tokens of what was sent, as the engine counts them.
        estimated: u32,
        /// What to do, as a sentence for the user.
        message: String,
    },
    /// The policy's warning threshold is reached. Emitted at most once until the next compaction.
    Warning {
        /// Tokens in the window.
        tokens: u32,
        /// The threshold of the next compaction, in tokens.
        threshold: u32,
        /// Tokens in percent of the window.
        budget_used_pct: f64,
    },
    /// The result was too large; the compaction is repeated at the next fallback level.
    Shorter {
        /// The longest tool result in the transcript at this level, in characters.
        tool_result_max_characters: u32,
        /// The tail that stays at this level.
        keep: Keep,
    },
    /// No fallback level is left, and the result is still too large.
    TooLarge {
        /// What to do, as a sentence for the user.
        message: String,
    },
    /// A tool result was offloaded; [`Log::offloaded`](crate::history::Log::offloaded) returns all of it.
    Offloaded {
        /// Its path.
        path: String,
    },
    /// A compaction that requested a summary has ended; emitted right before `end` or `reacted`.
    After {
        /// True if it was applied.
        success: bool,
        /// Messages of the view before.
        messages_before: u32,
        /// Messages of the view after.
        messages_after: u32,
        /// Length of the summary in characters; 0 without one.
        summary_characters: u32,
    },
    /// The compaction has ended; the report says how.
    End {
        /// What it did.
        report: Box<Report>,
    },
    /// The reactive compaction has ended; the report says how.
    Reacted {
        /// Messages of the view before.
        messages_before: u32,
        /// Messages of the view after.
        messages_after: u32,
        /// What it did.
        report: Box<Report>,
    },
}
