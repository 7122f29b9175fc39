//! Why the compactor rejects a command, a snapshot or a policy.

use crate::history::LogError;
use crate::policy::PolicyError;

/// Why a command was rejected; the state is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// A compaction is running: wait for it or cancel it.
    #[error("a compaction is running; wait for it or cancel it")]
    Busy,
    /// No checkpoint is active: nothing was compacted, or everything is undone.
    #[error("there is no compaction to undo")]
    NothingToUndo,
    /// The last compaction failed or saved too little, and the conversation has hardly changed since. Only a
    /// manual compaction is accepted.
    #[error(
        "the last compaction failed or saved too little ({0}); compact manually or append a message to try again"
    )]
    Exhausted(String),
    /// No record is waiting to be stored.
    #[error("no record is waiting to be stored")]
    NothingToPersist,
    /// No compaction is waiting for `proceed` or `skip`.
    #[error("no compaction is waiting for a decision")]
    NothingToDecide,
    /// The command is for the compactor of the team, and this is the one of an agent.
    #[error(
        "this is an agent: messages are appended and changed through the compactor of its team"
    )]
    OfTeam,
    /// No agent has this name.
    #[error("no agent is named {0:?}")]
    UnknownAgent(String),
    /// The agent has a provider of its own, which has to be set again after a restore.
    #[error("the provider {provider:?} of the agent {agent:?} is not set; set it after a restore")]
    NoProvider {
        /// The agent's name.
        agent: String,
        /// What the host has called the provider.
        provider: String,
    },
    /// The log rejects the record.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Why a snapshot cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// Its policy is invalid.
    #[error("the snapshot's {0}")]
    Policy(PolicyError),
    /// Its records contradict each other.
    #[error("the snapshot's records do not fit each other: {0}")]
    Log(LogError),
}

/// Why a policy was not replaced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetPolicyError {
    /// A compaction is running.
    #[error("{}", CommandError::Busy)]
    Busy,
    /// The new policy is invalid.
    #[error(transparent)]
    Invalid(PolicyError),
}
