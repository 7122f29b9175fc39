//! The structured state of the conversation: what it is, how an app sets it, and how it hears of changes.

use super::{CommandError, Compactor, Event, Output};
use crate::structured_state::StructuredState;

impl Compactor {
    /// What holds in the conversation, as the summarizer's changes and the app have made it. Costs the number of states that
    /// were set.
    pub fn structured_state(&self) -> &StructuredState {
        self.log().structured_state()
    }

    /// The structured state as text for a model, as long as the view does not show it: before the first summary, and after the
    /// app has set it on a summary. Empty if the summary has it. Costs the number of states that were set.
    pub fn state_text(&self) -> String {
        match self.log().has_unshown_state() {
            true => self.structured_state().to_text(),
            false => String::new(),
        }
    }

    /// Sets the structured state, within the limits of its lists. The next summarizer is given it, and the next summary shows
    /// it with the summarizer's changes. An undo takes it back.
    pub fn set_structured_state(&mut self, state: StructuredState) -> Result<(), CommandError> {
        let record = self.log().state_record(state.within_limits());
        Ok(self.conversation.append(record)?)
    }

    /// The event of a state that is not the one which the host knows. Compared here and not where it changes: it depends on the
    /// summary that is active, and that on everything that can happen to messages.
    pub(super) fn changed_state(&mut self) -> Option<Output> {
        let state = self.conversation.log().structured_state();
        if *state == self.reported_state {
            return None;
        }
        self.reported_state = state.clone();
        Some(Output::Event(Event::StateChanged { state: Box::new(state.clone()) }))
    }

    /// Takes the present state as one that the host knows.
    pub(super) fn know_state(&mut self) {
        self.reported_state = self.log().structured_state().clone();
    }
}
