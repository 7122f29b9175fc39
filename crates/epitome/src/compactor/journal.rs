//! The records that a store does not have yet, in the order in which they came.

use super::Compactor;
use super::snapshot::{self, SnapshotError};
use crate::history::{LogError, Record};

/// What a store has of a conversation when its compactor begins to collect what is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Nothing: the policy and all records are new.
    Nothing,
    /// Everything, as after a restore from it.
    Everything,
}

/// What is new since the last commit to a store.
#[derive(Debug, Default)]
pub(super) struct Journal {
    entries: Vec<Entry>,
    /// How many of them a commit that has not ended yet has.
    in_flight: usize,
}

#[derive(Debug)]
enum Entry {
    /// The version and the first policy.
    Beginning,
    /// Another policy: the present one when it is written.
    Policy,
    Record(Box<Record>),
}

impl Journal {
    /// Adds a record. A message that is edited again before it is stored takes no second record, so that an answer which is
    /// streamed by edits is stored once.
    pub(super) fn push(&mut self, record: &Record) {
        let is_in_flight = self.in_flight == self.entries.len();
        let last = self.entries.last_mut().filter(|_| !is_in_flight);
        if let (Some(Entry::Record(last)), Record::Edit { message }) = (last, record)
            && let Some(earlier) = last.message_mut()
            && earlier.id == message.id
        {
            earlier.clone_from(message);
            return;
        }
        self.entries.push(Entry::Record(Box::new(record.clone())));
    }

    fn push_policy(&mut self) {
        self.entries.push(Entry::Policy);
    }

    /// Takes back the latest record that is this one.
    fn retract(&mut self, record: &Record) {
        let is_it = |entry: &Entry| matches!(entry, Entry::Record(other) if **other == *record);
        if let Some(at) = self.entries.iter().rposition(is_it) {
            self.entries.remove(at);
            self.in_flight -= usize::from(at < self.in_flight);
        }
    }
}

impl Compactor {
    /// Begins to collect what a store does not have yet, for [`Self::unsaved`]. Without this, nothing is collected.
    pub fn collect_unsaved(&mut self, stored: Stored) {
        let entries = match stored {
            Stored::Everything => Vec::new(),
            Stored::Nothing => {
                let records = self.log().records().iter().cloned().map(Box::new).map(Entry::Record);
                std::iter::once(Entry::Beginning).chain(records).collect()
            }
        };
        self.journal = Some(Journal { entries, in_flight: 0 });
    }

    /// What is to be stored now, in one step and behind what was stored before, as lines of a
    /// [`Snapshot`](super::Snapshot). While a compaction waits for [`Output::Persist`](super::Output::Persist), its record is
    /// the last one or before messages that came since. The lines are returned again until [`Self::handle_saved`] has
    /// confirmed them. Linear in them.
    pub fn unsaved(&mut self) -> Result<String, SnapshotError> {
        let Some(journal) = &mut self.journal else { return Ok(String::new()) };
        journal.in_flight = journal.entries.len();
        let lines = journal.entries.iter().map(|entry| match entry {
            Entry::Beginning => snapshot::beginning(&self.policy),
            Entry::Policy => snapshot::policy_line(&self.policy),
            Entry::Record(record) => snapshot::line(record),
        });
        lines.collect()
    }

    /// True if a store lacks something that [`Self::unsaved`] would return. Costs O(1).
    pub fn has_unsaved(&self) -> bool {
        self.journal.as_ref().is_some_and(|journal| !journal.entries.is_empty())
    }

    /// Takes note that a store has the lines that [`Self::unsaved`] returned last.
    pub fn handle_saved(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.entries.drain(..journal.in_flight.min(journal.entries.len()));
            journal.in_flight = 0;
        }
    }

    /// Appends a record to the conversation, and to what is to be stored.
    pub(super) fn record(&mut self, record: Record) -> Result<(), LogError> {
        let Some(journal) = &mut self.journal else { return self.conversation.append(record) };
        let noted = record.clone();
        self.conversation.append(record)?;
        journal.push(&noted);
        Ok(())
    }

    /// Has the record stored that the compactor is about to apply.
    pub(super) fn note_commit(&mut self, record: &Record) {
        if let Some(journal) = &mut self.journal {
            journal.push(record);
        }
    }

    /// Takes the record back that could not be stored.
    pub(super) fn retract_commit(&mut self, record: &Record) {
        if let Some(journal) = &mut self.journal {
            journal.retract(record);
        }
    }

    /// Has the present policy stored.
    pub(super) fn note_policy(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.push_policy();
        }
    }

    /// The compactor's own state as a line of a [`Snapshot`](super::Snapshot), which replaces the one that was stored before.
    pub fn state_line(&self) -> Result<String, SnapshotError> {
        snapshot::state_line(&self.condition())
    }
}
