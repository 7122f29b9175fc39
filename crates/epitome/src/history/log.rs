//! Everything that was ever said or decided, in order; nothing in it is overwritten.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use super::rewrite::{Change, PartChange};
use crate::message::{CheckpointId, Message, MessageId, Part};

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "camelCase")]
pub enum Record {
    /// A new message at the end of the conversation.
    Message {
        /// The message.
        message: Message,
    },
    /// A new wording of an earlier message; the earlier one stays in the log.
    Edit {
        /// The message as it is now, under its old name.
        message: Message,
    },
    /// A compaction.
    Checkpoint {
        /// What it did.
        checkpoint: Checkpoint,
    },
    /// A compaction taken back, with every later one.
    Undo {
        /// The one taken back.
        checkpoint: CheckpointId,
    },
    /// The open tasks as they are now; what they were stays in the log.
    Todo {
        /// The tasks, a line each; empty where there are none.
        text: String,
    },
}

/// Why a record does not fit the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogError {
    /// A message of this name is there already.
    DuplicateId(MessageId),
    /// No message has this name.
    UnknownId(MessageId),
    /// No checkpoint of this number is in force.
    UnknownCheckpoint(CheckpointId),
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateId(id) => {
                write!(
                    f,
                    "a message named {id:?} is there already; to change it, edit it",
                    id = id.as_str()
                )
            }
            Self::UnknownId(id) => write!(f, "no message is named {id:?}", id = id.as_str()),
            Self::UnknownCheckpoint(id) => write!(f, "{id} is not in force"),
        }
    }
}

impl std::error::Error for LogError {}

/// The append-only log of one conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    records: Vec<Record>,
    /// For each message, in order, the record that holds its latest wording.
    latest: Vec<usize>,
    positions: BTreeMap<MessageId, usize>,
    /// The records of the checkpoints in force, oldest first.
    checkpoints: Vec<usize>,
    /// The record of the open tasks.
    todo: Option<usize>,
}

impl Log {
    /// Appends a record. Costs O(log n).
    pub fn append(&mut self, record: Record) -> Result<(), LogError> {
        let index = self.records.len();
        match &record {
            Record::Message { message } => {
                match self.positions.entry(message.id.clone()) {
                    Entry::Occupied(known) => {
                        return Err(LogError::DuplicateId(known.key().clone()));
                    }
                    Entry::Vacant(slot) => slot.insert(self.latest.len()),
                };
                self.latest.push(index);
            }
            Record::Edit { message } => {
                let position = self.position(&message.id);
                let slot = position.and_then(|position| self.latest.get_mut(position));
                match slot {
                    Some(slot) => *slot = index,
                    None => return Err(LogError::UnknownId(message.id.clone())),
                }
            }
            Record::Checkpoint { checkpoint } => {
                let cover = checkpoint.cover.iter().map(|cover| &cover.through);
                let rewritten = checkpoint.rewrites.iter().map(|rewrite| &rewrite.id);
                let mut named = cover.chain(rewritten).chain(&checkpoint.dropped);
                if let Some(unknown) = named.find(|id| self.position(id).is_none()) {
                    return Err(LogError::UnknownId(unknown.clone()));
                }
                self.checkpoints.push(index);
            }
            Record::Undo { checkpoint } => {
                let mut in_force = self.active_checkpoints();
                let place = in_force.position(|other| other.id == *checkpoint);
                drop(in_force);
                match place {
                    Some(place) => self.checkpoints.truncate(place),
                    None => return Err(LogError::UnknownCheckpoint(*checkpoint)),
                }
            }
            Record::Todo { .. } => self.todo = Some(index),
        }
        self.records.push(record);
        Ok(())
    }

    /// Every record, oldest first.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// How many messages were said.
    pub fn len(&self) -> usize {
        self.latest.len()
    }

    /// True before the first message.
    pub fn is_empty(&self) -> bool {
        self.latest.is_empty()
    }

    /// The message at a position, in its latest wording.
    pub fn message(&self, position: usize) -> Option<&Message> {
        match self.records.get(*self.latest.get(position)?)? {
            Record::Message { message } | Record::Edit { message } => Some(message),
            _ => None,
        }
    }

    /// The message with a number, from 1, as transcripts have it.
    pub fn message_numbered(&self, number: u32) -> Option<&Message> {
        self.message(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// All messages in their latest wording, in order.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Message> {
        (0..self.len()).filter_map(|position| self.message(position))
    }

    /// Where a message stands, from 0. Costs O(log n).
    pub fn position(&self, id: &MessageId) -> Option<usize> {
        self.positions.get(id).copied()
    }

    /// The checkpoint in force: the latest that was not taken back.
    pub fn checkpoint(&self) -> Option<&Checkpoint> {
        self.active_checkpoints().next_back()
    }

    /// The checkpoints in force, oldest first.
    pub fn active_checkpoints(&self) -> impl DoubleEndedIterator<Item = &Checkpoint> {
        self.checkpoints.iter().filter_map(|index| match self.records.get(*index)? {
            Record::Checkpoint { checkpoint } => Some(checkpoint),
            _ => None,
        })
    }

    /// How many checkpoints were ever committed.
    pub fn checkpoints_committed(&self) -> usize {
        let made = |record: &&Record| matches!(record, Record::Checkpoint { .. });
        self.records.iter().filter(made).count()
    }

    /// The open tasks, where there are any.
    pub fn todo(&self) -> Option<&str> {
        match self.records.get(self.todo?)? {
            Record::Todo { text } if !text.trim().is_empty() => Some(text),
            _ => None,
        }
    }

    /// The whole of a tool result that was put aside under this name, in force or not, in the wording that
    /// it had then. Linear in the records.
    pub fn offloaded(&self, path: &str) -> Option<&str> {
        let named = |change: &&PartChange| matches!(&change.change, Change::Offload { path: own, .. } if own == path);
        let (index, id, part) = self.records.iter().enumerate().find_map(|(index, record)| {
            let Record::Checkpoint { checkpoint } = record else { return None };
            checkpoint.rewrites.iter().find_map(|rewrite| {
                let change = rewrite.changes.iter().find(named)?;
                Some((index, &rewrite.id, change.part))
            })
        })?;
        let worded = self.records.iter().take(index).rev().find_map(|record| match record {
            Record::Message { message } | Record::Edit { message } if message.id == *id => {
                Some(message)
            }
            _ => None,
        })?;
        match worded.parts.get(part)? {
            Part::ToolResult { text, .. } => Some(text),
            _ => None,
        }
    }
}
