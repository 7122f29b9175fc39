//! The append-only log: every message, edit, compaction and undo of a conversation, in order.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use super::rewrite::{Change, PartChange};
use crate::message::{CheckpointId, Message, MessageId, Part};

/// One record of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "camelCase")]
pub enum Record {
    /// A new message at the end of the conversation.
    Message {
        /// The message.
        message: Message,
    },
    /// A new version of an earlier message. The earlier version stays in the log.
    Edit {
        /// The new version, with the same id.
        message: Message,
    },
    /// A compaction.
    Checkpoint {
        /// Its effect on the view.
        checkpoint: Checkpoint,
    },
    /// The undo of a compaction and of all later ones.
    Undo {
        /// The compaction that was undone.
        checkpoint: CheckpointId,
    },
    /// The open tasks from now on. Earlier ones stay in the log.
    Todo {
        /// The tasks, one per line; empty if there are none.
        text: String,
    },
}

/// Why a record cannot be appended to the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The log already has a message with this id.
    #[error("a message named {:?} is there already; to change it, edit it", .0.as_str())]
    DuplicateId(MessageId),
    /// The log has no message with this id.
    #[error("no message is named {:?}", .0.as_str())]
    UnknownId(MessageId),
    /// The checkpoint does not exist or was undone.
    #[error("{0} is not active")]
    UnknownCheckpoint(CheckpointId),
}

/// The append-only log of one conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    records: Vec<Record>,
    /// For each message, in order, the index of the record with its latest version.
    latest: Vec<usize>,
    positions: BTreeMap<MessageId, usize>,
    /// Indices of the records of the active checkpoints, oldest first.
    checkpoints: Vec<usize>,
    /// Index of the record of the open tasks.
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
                let index = self.active_checkpoints().position(|other| other.id == *checkpoint);
                match index {
                    // Later checkpoints were planned on the view of this one, so that none of them can stay
                    // without it.
                    Some(index) => self.checkpoints.truncate(index),
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

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.latest.len()
    }

    /// True if the log has no message.
    pub fn is_empty(&self) -> bool {
        self.latest.is_empty()
    }

    /// The latest version of the message at a position, from 0.
    pub fn message(&self, position: usize) -> Option<&Message> {
        match self.records.get(*self.latest.get(position)?)? {
            Record::Message { message } | Record::Edit { message } => Some(message),
            _ => None,
        }
    }

    /// The latest version of the message with a number, from 1, as in transcripts.
    pub(crate) fn message_numbered(&self, number: u32) -> Option<&Message> {
        self.message(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// The latest versions of all messages, in order.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Message> {
        (0..self.len()).filter_map(|position| self.message(position))
    }

    /// The position of a message, from 0. Costs O(log n).
    pub fn position(&self, id: &MessageId) -> Option<usize> {
        self.positions.get(id).copied()
    }

    /// The latest active checkpoint.
    pub fn checkpoint(&self) -> Option<&Checkpoint> {
        self.active_checkpoints().next_back()
    }

    /// The active checkpoints, which are those that were not undone, oldest first.
    pub fn active_checkpoints(&self) -> impl DoubleEndedIterator<Item = &Checkpoint> {
        self.checkpoints.iter().filter_map(|index| match self.records.get(*index)? {
            Record::Checkpoint { checkpoint } => Some(checkpoint),
            _ => None,
        })
    }

    /// Number of all checkpoints that were ever committed, including those that were undone. Linear in the records.
    pub fn checkpoints_committed(&self) -> usize {
        let is_checkpoint = |record: &&Record| matches!(record, Record::Checkpoint { .. });
        self.records.iter().filter(is_checkpoint).count()
    }

    /// The open tasks; `None` if there are none.
    pub fn todo(&self) -> Option<&str> {
        match self.records.get(self.todo?)? {
            Record::Todo { text } if !text.trim().is_empty() => Some(text),
            _ => None,
        }
    }

    /// The complete tool result that was offloaded under this path, even if that checkpoint was undone. If the message
    /// was edited afterwards, this is the version that was offloaded. Linear in the records.
    pub fn offloaded(&self, path: &str) -> Option<&str> {
        let named = |change: &&PartChange| matches!(&change.change, Change::Offload { path: own, .. } if own == path);
        let (index, id, part) = self.records.iter().enumerate().find_map(|(index, record)| {
            let Record::Checkpoint { checkpoint } = record else { return None };
            checkpoint.rewrites.iter().find_map(|rewrite| {
                let change = rewrite.changes.iter().find(named)?;
                Some((index, &rewrite.id, change.part))
            })
        })?;
        let version = self.records.iter().take(index).rev().find_map(|record| match record {
            Record::Message { message } | Record::Edit { message } if message.id == *id => {
                Some(message)
            }
            _ => None,
        })?;
        match version.parts.get(part)? {
            Part::ToolResult { text, .. } => Some(text),
            _ => None,
        }
    }
}
