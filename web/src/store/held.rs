//! What holds in the conversation: the lists of its structured state, and its memory; of everyone, or of one agent.

use epitome::{Compactor, Memory, StructuredState};
use leptos::prelude::*;

/// What holds for one reader of the conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Held {
    /// The lists.
    pub(crate) state: StructuredState,
    /// The memory.
    pub(crate) memory: Memory,
    /// True if summaries bring changes to the lists, and show them.
    pub(crate) is_summarized: bool,
    /// True if summaries show the memory.
    pub(crate) is_remembered: bool,
    /// True if the lists were changed on the page since the latest compaction, which an undo takes back first.
    pub(crate) is_edited: bool,
}

impl Held {
    /// What holds for the reader of this compactor.
    pub(super) fn of(compactor: &Compactor) -> Self {
        Self {
            state: compactor.structured_state().clone(),
            memory: compactor.memory().clone(),
            is_summarized: compactor.policy().summary.structured_state,
            is_remembered: compactor.policy().memory.in_summary,
            is_edited: compactor.log().has_newer_state(),
        }
    }
}

/// What the page shows of it. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct Holding {
    /// The agent whose lists and memory are shown; `None` for those of everyone.
    pub(crate) agent: RwSignal<Option<String>>,
    /// What holds for this agent, or for everyone.
    pub(crate) shown: RwSignal<Held>,
    /// True if the lists of everyone were changed on the page since the latest compaction.
    pub(crate) is_edited: RwSignal<bool>,
    /// What came of the latest change besides what was asked for; empty if nothing did.
    pub(crate) said: RwSignal<&'static str>,
}

impl Holding {
    /// The state before a conversation is loaded.
    pub(super) fn new() -> Self {
        Self {
            agent: RwSignal::new(None),
            shown: RwSignal::new(Held::default()),
            is_edited: RwSignal::new(false),
            said: RwSignal::new(""),
        }
    }

    /// Shows what holds now.
    pub(super) fn show(self, shown: Held, is_edited: bool) {
        if self.shown.with_untracked(|before| *before != shown) {
            self.shown.set(shown);
        }
        self.is_edited.set(is_edited);
    }

    /// Removes the choice of another conversation.
    pub(super) fn clear(self) {
        self.agent.set(None);
        self.said.set("");
    }
}
