//! Why a task stopped, as a sentence for the terminal.

use std::fmt;

/// The result of every operation whose failure stops a task.
pub(crate) type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// What failed and how to correct it, as text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    /// A failure with this text.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
