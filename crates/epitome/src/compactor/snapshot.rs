//! A snapshot: a whole conversation as one value, to store and to restore.

use serde::{Deserialize, Serialize};

use super::Cycle;
use crate::conversation::UsageState;
use crate::history::Record;
use crate::policy::Policy;

/// The version this engine writes.
const VERSION: u32 = 1;

/// The policy, the log, and the compactor's own state. Its text form is JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    version: u32,
    policy: Policy,
    records: Vec<Record>,
    #[serde(default)]
    condition: Condition,
}

/// The compactor's own state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Condition {
    pub(crate) cycle: Cycle,
    /// Why automatic compactions are paused; `None` if they are not.
    pub(crate) paused: Option<String>,
    #[serde(default)]
    pub(crate) usage: UsageState,
    pub(crate) next_request: u32,
}

/// Why a text cannot be read as a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// It is not JSON of the right shape.
    #[error("this is no snapshot: {0}")]
    Malformed(serde_json::Error),
    /// It was written by a newer engine.
    #[error("the snapshot is of version {0}, and this engine reads version {VERSION}; update it")]
    Version(u32),
}

impl Snapshot {
    pub(crate) fn new(policy: Policy, records: Vec<Record>, condition: Condition) -> Self {
        Self { version: VERSION, policy, records, condition }
    }

    pub(crate) fn into_parts(self) -> (Policy, Vec<Record>, Condition) {
        (self.policy, self.records, self.condition)
    }

    /// The policy at the time of the snapshot.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The snapshot as JSON. Linear in it.
    pub fn to_json(&self) -> Result<String, SnapshotError> {
        serde_json::to_string(self).map_err(SnapshotError::Malformed)
    }

    /// Reads the JSON that [`Self::to_json`] wrote. Linear in the text.
    pub fn from_json(text: &str) -> Result<Self, SnapshotError> {
        let snapshot: Self = serde_json::from_str(text).map_err(SnapshotError::Malformed)?;
        // A newer snapshot may parse by chance, with fields that this engine ignores: it would continue without
        // them and store the loss.
        if snapshot.version > VERSION {
            return Err(SnapshotError::Version(snapshot.version));
        }
        Ok(snapshot)
    }
}
