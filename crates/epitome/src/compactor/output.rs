//! What the compactor asks of its host.

use serde::Serialize;

use super::Report;
use crate::history::Record;
use crate::message::RequestId;
use crate::message::Timestamp;
use crate::policy::Reason;
use crate::policy::{Keep, Summarizer};

/// What the compactor wants of its host. Drain until [`Output::Wait`] after every command.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Output {
    /// A compaction is about to ask for a summary: call [`Compactor::proceed`](crate::Compactor::proceed), or [`Compactor::skip`](crate::Compactor::skip) to leave everything as it is. Does not come where only reducers work.
    Before(BeforeCompaction),
    /// Have this summarized and call [`Compactor::handle_summary`](crate::Compactor::handle_summary) or [`Compactor::handle_failure`](crate::Compactor::handle_failure).
    Summarize(SummaryRequest),
    /// Store this and call [`Compactor::handle_persisted`](crate::Compactor::handle_persisted) or [`Compactor::handle_unpersisted`](crate::Compactor::handle_unpersisted).
    Persist(Record),
    /// The view is another one now.
    Changed,
    /// Something to show.
    Event(Event),
    /// Nothing more for now. With a moment: call [`Compactor::handle_timeout`](crate::Compactor::handle_timeout) then.
    Wait(Option<Timestamp>),
}

/// A compaction that is about to begin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct BeforeCompaction {
    /// Why it is made.
    pub reason: Reason,
    /// True where somebody asked for it by hand.
    pub forced: bool,
    /// Tokens in the window.
    pub tokens_used: u32,
    /// The same in percent of the window.
    pub context_percent: f64,
    /// Messages of the view.
    pub message_count: u32,
    /// How many of them stay, system prompts aside.
    pub keep_last: u32,
}

/// One question to a summarizer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct SummaryRequest {
    /// To be given back with the answer.
    pub id: RequestId,
    /// Why a summary is needed.
    pub reason: Reason,
    /// Who is to answer.
    pub summarizer: Summarizer,
    /// Instructions, for the system role.
    pub system: String,
    /// The material, for the user role; see [`crate::transcript::Envelope`].
    pub input: String,
    /// Longest answer that is of use, in tokens.
    pub target_tokens: u32,
    /// Where to cut a model off, in tokens: half again as much, for none keeps to its target exactly.
    pub max_tokens: u32,
    /// What the person asked to pay attention to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Which chunk this is, from 0.
    pub chunk_index: u32,
    /// How many chunks there are.
    pub chunk_count: u32,
}

/// Something worth showing while a compaction runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(rename = "EngineEvent"))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Event {
    /// A compaction has begun.
    Start {
        /// Tokens in the window.
        tokens: u32,
        /// The threshold, where there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        threshold: Option<u32>,
        /// Tokens in percent of the window.
        budget_used_pct: f64,
        /// How many chunks will be summarized.
        chunks: u32,
    },
    /// A compaction in the loop of a request has begun.
    Reacting {
        /// Tokens in the window.
        tokens: u32,
        /// Tokens in percent of the window.
        budget_used_pct: f64,
        /// How many chunks will be summarized.
        chunks: u32,
    },
    /// A chunk was summarized.
    Progress {
        /// Chunks that are done.
        done: u32,
        /// Chunks in all.
        chunks: u32,
    },
    /// The summarizer failed and will be asked again.
    Retry {
        /// How often it was asked for this chunk.
        attempt: u32,
        /// When it will be asked again, in the host's milliseconds.
        at: Timestamp,
        /// What went wrong.
        message: String,
    },
    /// An answer came to a question that is no longer open, and was left aside.
    Stale {
        /// The question.
        request: RequestId,
    },
    /// The window fills up. Comes once until the next compaction, where the policy asks for it.
    Warning {
        /// Tokens in the window.
        tokens: u32,
        /// The threshold that they come near to.
        threshold: u32,
        /// Tokens in percent of the window.
        budget_used_pct: f64,
    },
    /// The result was too large; it is tried again with less.
    Shorter {
        /// Longest tool result in the transcript now, in characters.
        tool_result_max_characters: u32,
        /// The tail that stays now.
        keep: Keep,
    },
    /// Nothing more can be saved, and the result is still too large.
    TooLarge {
        /// What to do, as a sentence for a person.
        message: String,
    },
    /// A tool result was put aside; [`Log::offloaded`](crate::history::Log::offloaded) has all of it.
    Offloaded {
        /// Its name.
        path: String,
    },
    /// A compaction that asked for a summary has ended; comes right before its end.
    After {
        /// True where it was applied.
        success: bool,
        /// Messages of the view before.
        messages_before: u32,
        /// Messages of the view after.
        messages_after: u32,
        /// Length of the summary in characters; 0 without one.
        summary_characters: u32,
    },
    /// The compaction has ended, one way or another.
    End {
        /// What it did.
        report: Box<Report>,
    },
    /// The compaction in the loop of a request has ended, one way or another.
    Reacted {
        /// Messages of the view before.
        messages_before: u32,
        /// Messages of the view after.
        messages_after: u32,
        /// What it did.
        report: Box<Report>,
    },
}
