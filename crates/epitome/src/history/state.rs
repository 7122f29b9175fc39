//! The open tasks, the memory, and the structured state on the present path: as the last summary has them, or as the app has
//! set them since.

use super::checkpoint::Checkpoint;
use super::log::Log;
use super::record::Record;
use crate::memory::Memory;
use crate::structured_state::StructuredState;

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
        Record::StructuredState { state: Box::new(state), after }
    }

    /// The structured state: as the app has set it since the last summary, and otherwise as that summary has it. Costs the
    /// number of states that were set.
    pub fn structured_state(&self) -> &StructuredState {
        let summarized = self.summarized_by();
        let id = summarized.map(|checkpoint| checkpoint.id);
        let set = self.states.iter().rev().find_map(|at| match self.records.get(*at)? {
            Record::StructuredState { state, after } if *after == id => Some(&**state),
            _ => None,
        });
        let cover = summarized.and_then(|checkpoint| checkpoint.cover.as_ref());
        set.or_else(|| Some(&cover?.state)).unwrap_or(StructuredState::EMPTY)
    }

    /// Puts a state into the place of the latest one, if that was set on the same summary: nothing refers to it any more. False
    /// if it was not.
    pub(super) fn replace_state(&mut self, record: &Record) -> bool {
        let latest = self.states.last().and_then(|at| self.records.get_mut(*at));
        match (latest, record) {
            (
                Some(Record::StructuredState { state, after }),
                Record::StructuredState { state: new, after: on },
            ) if after == on => {
                state.clone_from(new);
                true
            }
            _ => false,
        }
    }
}
