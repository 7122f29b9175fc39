//! Why a task stopped, in a sentence for the person at the terminal.

use std::fmt;

/// The outcome of anything that may stop a task.
pub(crate) type Result<T = ()> = std::result::Result<T, Failure>;

/// What failed and what to do about it, as text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    /// A failure that reads `text`.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
