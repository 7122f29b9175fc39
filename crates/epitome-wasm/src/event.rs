//! What is worth showing while a compaction runs.

use serde::Serialize;
use tsify::Tsify;

use crate::report::Report;

/// Something worth showing while a compaction runs.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EngineEvent {
    /// A compaction has begun.
    Start {
        /// Tokens in the window.
        tokens: u32,
        /// The threshold, where there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        threshold: Option<u32>,
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
        /// When it will be asked again, as `Date.now()` counts.
        at: f64,
        /// What went wrong.
        message: String,
    },
    /// An answer came to a question that is no longer open, and was left aside.
    Stale {
        /// The question.
        request: u32,
    },
    /// The compaction has ended, one way or another.
    End {
        /// What it did.
        report: Report,
    },
}

impl From<epitome::Event> for EngineEvent {
    fn from(event: epitome::Event) -> Self {
        match event {
            epitome::Event::Start { tokens, threshold, chunks } => {
                Self::Start { tokens, threshold, chunks }
            }
            epitome::Event::Progress { done, chunks } => Self::Progress { done, chunks },
            epitome::Event::Retry { attempt, at, message } => {
                Self::Retry { attempt, at: at.0 as f64, message }
            }
            epitome::Event::Stale { request } => Self::Stale { request: request.0 },
            epitome::Event::End { report } => Self::End { report: (*report).into() },
        }
    }
}
