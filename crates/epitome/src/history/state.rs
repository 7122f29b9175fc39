//! The open tasks, the memory, and the structured state on the present path: as the last summary has them, or as the app has
//! set them since.

use super::checkpoint::Checkpoint;
use super::log::Log;
use super::record::Record;
use crate::memory::Memory;
use crate::message::CheckpointId;
use crate::structured_state::StructuredState;

/// How many states that were set one after the other can be taken back.
const MOST_STATES: usize = 32;

impl Log {
    /// The open tasks; `None` if there are none.
    pub fn todo(&self) -> Option<&str> {
        match self.records.get(self.todo?)? {
            Record::Todo { text } if !text.trim().is_empty() => Some(text),
            _ => None,
        }
    }

    /// The memory.
    pub fn memory(&self) -> &Memory {
        match self.memory.and_then(|at| self.records.get(at)) {
            Some(Record::Memory { memory }) => memory,
            _ => Memory::EMPTY,
        }
    }

    /// The last active compaction with a summary.
    fn summarized_by(&self) -> Option<&Checkpoint> {
        self.active_checkpoints().rev().find(|checkpoint| checkpoint.cover.is_some())
    }

    /// The record that sets a structured state on the present summary.
    pub(crate) fn state_record(&self, state: StructuredState) -> Record {
        let after = self.summarized_by().map(|checkpoint| checkpoint.id);
        let behind = self.checkpoint().map(|checkpoint| checkpoint.id);
        Record::StructuredState { state: Box::new(state), after, behind }
    }

    /// The structured state: as the app has set it since the last summary, and otherwise as that summary has it. Costs the
    /// number of states that were set.
    pub fn structured_state(&self) -> &StructuredState {
        let summarized = self.summarized_by();
        let place = self.last_state(summarized);
        let set = place.and_then(|place| self.state_at(*self.states.get(place)?));
        let cover = summarized.and_then(|checkpoint| checkpoint.cover.as_ref());
        set.map(|(state, _)| state)
            .or_else(|| Some(&cover?.state))
            .unwrap_or(StructuredState::EMPTY)
    }

    /// True if the app has set the structured state since the latest compaction, so that this is what an undo takes back first.
    /// Costs the number of states that were set.
    pub fn has_newer_state(&self) -> bool {
        let record = self
            .last_state(self.summarized_by())
            .and_then(|place| self.records.get(*self.states.get(place)?));
        let latest = self.checkpoint().map(|checkpoint| checkpoint.id);
        matches!(record, Some(Record::StructuredState { behind, .. }) if *behind == latest)
    }

    /// True if the app has set the structured state since the summary was made that is active, or if there is none: then no
    /// summary shows it. Costs the number of states that were set.
    pub(crate) fn has_unshown_state(&self) -> bool {
        self.last_state(self.summarized_by()).is_some()
    }

    /// The place in `states` of the last one that was set on the summary of this compaction, or on none.
    fn last_state(&self, summarized: Option<&Checkpoint>) -> Option<usize> {
        let summary = summarized.map(|checkpoint| checkpoint.id);
        let is_present = |at: &usize| self.state_at(*at).is_some_and(|(_, after)| after == summary);
        self.states.iter().rposition(is_present)
    }

    /// The state that the record of this index sets, and the compaction whose summary was active then.
    fn state_at(&self, index: usize) -> Option<(&StructuredState, Option<CheckpointId>)> {
        match self.records.get(index)? {
            Record::StructuredState { state, after, .. } => Some((state, *after)),
            _ => None,
        }
    }

    /// Sets a state, or takes the last one back. An app may set one at every key that is pressed: of those that were set on one
    /// summary in a row, only the latest are kept, each in the place of the one before it.
    pub(super) fn change_state(&mut self, record: Record) {
        let Record::StructuredState { after, .. } = &record else { return self.undo_state() };
        let is_same = |at: &&usize| self.state_at(**at).is_some_and(|(_, on)| on == *after);
        let row: Vec<usize> =
            self.states.iter().rev().take_while(is_same).take(MOST_STATES).copied().collect();
        if row.len() < MOST_STATES {
            self.states.push(self.records.len());
            self.records.push(record);
            return;
        }
        let mut newer = record;
        for index in row {
            if let Some(place) = self.records.get_mut(index) {
                newer = std::mem::replace(place, newer);
            }
        }
    }

    /// Takes back the last state that was set on the present summary, if there is one.
    fn undo_state(&mut self) {
        let Some(place) = self.last_state(self.summarized_by()) else { return };
        let index = self.states.remove(place);
        if index + 1 == self.records.len() {
            self.records.pop();
        } else if let Some(record) = self.records.get_mut(index) {
            // Other records are found by their index, so that its place cannot be removed.
            *record = Record::Undone { checkpoints: 0, summaries: 0, offloaded: Vec::new() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_notation::apply_answer;

    #[test]
    fn a_state_that_is_taken_back_leaves_no_record_at_the_end_of_the_log() {
        let mut log = Log::default();
        let state = |text: &str| {
            let mut state = StructuredState::default();
            let answer = format!("```state\n{{\"decisions\":[\"{text}\"]}}\n```");
            apply_answer(&mut state, &answer, &|_| None);
            state
        };
        let first = state("roses");
        let record = log.state_record(first.clone());
        log.append(record).unwrap();
        let record = log.state_record(state("tulips"));
        log.append(record).unwrap();
        log.append(Record::UndoStructuredState {}).unwrap();
        assert_eq!((log.structured_state(), log.records().len()), (&first, 1));
        log.append(Record::Todo { text: "water them".into() }).unwrap();
        log.append(Record::UndoStructuredState {}).unwrap();
        assert!(log.structured_state().is_empty());
        assert_eq!(log.records().len(), 2, "other records are found by their index");
        assert_eq!(log.todo(), Some("water them"));
    }
}
