//! The records that a store does not have yet, in the order in which they came.

use super::record::Record;

/// What is new since the last commit to a store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journal {
    records: Vec<Record>,
    /// How many of them a commit that has not ended yet has.
    in_flight: usize,
    /// Those of them that the log gets later, once they are stored: at most one of each view.
    announced: Vec<Record>,
}

impl Journal {
    /// A journal in which these are new.
    pub(crate) fn new(records: Vec<Record>) -> Self {
        Self { records, ..Self::default() }
    }

    /// Adds a record that the log has now. A message that is edited again before it is stored takes no second record, so that
    /// an answer which is streamed by edits is stored once.
    pub(super) fn push(&mut self, record: &Record) {
        if let Some(at) = self.announced.iter().position(|announced| announced == record) {
            self.announced.remove(at);
            return;
        }
        let is_in_flight = self.in_flight == self.records.len();
        let last = self.records.last_mut().filter(|_| !is_in_flight);
        if let Record::Edit { message } = record
            && let Some(earlier) = last.and_then(Record::message_mut)
            && earlier.id == message.id
        {
            earlier.clone_from(message);
            return;
        }
        self.records.push(record.clone());
    }

    /// Adds a record that the log gets once it is stored.
    pub(crate) fn announce(&mut self, record: &Record) {
        self.records.push(record.clone());
        self.announced.push(record.clone());
    }

    /// Takes back the announced record, which could not be stored.
    pub(crate) fn retract(&mut self, record: &Record) {
        self.announced.retain(|announced| announced != record);
        if let Some(at) = self.records.iter().rposition(|other| other == record) {
            self.records.remove(at);
            self.in_flight -= usize::from(at < self.in_flight);
        }
    }

    /// True if a store has everything. Costs O(1).
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// What is to be stored now. It is returned again until [`Self::handle_saved`] has confirmed it.
    pub(crate) fn begin_commit(&mut self) -> &[Record] {
        self.in_flight = self.records.len();
        &self.records
    }

    /// Forgets what [`Self::begin_commit`] has returned last.
    pub(crate) fn handle_saved(&mut self) {
        self.records.drain(..self.in_flight.min(self.records.len()));
        self.in_flight = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(text: &str) -> Record {
        Record::Todo { text: text.into() }
    }

    #[test]
    fn a_record_that_could_not_be_stored_is_taken_back_and_the_others_stay() {
        let mut journal = Journal::new(vec![task("one")]);
        journal.announce(&task("two"));
        assert_eq!(journal.begin_commit(), [task("one"), task("two")]);
        journal.push(&task("three"));
        journal.retract(&task("two"));
        journal.handle_saved();
        assert_eq!(journal.begin_commit(), [task("three")]);
        journal.push(&task("two"));
        assert_eq!(journal.begin_commit(), [task("three"), task("two")], "it is a new one now");
        assert!(!journal.is_empty());
        journal.handle_saved();
        assert!(journal.is_empty());
    }

    #[test]
    fn a_record_is_taken_back_that_came_behind_those_that_are_being_stored() {
        let mut journal = Journal::new(vec![task("one")]);
        journal.begin_commit();
        journal.announce(&task("two"));
        journal.retract(&task("two"));
        journal.handle_saved();
        assert!(journal.is_empty());
    }

    #[test]
    fn a_record_that_was_announced_is_stored_once() {
        let mut journal = Journal::default();
        for text in ["one", "two"] {
            journal.announce(&task(text));
        }
        journal.retract(&task("two"));
        journal.push(&task("one"));
        assert_eq!(journal.begin_commit(), [task("one")]);
    }
}
