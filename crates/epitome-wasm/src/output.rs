//! What the compactor wants of its driver.

use epitome::policy;
use serde::Serialize;
use tsify::Tsify;

use crate::event::EngineEvent;
use crate::reason::Reason;

/// A compaction that is about to ask for a summary.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
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
    /// How many of them stay word for word.
    pub keep_last: u32,
}

/// Who is asked for a summary: the model of the conversation itself, with the app's prompt of a name; or
/// the app's agent of a name.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Summarizer {
    /// The model of the conversation itself, with a named prompt.
    Own {
        /// The prompt's name.
        prompt: String,
    },
    /// An agent of the app's.
    Agent {
        /// Its name.
        name: String,
    },
}

/// One question to a summarizer.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct SummaryRequest {
    /// Its number.
    pub id: u32,
    /// Why a summary is needed.
    pub reason: Reason,
    /// Who is to answer.
    pub summarizer: Summarizer,
    /// Instructions, for the system role.
    pub system: String,
    /// The material, for the user role.
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

/// What the compactor wants of its driver.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Output {
    /// Say whether a compaction may begin.
    Before {
        /// What is about to begin.
        context: BeforeCompaction,
    },
    /// Have this summarized.
    Summarize {
        /// What to ask.
        request: SummaryRequest,
    },
    /// Say that the record is stored.
    Persist,
    /// The view is another one now.
    Changed,
    /// Something to show.
    Event {
        /// What happened.
        event: EngineEvent,
    },
    /// Nothing more for now.
    Wait {
        /// When to call `handleTimeout`, where that is wanted.
        #[serde(skip_serializing_if = "Option::is_none")]
        until: Option<f64>,
    },
}

impl From<epitome::BeforeCompaction> for BeforeCompaction {
    fn from(before: epitome::BeforeCompaction) -> Self {
        let epitome::BeforeCompaction {
            reason,
            forced,
            tokens_used,
            context_percent,
            message_count,
            keep_last,
        } = before;
        let reason = reason.into();
        Self { reason, forced, tokens_used, context_percent, message_count, keep_last }
    }
}

impl From<policy::Summarizer> for Summarizer {
    fn from(summarizer: policy::Summarizer) -> Self {
        match summarizer {
            policy::Summarizer::Own { prompt } => Self::Own { prompt },
            policy::Summarizer::Agent { name } => Self::Agent { name },
        }
    }
}

impl From<epitome::SummaryRequest> for SummaryRequest {
    fn from(request: epitome::SummaryRequest) -> Self {
        let epitome::SummaryRequest {
            id,
            reason,
            summarizer,
            system,
            input,
            target_tokens,
            max_tokens,
            instructions,
            chunk_index,
            chunk_count,
        } = request;
        Self {
            id: id.0,
            reason: reason.into(),
            summarizer: summarizer.into(),
            system,
            input,
            target_tokens,
            max_tokens,
            instructions,
            chunk_index,
            chunk_count,
        }
    }
}

impl From<epitome::Output> for Output {
    fn from(output: epitome::Output) -> Self {
        match output {
            epitome::Output::Before(before) => Self::Before { context: before.into() },
            epitome::Output::Summarize(request) => Self::Summarize { request: request.into() },
            epitome::Output::Persist(_) => Self::Persist,
            epitome::Output::Changed => Self::Changed,
            epitome::Output::Event(event) => Self::Event { event: event.into() },
            epitome::Output::Wait(until) => Self::Wait { until: until.map(|until| until.0 as f64) },
        }
    }
}
