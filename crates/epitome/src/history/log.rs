//! The log: every message, change and compaction of a conversation, in order.
//!
//! Records are only appended. Messages form a tree ([`Tree`]), whose path is the conversation as the app has it now. The log
//! does not keep what nothing can refer to any more: the earlier version of an edited message, the contents of a compaction
//! that was undone, and earlier open tasks.

use epitome_columns::{SortedMap, SortedSet};

use super::asides::Feed;
use super::checkpoint::Checkpoint;
use super::commits::Commits;
use super::journal::Journal;
use super::record::{LogError, Record};
use super::rewrite::{Change, PartChange, Rewrite};
use super::tasks::CompletedTask;
use super::tree::{NodeId, Tree};
use crate::message::{CheckpointId, Message, MessageId, Part};

/// The log of one conversation.
///
/// Positions count the messages of the path, from 0. Messages of other branches have none.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pub(super) records: Vec<Record>,
    pub(super) tree: Tree,
    commits: Commits,
    /// For messages with signed reasoning, the hash of what the model saw when it wrote the reasoning.
    prefixes: SortedMap<NodeId, u64>,
    /// Index of the record of the open tasks.
    pub(super) todo: Option<usize>,
    /// Index of the record of the memory.
    pub(super) memory: Option<usize>,
    /// Indices of the records of states that the app has set.
    pub(super) states: Vec<usize>,
    /// The completed tasks, oldest first.
    pub(super) tasks: Vec<CompletedTask>,
    /// Index of the last record that offloads a tool result.
    offloaded: Option<usize>,
    /// Number of records that were ever appended.
    pub(super) revision: usize,
    /// Number of records that changed existing messages or their positions.
    pub(super) changes: usize,
    /// The number of each change and the first position that it concerned. A change replaces earlier ones at the same or a
    /// later position, so that both numbers increase along the list.
    pub(super) changed_from: Vec<(usize, usize)>,
    /// What a store does not have yet; `None` if there is no store.
    journal: Option<Journal>,
    /// The records with the latest versions of the messages that are only for some agents.
    pub(super) asides: SortedMap<MessageId, usize>,
    /// The records that agents read: those of messages, of the path, and of agents.
    pub(super) feed: Feed,
    /// For the log of an agent, what the log of the team does not have of it yet; `None` for the log of a team.
    pub(super) outbox: Option<Vec<Record>>,
}

impl PartialEq for Log {
    fn eq(&self, other: &Self) -> bool {
        // All other fields, except the counters, follow from the records.
        self.records == other.records
    }
}

impl Log {
    /// Appends a record. Costs O(log n), and in addition: for a checkpoint or an undo, the size of the checkpoints concerned;
    /// for an insertion or a removal, the number of messages behind it; for a head, the number of checkpoints and of messages
    /// that leave or join the path.
    pub fn append(&mut self, record: Record) -> Result<(), LogError> {
        let noted = self.journal.is_some().then(|| record.clone());
        let mut own = self.outbox.as_ref().and(record.is_of_one_view().then(|| record.clone()));
        self.store(record)?;
        if let (Some(journal), Some(record)) = (&mut self.journal, noted) {
            journal.push(&record);
        }
        self.outbox.iter_mut().for_each(|outbox| outbox.extend(own.take()));
        self.revision += 1;
        Ok(())
    }

    /// The records that a store does not have yet, if there is a store.
    pub(crate) fn journal(&mut self) -> Option<&mut Journal> {
        self.journal.as_mut()
    }

    /// Begins to collect the records that a store does not have yet.
    pub(crate) fn begin_journal(&mut self, journal: Journal) {
        self.journal = Some(journal);
    }

    fn store(&mut self, record: Record) -> Result<(), LogError> {
        if self.is_aside(&record) {
            return self.store_aside(record);
        }
        let index = self.records.len();
        match &record {
            Record::Message { message } => {
                if self.asides.contains_key(&message.id) || !self.tree.append(&message.id, index) {
                    return Err(LogError::DuplicateId(message.id.clone()));
                }
            }
            Record::Insert { message, before } => {
                let position = self.required(before)?;
                if self.contains(&message.id) {
                    return Err(LogError::DuplicateId(message.id.clone()));
                }
                let between = |log: &Self, commit| log.covers(commit, position);
                self.undo_where(position, between);
                // An undo may have taken records from the end.
                self.tree.insert(&message.id, self.records.len(), before);
                self.change(position);
            }
            Record::Remove { id } => {
                let position = self.required(id)?;
                self.undo_where(position, |log, commit| log.is_about(commit, position, id));
                self.tree.remove(id);
                self.change(position);
            }
            Record::Head { message } => {
                let before = self.len();
                let stay = self.tree.move_head(message.as_ref());
                let unknown = || {
                    let id = message.clone().unwrap_or_else(|| "".into());
                    match self.asides.contains_key(&id) {
                        true => LogError::Private(id),
                        false => LogError::UnknownId(id),
                    }
                };
                let stay = stay.ok_or_else(unknown)?;
                if stay < before {
                    self.change(stay);
                }
                self.commits.choose(&self.tree);
            }
            Record::Edit { message } => {
                let position = self.required(&message.id)?;
                self.undo_where(position, |log, commit| {
                    log.is_about(commit, position, &message.id)
                });
                self.change(position);
                let version = self.tree.record(position);
                // The new version replaces the earlier one, because an answer that is streamed may cause thousands of edits.
                if let Some(version) = version
                    && self.offloaded.is_none_or(|offloaded| offloaded < version)
                    && let Some(earlier) =
                        self.records.get_mut(version).and_then(Record::message_mut)
                {
                    earlier.clone_from(message);
                    return Ok(());
                }
                self.tree.set_record(position, self.records.len());
            }
            Record::Reasoning { message, prefix } => {
                let node = self.tree.find(message);
                let node = node.ok_or_else(|| LogError::UnknownId(message.clone()))?;
                self.prefixes.insert(node, *prefix);
            }
            Record::Checkpoint { checkpoint } => {
                for id in checkpoint.messages() {
                    self.required(id)?;
                }
                let last = self.last_message_of(checkpoint).and_then(|at| self.tree.at(at));
                let through = checkpoint.cover.as_ref().map(|cover| &cover.through);
                let through = through.and_then(|id| self.tree.find(id));
                self.commits.push(index, last, through);
                if offloads(&checkpoint.rewrites).next().is_some() {
                    self.offloaded = Some(index);
                }
            }
            Record::Undo { checkpoint } => {
                let index = self.commit_of(*checkpoint);
                let index = index.ok_or(LogError::UnknownCheckpoint(*checkpoint))?;
                self.undo(index);
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
            Record::Memory { .. } => match self.memory.and_then(|at| self.records.get_mut(at)) {
                Some(earlier) => {
                    *earlier = record;
                    return Ok(());
                }
                None => self.memory = Some(index),
            },
            Record::StructuredState { .. } | Record::UndoStructuredState {} => {
                self.change_state(record);
                return Ok(());
            }
            Record::Task { .. } | Record::TaskSummary { .. } => self.note_task(&record, index),
            Record::Agent { .. }
            | Record::AgentPolicy { .. }
            | Record::AgentProvider { .. }
            | Record::Unknown(_) => {}
        }
        self.push(record);
        Ok(())
    }

    /// The position of a message. The error says whether the message is on another branch or on none. Costs O(log n).
    pub fn required(&self, id: &MessageId) -> Result<usize, LogError> {
        self.position(id).ok_or_else(|| match self.tree.find(id) {
            Some(_) => LogError::OtherBranch(id.clone()),
            None if self.asides.contains_key(id) => LogError::Private(id.clone()),
            None => LogError::UnknownId(id.clone()),
        })
    }

    /// Notes that the messages from a position on have changed.
    fn change(&mut self, position: usize) {
        self.changes += 1;
        while self.changed_from.pop_if(|(_, earlier)| *earlier >= position).is_some() {}
        self.changed_from.push((self.changes, position));
    }

    /// Undoes all compactions, on any branch, for which `stale` is true. It is called only for compactions that may be about
    /// the message at a position of the path.
    fn undo_where(&mut self, position: usize, stale: impl Fn(&Self, usize) -> bool) {
        let reaches = |(index, last): (usize, Option<NodeId>)| {
            // A branch that leaves the path before the message does not have it.
            let shared = last.map_or(0, |last| self.tree.shared_with(last));
            (shared > position).then_some(index)
        };
        let reaching: Vec<usize> = self.commits.all().filter_map(reaches).collect();
        let stale: Vec<usize> = reaching.into_iter().filter(|index| stale(self, *index)).collect();
        // The latest comes first: an undo may remove records at the end, which does not change earlier indices.
        for index in stale.into_iter().rev() {
            if let (Some(Record::Checkpoint { checkpoint }), Some(outbox)) =
                (self.records.get(index), &mut self.outbox)
            {
                outbox.push(Record::Undo { checkpoint: checkpoint.id });
            }
            self.undo(index);
        }
    }

    /// True if the summary of a compaction covers the message at a position of the path.
    fn covers(&self, commit: usize, position: usize) -> bool {
        let is_summary =
            self.checkpoint_at(commit).is_some_and(|checkpoint| checkpoint.cover.is_some());
        let through = self.commits.through(commit).filter(|_| is_summary);
        through.is_some_and(|through| self.tree.shared_with(through) > position)
    }

    /// True if a compaction depends on the message at a position: it covers, rewrites or drops the message, or drops others
    /// because of it.
    fn is_about(&self, commit: usize, position: usize, id: &MessageId) -> bool {
        self.covers(commit, position)
            || self.commits.last(commit).is_some_and(|last| self.tree.at(position) == Some(last))
            || self.checkpoint_at(commit).is_some_and(|checkpoint| {
                checkpoint.rewrites.iter().any(|rewrite| rewrite.id == *id)
                    || checkpoint.dropped.contains(id)
            })
    }

    /// The position of the last message that a checkpoint is about.
    fn last_message_of(&self, checkpoint: &Checkpoint) -> Option<usize> {
        let named = checkpoint.messages().filter_map(|id| self.position(id)).max();
        let dropped = checkpoint.dropped.iter().filter_map(|id| self.position(id));
        // A synthetic message may have been dropped because a later one repeats it. If the later one changes, the dropped
        // one has to come back.
        let kinds =
            SortedSet::from_iter(dropped.filter_map(|at| self.message(at)?.synthetic.as_deref()));
        if kinds.is_empty() {
            return named;
        }
        let is_kind = |at: &usize| {
            let kind = self.message(*at).and_then(|message| message.synthetic.as_deref());
            kind.is_some_and(|kind| kinds.contains(kind))
        };
        named.max((0..self.len()).rfind(is_kind))
    }

    fn undo(&mut self, index: usize) {
        if self.checkpoint_at(index).is_none() {
            return;
        }
        for undone in self.commits.remove(index) {
            self.strip(undone);
        }
        self.commits.choose(&self.tree);
    }

    /// Removes the contents of the checkpoint at this index, except offloaded tool results, which can still be read. If it is
    /// the last record, it is merged with the record of the checkpoints that were undone directly before it.
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
            let known = SortedSet::from_iter(offloaded.iter());
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

    /// Number of records that were ever appended, including those that are no longer kept.
    pub fn revision(&self) -> usize {
        self.revision
    }

    /// Number of records that changed existing messages or their positions: edits, insertions, removals, moves of the head.
    pub fn changes(&self) -> usize {
        self.changes
    }

    /// The first position whose message has changed since there were this many [changes](Self::changes); `None` if none has.
    /// Costs O(log n).
    pub fn changed_since(&self, changes: usize) -> Option<usize> {
        let first = self.changed_from.partition_point(|(change, _)| *change <= changes);
        self.changed_from.get(first).map(|(_, position)| *position)
    }

    /// Every record that is kept, oldest first.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// True if the conversation has no message.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The latest version of the message at a position, from 0.
    pub fn message(&self, position: usize) -> Option<&Message> {
        self.records.get(self.tree.record(position)?)?.message()
    }

    /// The latest versions of all messages, in order.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Message> {
        (0..self.len()).filter_map(|position| self.message(position))
    }

    /// The position of a message, from 0; `None` if the conversation does not have it. Costs O(log n).
    pub fn position(&self, id: &MessageId) -> Option<usize> {
        self.tree.position(id)
    }

    /// The hash of what the model saw when it wrote the signed reasoning of the message at a position; `None` if there is no
    /// such reasoning or the model accepts it behind anything. Costs O(log n).
    pub(crate) fn written_behind(&self, position: usize) -> Option<u64> {
        self.prefixes.get(&self.tree.at(position)?).copied()
    }

    /// True if any branch has a message with this id, or if it is only for some agents. Costs O(log n).
    pub fn contains(&self, id: &MessageId) -> bool {
        self.tree.find(id).is_some() || self.asides.contains_key(id)
    }

    /// The latest version of a message on any branch. Costs O(log n).
    pub fn find(&self, id: &MessageId) -> Option<&Message> {
        self.message_of(self.tree.find(id)?)
    }

    /// The messages that follow a message on any branch, oldest first. For `None`, the first messages of all branches. Linear
    /// in the messages that are returned.
    pub fn following(&self, id: Option<&MessageId>) -> impl Iterator<Item = &Message> {
        let node = id.map(|id| self.tree.find(id));
        let nodes = match node {
            Some(None) => None,
            Some(node) => Some(self.tree.following(node)),
            None => Some(self.tree.following(None)),
        };
        nodes.into_iter().flatten().filter_map(|node| self.message_of(node))
    }

    /// The message at a position and its alternatives on other branches, oldest first. Linear in the messages that are
    /// returned.
    pub fn alternatives(&self, position: usize) -> impl Iterator<Item = &Message> {
        let before = position.checked_sub(1).and_then(|before| self.tree.at(before));
        self.tree.following(before).filter_map(|node| self.message_of(node))
    }

    /// The last message of the branch with this message, at the time when the branch was last the conversation; `None` if no
    /// branch has the message. Linear in the messages behind it.
    pub fn last_head(&self, id: &MessageId) -> Option<&MessageId> {
        let node = self.tree.last_head(self.tree.find(id)?);
        self.message_of(node).map(|message| &message.id)
    }

    fn message_of(&self, node: NodeId) -> Option<&Message> {
        self.records.get(self.tree.record_of(node)?)?.message()
    }

    /// The latest active checkpoint.
    pub fn checkpoint(&self) -> Option<&Checkpoint> {
        self.active_checkpoints().next_back()
    }

    /// The active checkpoints, which are those that were not undone, oldest first.
    pub fn active_checkpoints(&self) -> impl DoubleEndedIterator<Item = &Checkpoint> {
        self.commits.active().iter().filter_map(|index| self.checkpoint_at(*index))
    }

    /// The index of a checkpoint that was not undone, on any branch: an edit on one branch undoes those of others.
    fn commit_of(&self, id: CheckpointId) -> Option<usize> {
        let mut commits = self.commits.all().map(|(index, _)| index);
        commits.find(|index| self.checkpoint_at(*index).is_some_and(|other| other.id == id))
    }

    /// True if a checkpoint was not undone, on any branch. Linear in their number.
    pub(crate) fn has_checkpoint(&self, id: CheckpointId) -> bool {
        self.commit_of(id).is_some()
    }

    fn checkpoint_at(&self, index: usize) -> Option<&Checkpoint> {
        match self.records.get(index)? {
            Record::Checkpoint { checkpoint } => Some(checkpoint),
            _ => None,
        }
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
        let versions = self.records.iter().take(index).rev().filter_map(Record::message);
        let version = versions.into_iter().find(|message| message.id == *id)?;
        match version.parts.get(part)? {
            Part::ToolResult { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// The rewrites that offload results, without the texts that replace the results.
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

#[cfg(test)]
mod tests;
