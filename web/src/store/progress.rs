//! The progress of a running compaction.

use crate::language::t;
use crate::number::plural;

/// A running compaction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    /// When it started, on the browser's clock.
    pub(crate) started_ms: f64,
    /// Tokens in the window when it started.
    pub(crate) tokens: u32,
    /// The same in percent of the window.
    pub(crate) budget_used_pct: f64,
    /// Summarizer requests that are answered.
    pub(crate) done: u32,
    /// All summarizer requests.
    pub(crate) chunks: u32,
    /// Set while a failed request waits for its retry.
    pub(crate) retry: Option<RetryNotice>,
    /// Set if the result was too large and the compaction is repeated with shorter content.
    pub(crate) shorter: Option<Shorter>,
}

/// A failed request that will be retried.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RetryNotice {
    /// The number of the failed attempt.
    pub(crate) attempt: u32,
    /// When it is retried, on the browser's clock.
    pub(crate) at_ms: f64,
    /// Why it failed.
    pub(crate) message: String,
}

/// The content of a repeated compaction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shorter {
    /// The maximum length of a tool result, in characters.
    pub(crate) tool_result_max_characters: u32,
    /// The messages of the tail, if the tail is shorter now.
    pub(crate) tail: Option<u32>,
}

impl Shorter {
    /// The content in words.
    pub(crate) fn described(&self) -> String {
        let characters = self.tool_result_max_characters;
        match self.tail {
            Some(tail) => t!(
                "shorter tool results ({characters} characters), and a tail of {messages}",
                characters,
                messages = plural(tail, "message", "messages")
            ),
            None => t!("shorter tool results ({characters} characters)", characters),
        }
    }
}
