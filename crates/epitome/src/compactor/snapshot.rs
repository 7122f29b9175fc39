//! A snapshot: a whole conversation as a list of records, to store and to restore. A store has the same records, added one
//! commit after the other.

use std::fmt::Display;

use epitome_columns::SortedMap;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Cycle, PreparationState};
use crate::conversation::UsageState;
use crate::history::{Record, UnknownRecord};
use crate::json::{self, Misread};
use crate::policy::Policy;

/// The version this engine writes. It increases when a known record gets another meaning. A new kind of record needs no new
/// version: an engine that does not know it keeps it and names it.
const VERSION: u32 = 2;

/// The field of a line that says what kind of line it is.
const KIND: &str = "record";

/// How a line begins that has a message of the app's.
const ORIGINAL: &str = "{\"record\":\"original\",";

/// The policy, the log, and the compactor's own state. Its text form is JSON Lines: one record in each line, the first of
/// which has the version.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    policy: Policy,
    records: Vec<Record>,
    condition: Condition,
}

/// The lines of a snapshot or of a commit. Each is written when it is asked for, and all are of the conversation as it was when they
/// were begun.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    first: String,
    records: std::vec::IntoIter<Record>,
    last: String,
}

impl Lines {
    pub(super) fn new(first: String, records: Vec<Record>, last: String) -> Self {
        Self { first, records: records.into_iter(), last }
    }

    /// True if no line is left.
    pub fn is_done(&self) -> bool {
        self.first.is_empty() && self.records.as_slice().is_empty() && self.last.is_empty()
    }
}

impl Iterator for Lines {
    type Item = Result<String, SnapshotError>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.first.is_empty() {
            return Some(Ok(std::mem::take(&mut self.first)));
        }
        let record = self.records.next().map(|record| line(&record));
        record.or_else(|| (!self.last.is_empty()).then(|| Ok(std::mem::take(&mut self.last))))
    }
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
    #[serde(default, skip_serializing_if = "SortedMap::is_empty")]
    pub(crate) agents: SortedMap<String, Condition>,
}

/// Why a text cannot be read as a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// A line, counted from 1, is not JSON of the right shape.
    #[error("this is not a snapshot: line {0}: {1}")]
    Malformed(usize, String),
    /// It does not begin with its version, or has no policy.
    #[error("this is not a snapshot: it has no {0}")]
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

    /// The latest policy of each agent that has one of its own, by the agent's name. Linear in the records.
    pub fn agent_policies(&self) -> SortedMap<&str, &Policy> {
        let policies = self.records.iter().filter_map(|record| match record {
            Record::AgentPolicy { agent, policy } => Some((agent.as_str(), &**policy)),
            _ => None,
        });
        SortedMap::from_iter(policies)
    }

    /// The snapshot as JSON Lines. Linear in it.
    pub fn to_json_lines(&self) -> Result<String, SnapshotError> {
        self.clone().into_lines()?.collect()
    }

    /// The lines of [`Self::to_json_lines`], to write them in slices.
    pub fn into_lines(self) -> Result<Lines, SnapshotError> {
        let (first, last) = (beginning(&self.policy)?, state_line(&self.condition)?);
        Ok(Lines::new(first, self.records, last))
    }

    /// Reads what [`Self::to_json_lines`] wrote, or the commits of a store one after the other. Blank lines mean nothing.
    /// Linear in the text.
    pub fn from_json_lines(text: &str) -> Result<Self, SnapshotError> {
        let mut records = Vec::new();
        let (mut begun, mut policy, mut condition) = (false, None, Condition::default());
        for (number, line) in (1..).zip(text.lines()) {
            // The app's own messages are half of a stored conversation, and only a host reads them.
            if line.trim().is_empty() || line.starts_with(ORIGINAL) {
                continue;
            }
            let malformed =
                |problem: &dyn Display| SnapshotError::Malformed(number, problem.to_string());
            let mut fields: Map<String, Value> =
                serde_json::from_str(line).map_err(|error| malformed(&error))?;
            let kind: String = read(&mut fields, KIND).map_err(|error| malformed(&error))?;
            match kind.as_str() {
                // A host adds the end of a commit for itself.
                "original" | "commit" => {}
                "begin" => match read(&mut fields, "version").map_err(|error| malformed(&error))? {
                    // A newer snapshot may parse by chance, with fields that this engine ignores: it would continue without
                    // them and store the loss.
                    version if version > VERSION => return Err(SnapshotError::Version(version)),
                    _ => begun = true,
                },
                "policy" => {
                    policy =
                        read(&mut fields, "policy").map(Some).map_err(|error| malformed(&error))?;
                }
                "state" => {
                    condition = read(&mut fields, "state").map_err(|error| malformed(&error))?;
                }
                known if Record::is_known(known) => {
                    let record = Value::Object(Map::from_iter([(kind, Value::Object(fields))]));
                    records.push(json::read(&record).map_err(|error| malformed(&error))?);
                }
                _ => records.push(Record::Unknown(UnknownRecord::new(kind, line))),
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
    Ok(written("begin", &field("version", &VERSION)?) + &policy_line(policy)?)
}

/// The line of another policy.
pub(super) fn policy_line(policy: &Policy) -> Result<String, SnapshotError> {
    Ok(written("policy", &field("policy", policy)?))
}

/// The line of the compactor's own state.
pub(super) fn state_line(state: &Condition) -> Result<String, SnapshotError> {
    Ok(written("state", &field("state", state)?))
}

/// The line of a record.
pub(super) fn line(record: &Record) -> Result<String, SnapshotError> {
    if let Record::Unknown(unknown) = record {
        return Ok(format!("{}\n", unknown.line()));
    }
    let tagged = to_json(record)?;
    let content = tagged.strip_prefix("{\"").and_then(|text| text.strip_suffix("}}"));
    let (kind, fields) = content.and_then(|text| text.split_once("\":{")).unwrap_or_default();
    Ok(written(kind, fields))
}

/// A line of this kind with these fields, which are JSON. Texts are put together, because a conversation is written in less than
/// half the time in which it is copied into JSON values first.
fn written(kind: &str, fields: &str) -> String {
    let comma = if fields.is_empty() { "" } else { "," };
    format!("{{\"{KIND}\":\"{kind}\"{comma}{fields}}}\n")
}

fn field(name: &str, value: &impl Serialize) -> Result<String, SnapshotError> {
    Ok(format!("\"{name}\":{}", to_json(value)?))
}

fn to_json(value: &impl Serialize) -> Result<String, SnapshotError> {
    serde_json::to_string(value).map_err(|error| SnapshotError::Malformed(0, error.to_string()))
}

/// Takes a field out of a line and reads it.
fn read<T: DeserializeOwned>(
    line: &mut Map<String, Value>,
    name: &'static str,
) -> Result<T, Misread> {
    let value = line.swap_remove(name).ok_or_else(|| Misread::missing_field(name))?;
    json::read(&value).map_err(|error| error.in_field(name))
}
