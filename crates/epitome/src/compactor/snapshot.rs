//! A snapshot: a whole conversation as a list of records, to store and to restore. A store has the same records, added one
//! commit after the other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Cycle, PreparationState};
use crate::conversation::UsageState;
use crate::history::{Record, UnknownRecord};
use crate::policy::Policy;

/// The version this engine writes. It increases when a known record gets another meaning. A new kind of record needs no new
/// version: an engine that does not know it keeps it and names it.
const VERSION: u32 = 2;

/// Kinds of lines that a host adds for itself: the app's own message, and the end of a commit.
const HOST_RECORDS: [&str; 2] = ["original", "commit"];

/// The policy, the log, and the compactor's own state. Its text form is JSON Lines: one record in each line, the first of
/// which has the version.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    policy: Policy,
    records: Vec<Record>,
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
    #[serde(default, skip_serializing_if = "PreparationState::is_empty")]
    pub(crate) preparations: PreparationState,
    /// Those of the agents, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) agents: BTreeMap<String, Condition>,
}

/// A line that is no record of the log.
#[derive(Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "camelCase")]
enum Other<P, C> {
    /// The first line.
    Begin { version: u32 },
    /// The policy from here on.
    Policy { policy: P },
    /// The compactor's own state after all records. The last one counts.
    State { state: C },
}

/// Only what kind of line it is.
#[derive(Deserialize)]
struct Kind {
    record: String,
}

/// Why a text cannot be read as a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// A line, counted from 1, is not JSON of the right shape.
    #[error("this is no snapshot: line {0}: {1}")]
    Malformed(usize, serde_json::Error),
    /// It does not begin with its version, or has no policy.
    #[error("this is no snapshot: it has no {0}")]
    Missing(&'static str),
    /// It was written by a newer engine.
    #[error("the snapshot is of version {0}, and this engine reads version {VERSION}; update it")]
    Version(u32),
}

impl Snapshot {
    pub(crate) fn new(policy: Policy, records: Vec<Record>, condition: Condition) -> Self {
        Self { policy, records, condition }
    }

    pub(crate) fn into_parts(self) -> (Policy, Vec<Record>, Condition) {
        (self.policy, self.records, self.condition)
    }

    /// The latest policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The snapshot as JSON Lines. Linear in it.
    pub fn to_json_lines(&self) -> Result<String, SnapshotError> {
        let mut text = beginning(&self.policy)?;
        for record in &self.records {
            text.push_str(&line(record)?);
        }
        text.push_str(&state_line(&self.condition)?);
        Ok(text)
    }

    /// Reads what [`Self::to_json_lines`] wrote, or the commits of a store one after the other. Blank lines mean nothing.
    /// Linear in the text.
    pub fn from_json_lines(text: &str) -> Result<Self, SnapshotError> {
        let mut records = Vec::new();
        let (mut begun, mut policy, mut condition) = (false, None, Condition::default());
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            let malformed = |error| SnapshotError::Malformed(number, error);
            let Kind { record: kind } = serde_json::from_str(line).map_err(malformed)?;
            if HOST_RECORDS.contains(&kind.as_str()) {
                continue;
            }
            if !matches!(kind.as_str(), "begin" | "policy" | "state") {
                records.push(match Record::is_known(&kind) {
                    true => serde_json::from_str(line).map_err(malformed)?,
                    false => Record::Unknown(UnknownRecord::new(kind, line)),
                });
                continue;
            }
            match serde_json::from_str(line).map_err(malformed)? {
                // A newer snapshot may parse by chance, with fields that this engine ignores: it would continue without
                // them and store the loss.
                Other::Begin { version } if version > VERSION => {
                    return Err(SnapshotError::Version(version));
                }
                Other::Begin { .. } => begun = true,
                Other::Policy { policy: new } => policy = Some(new),
                Other::State { state } => condition = state,
            }
        }
        if !begun {
            return Err(SnapshotError::Missing("version"));
        }
        let policy = policy.ok_or(SnapshotError::Missing("policy"))?;
        Ok(Self { policy, records, condition })
    }
}

/// The lines before the first record.
pub(super) fn beginning(policy: &Policy) -> Result<String, SnapshotError> {
    let version: Other<(), ()> = Other::Begin { version: VERSION };
    Ok(written(&version)? + &policy_line(policy)?)
}

/// The line of another policy.
pub(super) fn policy_line(policy: &Policy) -> Result<String, SnapshotError> {
    written::<Other<&Policy, ()>>(&Other::Policy { policy })
}

/// The line of the compactor's own state.
pub(super) fn state_line(state: &Condition) -> Result<String, SnapshotError> {
    written::<Other<(), &Condition>>(&Other::State { state })
}

/// The line of a record.
pub(super) fn line(record: &Record) -> Result<String, SnapshotError> {
    match record {
        Record::Unknown(unknown) => Ok(format!("{}\n", unknown.line())),
        record => written(record),
    }
}

fn written<T: Serialize>(line: &T) -> Result<String, SnapshotError> {
    let mut text =
        serde_json::to_string(line).map_err(|error| SnapshotError::Malformed(0, error))?;
    text.push('\n');
    Ok(text)
}
