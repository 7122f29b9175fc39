//! A compaction under way.

/// How far it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    /// When it began, on the browser's clock.
    pub(crate) started_ms: f64,
    /// Requests that are answered.
    pub(crate) done: u32,
    /// Requests in all.
    pub(crate) chunks: u32,
    /// Set while a failed request waits to be made again.
    pub(crate) retry: Option<RetryNotice>,
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
