//! What a store does not have of a conversation yet, as lines.

use super::Compactor;
use super::snapshot::{self, Lines, SnapshotError};
use crate::history::Journal;
use crate::policy::Policy;

/// What a store has of a conversation when its compactor begins to collect what is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Nothing: the policy and all records are new.
    Nothing,
    /// Everything, as after a restore from it.
    Everything,
}

/// What a store does not have besides records, and whether a commit that has not ended yet has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum UnsavedPolicy {
    /// It has the policy.
    #[default]
    Nothing,
    /// It has not even the version.
    Beginning { is_in_flight: bool },
    /// It has an earlier policy.
    Policy { is_in_flight: bool },
}

/// Whether a store lacks the compactor's own state because of what the provider has reported since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum UnsavedState {
    /// It has the state.
    #[default]
    Nothing,
    /// It has an earlier one.
    New,
    /// A commit that has not ended yet has it.
    InFlight,
}

impl Compactor {
    /// Begins to collect what a store does not have yet, for [`Self::unsaved`]. Without this, nothing is collected.
    pub fn collect_unsaved(&mut self, stored: Stored) {
        let (records, policy) = match stored {
            Stored::Everything => (Vec::new(), UnsavedPolicy::Nothing),
            Stored::Nothing => {
                let beginning = UnsavedPolicy::Beginning { is_in_flight: false };
                (self.log().records().to_vec(), beginning)
            }
        };
        self.unsaved_policy = policy;
        self.replace_unsaved_states(|_| UnsavedState::Nothing);
        self.conversation.begin_journal(Journal::new(records));
    }

    /// What is to be stored now, in one step and behind what was stored before, as lines of a
    /// [`Snapshot`](super::Snapshot). While a compaction waits for [`Output::Persist`](super::Output::Persist), its record is
    /// among them. The lines are returned again until [`Self::handle_saved`] has confirmed them. Linear in them.
    pub fn unsaved(&mut self) -> Result<String, SnapshotError> {
        self.begin_unsaved()?.collect()
    }

    /// The lines of [`Self::unsaved`], to write them in slices. Changes after this call are not among them.
    pub fn begin_unsaved(&mut self) -> Result<Lines, SnapshotError> {
        if self.conversation.journal().is_none() {
            return Ok(Lines::default());
        }
        // The state goes along with each commit.
        self.replace_unsaved_states(|state| match state {
            UnsavedState::Nothing => UnsavedState::Nothing,
            UnsavedState::New | UnsavedState::InFlight => UnsavedState::InFlight,
        });
        let first = match &mut self.unsaved_policy {
            UnsavedPolicy::Nothing => String::new(),
            UnsavedPolicy::Beginning { is_in_flight } => {
                *is_in_flight = true;
                snapshot::beginning(&self.policy)?
            }
            UnsavedPolicy::Policy { is_in_flight } => {
                *is_in_flight = true;
                snapshot::policy_line(&self.policy)?
            }
        };
        let records = self.conversation.journal().map(Journal::begin_commit).unwrap_or_default();
        Ok(Lines::new(first, records.to_vec(), String::new()))
    }

    /// True if a store lacks something that [`Self::unsaved`] would return, or the [state](Self::state_line) as the provider's
    /// counts have changed it. Costs O(1), and as much for each agent that was asked for.
    pub fn has_unsaved(&mut self) -> bool {
        let is_stored = self.unsaved_policy == UnsavedPolicy::Nothing && self.is_state_stored();
        self.conversation.journal().is_some_and(|journal| !is_stored || !journal.is_empty())
    }

    /// True if a store has the state, also those of the agents.
    fn is_state_stored(&self) -> bool {
        let of_agents = self.agents.compactors().map(|agent| agent.unsaved_state);
        of_agents.chain([self.unsaved_state]).all(|state| state == UnsavedState::Nothing)
    }

    fn replace_unsaved_states(&mut self, replacement: impl Fn(UnsavedState) -> UnsavedState) {
        self.unsaved_state = replacement(self.unsaved_state);
        for agent in self.agents.compactors_mut() {
            agent.unsaved_state = replacement(agent.unsaved_state);
        }
    }

    /// Takes note that a store has the lines that [`Self::unsaved`] returned last.
    pub fn handle_saved(&mut self) {
        if let UnsavedPolicy::Beginning { is_in_flight: true }
        | UnsavedPolicy::Policy { is_in_flight: true } = self.unsaved_policy
        {
            self.unsaved_policy = UnsavedPolicy::Nothing;
        }
        self.replace_unsaved_states(|state| match state {
            UnsavedState::InFlight | UnsavedState::Nothing => UnsavedState::Nothing,
            // A count came while the commit was under way.
            UnsavedState::New => UnsavedState::New,
        });
        if let Some(journal) = self.conversation.journal() {
            journal.handle_saved();
        }
    }

    /// The policy of an agent if it has changed since this was asked last.
    pub(super) fn take_new_policy(&mut self) -> Option<Policy> {
        let is_new = std::mem::take(&mut self.unsaved_policy) != UnsavedPolicy::Nothing;
        is_new.then(|| self.policy.clone())
    }

    /// Has the present state stored.
    pub(super) fn note_state(&mut self) {
        self.unsaved_state = UnsavedState::New;
    }

    /// Has the present policy stored.
    pub(super) fn note_policy(&mut self) {
        self.unsaved_policy = match self.unsaved_policy {
            UnsavedPolicy::Beginning { is_in_flight: false } => self.unsaved_policy,
            _ => UnsavedPolicy::Policy { is_in_flight: false },
        };
    }

    /// The compactor's own state as a line of a [`Snapshot`](super::Snapshot), which replaces the one that was stored before.
    pub fn state_line(&self) -> Result<String, SnapshotError> {
        snapshot::state_line(&self.condition())
    }
}
