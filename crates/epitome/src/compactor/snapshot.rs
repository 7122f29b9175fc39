//! A whole conversation as one value, to store and to go on from.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Cycle;
use crate::conversation::UsageState;
use crate::history::Record;
use crate::policy::Policy;

/// The version this engine writes.
const VERSION: u32 = 1;

/// Policy, log, and what is remembered besides. As text it is JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    version: u32,
    policy: Policy,
    records: Vec<Record>,
    #[serde(default)]
    condition: Condition,
}

/// What a compactor remembers besides policy and log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Condition {
    pub(crate) cycle: Cycle,
    pub(crate) exhausted: Option<String>,
    #[serde(default)]
    pub(crate) usage: UsageState,
    pub(crate) next_request: u32,
}

/// Why a text is no snapshot.
#[derive(Debug)]
pub enum SnapshotError {
    /// It is not JSON of the right shape.
    Malformed(serde_json::Error),
    /// It was written by a newer engine.
    Version(u32),
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) => write!(f, "this is no snapshot: {error}"),
            Self::Version(version) => write!(
                f,
                "the snapshot is of version {version}, and this engine reads version {VERSION}; update it"
            ),
        }
    }
}

impl std::error::Error for SnapshotError {}

impl Snapshot {
    pub(crate) fn new(policy: Policy, records: Vec<Record>, condition: Condition) -> Self {
        Self { version: VERSION, policy, records, condition }
    }

    pub(crate) fn into_parts(self) -> (Policy, Vec<Record>, Condition) {
        (self.policy, self.records, self.condition)
    }

    /// The policy in force when it was taken.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The snapshot as text. Linear.
    pub fn to_json(&self) -> Result<String, SnapshotError> {
        serde_json::to_string(self).map_err(SnapshotError::Malformed)
    }

    /// Reads what [`Self::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Self, SnapshotError> {
        let snapshot: Self = serde_json::from_str(text).map_err(SnapshotError::Malformed)?;
        if snapshot.version > VERSION {
            return Err(SnapshotError::Version(snapshot.version));
        }
        Ok(snapshot)
    }
}
