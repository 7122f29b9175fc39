//! Why the compactor refuses a command.

use std::fmt;

use crate::history::LogError;
use crate::policy::PolicyError;

/// A command that does not fit the state the compactor is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandError {
    /// A compaction is running: wait for it or cancel it.
    Busy,
    /// Nothing was compacted, or all of it is undone.
    NothingToUndo,
    /// A compaction has failed or gained nothing, and no message has come since: only a manual one is
    /// tried again.
    Exhausted(String),
    /// No record waits to be stored.
    NothingToPersist,
    /// No compaction waits for leave to begin.
    NothingToDecide,
    /// The log refuses a record.
    Log(LogError),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("a compaction is running; wait for it or cancel it"),
            Self::NothingToUndo => f.write_str("there is no compaction to undo"),
            Self::Exhausted(reason) => write!(
                f,
                "the last compaction came to nothing ({reason}); compact by hand or append a message to try again"
            ),
            Self::NothingToPersist => f.write_str("no record is waiting to be stored"),
            Self::NothingToDecide => f.write_str("no compaction is waiting for leave to begin"),
            Self::Log(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CommandError {}

impl From<LogError> for CommandError {
    fn from(error: LogError) -> Self {
        Self::Log(error)
    }
}

/// Why a snapshot cannot be gone on from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreError {
    /// Its policy cannot work.
    Policy(PolicyError),
    /// Its records do not fit each other.
    Log(LogError),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Policy(error) => write!(f, "the snapshot's {error}"),
            Self::Log(error) => write!(f, "the snapshot's records do not fit each other: {error}"),
        }
    }
}

impl std::error::Error for RestoreError {}

/// Why a policy was not put in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyChange {
    /// A compaction is running.
    Busy,
    /// The policy cannot work.
    Refused(PolicyError),
}

impl fmt::Display for PolicyChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => CommandError::Busy.fmt(f),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PolicyChange {}
