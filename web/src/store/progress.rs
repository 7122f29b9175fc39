//! A compaction under way.

use crate::number::plural;

/// How far it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    /// When it began, on the browser's clock.
    pub(crate) started_ms: f64,
    /// Tokens in the window when it began.
    pub(crate) tokens: u32,
    /// The same in percent of the window.
    pub(crate) budget_used_pct: f64,
    /// Requests that are answered.
    pub(crate) done: u32,
    /// Requests in all.
    pub(crate) chunks: u32,
    /// Set while a failed request waits to be made again.
    pub(crate) retry: Option<RetryNotice>,
    /// Set once the result was too large and it is tried with less.
    pub(crate) shorter: Option<Shorter>,
}

/// A failed request that will be made again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RetryNotice {
    /// How often it was made.
    pub(crate) attempt: u32,
    /// When it is made again, on the browser's clock.
    pub(crate) at_ms: f64,
    /// What went wrong.
    pub(crate) message: String,
}

/// What a result that was too large is tried with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shorter {
    /// Longest tool result, in characters.
    pub(crate) tool_result_max_characters: u32,
    /// Messages that stay of the end, where those are fewer now.
    pub(crate) tail: Option<u32>,
}

impl Shorter {
    /// The same in words.
    pub(crate) fn described(&self) -> String {
        let tail = self.tail.map(|tail| plural(tail, "message", "messages"));
        let tail = tail.map(|tail| format!(", and a tail of {tail}")).unwrap_or_default();
        format!("shorter tool results ({} characters){tail}", self.tool_result_max_characters)
    }
}
