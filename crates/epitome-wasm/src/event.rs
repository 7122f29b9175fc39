//! What is worth showing while a compaction runs.

use serde::Serialize;
use tsify::Tsify;

use crate::policy::Keep;
use crate::report::Report;

/// Something worth showing: mostly while a compaction runs; a `warning` comes from `check`.
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
    /// A tool result was put aside; `offloaded` gives all of it.
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
        report: Report,
    },
    /// The compaction in the loop of a request has ended, one way or another.
    Reacted {
        /// Messages of the view before.
        messages_before: u32,
        /// Messages of the view after.
        messages_after: u32,
        /// What it did.
        report: Report,
    },
}

impl From<epitome::Event> for EngineEvent {
    fn from(event: epitome::Event) -> Self {
        match event {
            epitome::Event::Start { tokens, threshold, budget_used_pct, chunks } => {
                Self::Start { tokens, threshold, budget_used_pct, chunks }
            }
            epitome::Event::Reacting { tokens, budget_used_pct, chunks } => {
                Self::Reacting { tokens, budget_used_pct, chunks }
            }
            epitome::Event::Progress { done, chunks } => Self::Progress { done, chunks },
            epitome::Event::Retry { attempt, at, message } => {
                Self::Retry { attempt, at: at.0 as f64, message }
            }
            epitome::Event::Stale { request } => Self::Stale { request: request.0 },
            epitome::Event::Warning { tokens, threshold, budget_used_pct } => {
                Self::Warning { tokens, threshold, budget_used_pct }
            }
            epitome::Event::Shorter { tool_result_max_characters, keep } => {
                Self::Shorter { tool_result_max_characters, keep: keep.into() }
            }
            epitome::Event::TooLarge { message } => Self::TooLarge { message },
            epitome::Event::Offloaded { path } => Self::Offloaded { path },
            epitome::Event::After {
                success,
                messages_before,
                messages_after,
                summary_characters,
            } => Self::After { success, messages_before, messages_after, summary_characters },
            epitome::Event::End { report } => Self::End { report: (*report).into() },
            epitome::Event::Reacted { messages_before, messages_after, report } => {
                Self::Reacted { messages_before, messages_after, report: (*report).into() }
            }
        }
    }
}
