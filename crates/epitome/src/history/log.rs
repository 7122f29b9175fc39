//! The log: every message, compaction and undo of a conversation, in order.
//!
//! Messages and compactions are only appended. What nothing can refer to any more is not kept: the earlier version of an
//! edited message, the contents of a compaction that was undone, and earlier open tasks.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use super::rewrite::{Change, PartChange, Rewrite};
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
    /// A new version of an earlier message. The earlier version stays in the log only if a result may have been offloaded
    /// from it.
    Edit {
        /// The new version, with the same id.
        message: Message,
    },
    /// A compaction.
    Checkpoint {
        /// Its effect on the view.
        checkpoint: Checkpoint,
    },
    /// The undo of a compaction and of all later ones. The log has [`Record::Undone`] in place of them and of this.
    Undo {
        /// The compaction that was undone.
        checkpoint: CheckpointId,
    },
    /// What is left of compactions that were undone.
    Undone {
        /// How many compactions these were. No id is used twice.
        checkpoints: u32,
        /// How many of them had a summary, each of which has begun a session.
        summaries: u32,
        /// The tool results that they had offloaded. The model may still ask for one by its path.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        offloaded: Vec<Rewrite>,
    },
    /// The open tasks from now on, in place of earlier ones.
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

/// The log of one conversation.
#[derive(Clone, Debug, Default)]
pub struct Log {
    records: Vec<Record>,
    /// For each message, in order, the index of the record with its latest version.
    latest: Vec<usize>,
    positions: BTreeMap<MessageId, usize>,
    /// Indices of the records of the active checkpoints, oldest first.
    checkpoints: Vec<usize>,
    /// Index of the record of the open tasks.
    todo: Option<usize>,
    /// Index of the last record that has offloaded a tool result.
    offloaded: Option<usize>,
    /// Number of records that were ever appended.
    revision: usize,
    /// Number of edits that were ever appended.
    edits: usize,
}

impl PartialEq for Log {
    fn eq(&self, other: &Self) -> bool {
        // Everything else but the two counters follows from the records.
        self.records == other.records
    }
}

impl Log {
    /// Appends a record. Costs O(log n), and for a checkpoint or an undo the size of the checkpoints that it is about.
    pub fn append(&mut self, record: Record) -> Result<(), LogError> {
        self.store(record)?;
        self.revision += 1;
        Ok(())
    }

    fn store(&mut self, record: Record) -> Result<(), LogError> {
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
                let Some(slot) = slot else {
                    return Err(LogError::UnknownId(message.id.clone()));
                };
                self.edits += 1;
                // An answer that is streamed by thousands of edits would otherwise leave as many versions behind.
                if self.offloaded.is_none_or(|offloaded| offloaded < *slot)
                    && let Some(
                        Record::Message { message: earlier } | Record::Edit { message: earlier },
                    ) = self.records.get_mut(*slot)
                {
                    earlier.clone_from(message);
                    return Ok(());
                }
                *slot = index;
            }
            Record::Checkpoint { checkpoint } => {
                let cover = checkpoint.cover.iter().map(|cover| &cover.through);
                let rewritten = checkpoint.rewrites.iter().map(|rewrite| &rewrite.id);
                let mut named = cover.chain(rewritten).chain(&checkpoint.dropped);
                if let Some(unknown) = named.find(|id| self.position(id).is_none()) {
                    return Err(LogError::UnknownId(unknown.clone()));
                }
                self.checkpoints.push(index);
                if offloads(&checkpoint.rewrites).next().is_some() {
                    self.offloaded = Some(index);
                }
            }
            Record::Undo { checkpoint } => {
                let index = self.active_checkpoints().position(|other| other.id == *checkpoint);
                let Some(index) = index else {
                    return Err(LogError::UnknownCheckpoint(*checkpoint));
                };
                // Later checkpoints were planned on the view of this one, so that none of them can stay without it.
                for undone in self.checkpoints.split_off(index).into_iter().rev() {
                    self.strip(undone);
                }
                return Ok(());
            }
            Record::Undone { offloaded, .. } => {
                if !offloaded.is_empty() {
                    self.offloaded = Some(index);
                }
            }
            Record::Todo { .. } => match self.todo.and_then(|todo| self.records.get_mut(todo)) {
                Some(earlier) => {
                    *earlier = record;
                    return Ok(());
                }
                None => self.todo = Some(index),
            },
        }
        self.records.push(record);
        Ok(())
    }

    /// Leaves of the checkpoint at this index only what can still be asked for. If nothing was appended since, it becomes one
    /// record with what is left of those undone right before it.
    fn strip(&mut self, index: usize) {
        let Some(Record::Checkpoint { checkpoint }) = self.records.get(index) else { return };
        let summary = u32::from(checkpoint.cover.is_some());
        let own: Vec<Rewrite> = offloads(&checkpoint.rewrites).collect();
        let is_last = index + 1 == self.records.len();
        let before = index.checked_sub(1).and_then(|before| self.records.get_mut(before));
        if let Some(Record::Undone { checkpoints, summaries, offloaded }) =
            before.filter(|_| is_last)
        {
            *checkpoints = checkpoints.saturating_add(1);
            *summaries = summaries.saturating_add(summary);
            let known: BTreeSet<&Rewrite> = offloaded.iter().collect();
            let new: Vec<Rewrite> =
                own.into_iter().filter(|rewrite| !known.contains(rewrite)).collect();
            offloaded.extend(new);
            self.records.pop();
            if self.offloaded == Some(index) {
                self.offloaded = Some(index - 1);
            }
        } else if let Some(record) = self.records.get_mut(index) {
            *record = Record::Undone { checkpoints: 1, summaries: summary, offloaded: own };
        }
    }

    /// Number of records that were ever appended, whether or not they are still there.
    pub fn revision(&self) -> usize {
        self.revision
    }

    /// Number of edits that were ever appended.
    pub fn edits(&self) -> usize {
        self.edits
    }

    /// Every record that is kept, oldest first.
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
        let count = |record: &Record| match record {
            Record::Checkpoint { .. } => 1,
            Record::Undone { checkpoints, .. } => {
                usize::try_from(*checkpoints).unwrap_or(usize::MAX)
            }
            _ => 0,
        };
        self.records.iter().map(count).sum()
    }

    /// Number of all summaries that were ever committed, including those that were undone. Linear in the records.
    pub fn summaries_committed(&self) -> usize {
        let count = |record: &Record| match record {
            Record::Checkpoint { checkpoint } => usize::from(checkpoint.cover.is_some()),
            Record::Undone { summaries, .. } => usize::try_from(*summaries).unwrap_or(usize::MAX),
            _ => 0,
        };
        self.records.iter().map(count).sum()
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
            let rewrites = match record {
                Record::Checkpoint { checkpoint } => &checkpoint.rewrites,
                Record::Undone { offloaded, .. } => offloaded,
                _ => return None,
            };
            rewrites.iter().find_map(|rewrite| {
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

/// What rewrites offload, without the texts that stand in place of the results.
fn offloads(rewrites: &[Rewrite]) -> impl Iterator<Item = Rewrite> {
    rewrites.iter().filter_map(|Rewrite { id, changes }| {
        let offloads = changes.iter().filter_map(|PartChange { part, change }| match change {
            Change::Offload { path, .. } => {
                let change = Change::Offload { text: String::new(), path: path.clone() };
                Some(PartChange { part: *part, change })
            }
            _ => None,
        });
        let changes: Vec<PartChange> = offloads.collect();
        (!changes.is_empty()).then(|| Rewrite { id: id.clone(), changes })
    })
}
