//! Messages that are only for some agents, and what the logs of agents read from the log of their team.
//!
//! The log of a team has all messages. Its path has those that are for everyone; the others, its asides, have no position. The
//! log of an agent has on its path whatever the agent may see, in the order in which it came.

use epitome_columns::SortedMap;

use super::log::Log;
use super::record::{LogError, Record};
use crate::message::{Audience, Message, MessageId};

impl Log {
    /// An empty log for one agent of a team.
    pub(crate) fn of_agent() -> Self {
        let mut log = Self::default();
        log.outbox = Some(Vec::new());
        log
    }

    /// An empty log of the same agent, which counts records and changes on from this one.
    pub(crate) fn without_records(&self) -> Self {
        let mut log = Self::of_agent();
        (log.revision, log.changes) = (self.revision, self.changes);
        log.changed_from.clone_from(&self.changed_from);
        log
    }

    /// Counts records and changes on from another log that had the same records.
    pub(crate) fn count_on_from(&mut self, other: Self) {
        let Self { revision, changes, changed_from, .. } = other;
        (self.revision, self.changes, self.changed_from) = (revision, changes, changed_from);
    }

    /// True for the log of one agent.
    pub(crate) fn is_of_agent(&self) -> bool {
        self.outbox.is_some()
    }

    /// What the log of the team does not have yet. It is returned once.
    pub(crate) fn take_outbox(&mut self) -> Vec<Record> {
        self.outbox.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// For a message on another branch, the ends of that branch and of the path. Costs the messages behind it.
    pub(crate) fn detour(&self, id: &MessageId) -> Option<(MessageId, Option<MessageId>)> {
        let other = self.position(id).is_none().then(|| self.last_head(id))??;
        Some((other.clone(), self.messages().next_back().map(|message| message.id.clone())))
    }

    /// Number of messages of the path and of those that are only for some agents.
    pub(crate) fn messages_and_asides(&self) -> usize {
        self.len() + self.asides.len()
    }

    /// The index of the record with the latest version of a message, on any branch or for whomever it is. Costs O(log n).
    pub(crate) fn index_of(&self, id: &MessageId) -> Option<usize> {
        let of_tree = self.tree.find(id).and_then(|node| self.tree.record_of(node));
        of_tree.or_else(|| self.aside_index(id))
    }

    /// The index of the record with the latest version of a message that is only for some agents. Costs O(log n).
    pub(crate) fn aside_index(&self, id: &MessageId) -> Option<usize> {
        self.asides.get(id).copied()
    }

    /// A message that is only for some agents, in its latest version. Costs O(log n).
    pub fn aside(&self, id: &MessageId) -> Option<&Message> {
        self.records.get(*self.asides.get(id)?)?.message()
    }

    /// True if a record is about a message that is not on the path because it is only for some agents.
    pub(crate) fn is_aside(&self, record: &Record) -> bool {
        if self.is_of_agent() {
            return false;
        }
        match record {
            Record::Message { message } | Record::Insert { message, .. } => {
                !message.audience.is_everyone()
            }
            Record::Edit { message } => {
                !message.audience.is_everyone() || self.asides.contains_key(&message.id)
            }
            Record::Remove { id } => self.asides.contains_key(id),
            _ => false,
        }
    }

    pub(super) fn store_aside(&mut self, record: Record) -> Result<(), LogError> {
        let index = self.records.len();
        match &record {
            Record::Insert { before, .. } => {
                self.required(before)?;
            }
            Record::Remove { id } => {
                self.asides.remove(id);
            }
            _ => {}
        }
        if let Some(message) = record.message() {
            let known = self.asides.get(&message.id).copied();
            if let Record::Edit { message } = &record {
                let earlier = known.and_then(|at| self.records.get_mut(at)?.message_mut());
                let earlier = earlier.ok_or_else(|| LogError::Audience(message.id.clone()))?;
                if (&earlier.audience, &earlier.author) != (&message.audience, &message.author) {
                    return Err(LogError::Audience(message.id.clone()));
                }
                earlier.clone_from(message);
                return Ok(());
            }
            if self.contains(&message.id) {
                return Err(LogError::DuplicateId(message.id.clone()));
            }
            self.asides.insert(message.id.clone(), index);
        }
        self.push(record);
        Ok(())
    }

    /// Adds a record at the end.
    pub(super) fn push(&mut self, record: Record) {
        if !self.is_of_agent()
            && let Ok(index) = u32::try_from(self.records.len())
        {
            self.feed.add(index, &record);
        }
        self.records.push(record);
    }

    /// Behind the last record that any agent reads.
    pub(crate) fn feed_end(&self) -> usize {
        self.feed.end
    }

    /// The first record from an index on that this agent reads, with its index. A message is one only if it is for the agent.
    /// Costs O(log n), whatever the others read.
    pub(crate) fn fed(&self, from: usize, agent: &str) -> Option<(usize, &Record)> {
        let index = self.feed.next(from, agent)?;
        let record = match self.records.get(index)? {
            Record::Agent { of, .. } => of,
            record => record,
        };
        Some((index, record))
    }
}

/// The indices of the records that agents read, in order. They never leave the log.
#[derive(Clone, Debug, Default)]
pub(super) struct Feed {
    of_all: Vec<u32>,
    /// Those that only some agents read, for each of these.
    of_one: SortedMap<String, Vec<u32>>,
    end: usize,
}

impl Feed {
    fn add(&mut self, index: u32, record: &Record) {
        let mut add = |agent: &str| match self.of_one.get_mut(agent) {
            // An author may also be in the audience.
            Some(indices) if indices.last() == Some(&index) => {}
            Some(indices) => indices.push(index),
            None => drop(self.of_one.insert(agent.to_owned(), vec![index])),
        };
        match record {
            Record::Agent { agent, .. } => add(agent),
            Record::Remove { .. }
            | Record::Head { .. }
            | Record::Task { .. }
            | Record::TaskSummary { .. } => self.of_all.push(index),
            record => match record.message().map(|message| (&message.audience, &message.author)) {
                Some((Audience::Everyone, _)) => self.of_all.push(index),
                Some((Audience::Agents(names), author)) => {
                    names.iter().chain(author).for_each(|agent| add(agent));
                }
                None => return,
            },
        }
        self.end = usize::try_from(index).unwrap_or(usize::MAX).saturating_add(1);
    }

    fn next(&self, from: usize, agent: &str) -> Option<usize> {
        let from = u32::try_from(from).ok()?;
        let first = |indices: &Vec<u32>| {
            indices.get(indices.partition_point(|index| *index < from)).copied()
        };
        let own = self.of_one.get(agent).and_then(first);
        let next = first(&self.of_all).into_iter().chain(own).min()?;
        usize::try_from(next).ok()
    }
}

impl Record {
    /// True if it says something of one view alone.
    pub(crate) fn is_of_one_view(&self) -> bool {
        matches!(
            self,
            Self::Checkpoint { .. }
                | Self::Undo { .. }
                | Self::Todo { .. }
                | Self::Memory { .. }
                | Self::StructuredState { .. }
                | Self::UndoStructuredState {}
                | Self::Reasoning { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Role;

    /// A log of three messages, of which the second is only for Eve.
    fn log() -> Log {
        let mut log = Log::default();
        log.append(said("one", Audience::Everyone)).unwrap();
        log.append(said("aside", for_eve())).unwrap();
        log.append(said("two", Audience::Everyone)).unwrap();
        log
    }

    fn for_eve() -> Audience {
        Audience::Agents(vec!["eve".into()])
    }

    fn message(id: &str, audience: Audience) -> Message {
        Message { audience, ..Message::new(id, Role::User, id) }
    }

    fn said(id: &str, audience: Audience) -> Record {
        Record::Message { message: message(id, audience).into() }
    }

    #[test]
    fn a_message_for_some_agents_is_found_beside_the_path() {
        let log = log();
        let ids = ["one", "aside", "two", "three"].map(MessageId::from);
        assert_eq!((log.len(), log.messages_and_asides()), (2, 3));
        assert_eq!(ids.each_ref().map(|id| log.index_of(id)), [Some(0), Some(1), Some(2), None]);
        assert_eq!(ids.each_ref().map(|id| log.aside_index(id)), [None, Some(1), None, None]);
        let texts = ids.each_ref().map(|id| log.aside(id).map(Message::text));
        assert_eq!(texts, [None, Some("aside".into()), None, None]);
    }

    #[test]
    fn a_message_for_some_agents_is_put_before_one_that_is_there_and_can_be_removed() {
        let mut log = log();
        let insert = |id: &str, before: &str| {
            let message = message(id, for_eve()).into();
            Record::Insert { message, before: before.into() }
        };
        let unknown = log.append(insert("more", "three"));
        assert_eq!(unknown, Err(LogError::UnknownId("three".into())));
        assert_eq!(log.append(insert("more", "two")), Ok(()));
        assert_eq!(log.messages_and_asides(), 4);
        log.append(Record::Remove { id: "aside".into() }).unwrap();
        assert_eq!((log.messages_and_asides(), log.aside(&"aside".into())), (3, None));
        assert!(!log.contains(&"aside".into()));
    }

    #[test]
    fn a_log_that_is_read_again_counts_its_records_and_changes_on() {
        let mut log = log();
        log.append(Record::Remove { id: "one".into() }).unwrap();
        let empty = log.without_records();
        assert!(empty.is_empty() && empty.records().is_empty());
        let mut again = Log::of_agent();
        again.append(said("two", Audience::Everyone)).unwrap();
        again.count_on_from(empty);
        let counts = |log: &Log| (log.revision(), log.changes(), log.changed_since(0));
        assert_eq!(counts(&again), counts(&log));
        assert_eq!(counts(&log), (4, 1, Some(0)));
    }
}
