//! What changes while the app works: a question, a warning, what is due, and the events so far.

use epitome::tokens::Statistics;
use epitome::{BeforeCompaction, Compactor, Reason};
use leptos::prelude::*;

use crate::label::PHASES;

/// The number of events that are kept.
const MAX_EVENTS: usize = 200;

/// A warning that the window is filling up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Warning {
    /// Tokens in the window.
    pub(crate) tokens: u32,
    /// The threshold of the next compaction.
    pub(crate) threshold: u32,
    /// The same in percent of the window.
    pub(crate) budget_used_pct: f64,
}

/// State of the running app. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct Live {
    /// Whether the user decides before a summary is requested.
    pub(crate) ask_first: RwSignal<bool>,
    /// The compaction that waits for the user's decision.
    pub(crate) deciding: RwSignal<Option<BeforeCompaction>>,
    /// The open tasks, as typed.
    pub(crate) todo: RwSignal<String>,
    /// The latest warning, until the next compaction.
    pub(crate) warning: RwSignal<Option<Warning>>,
    /// Why the conversation is still too large after a compaction.
    pub(crate) too_large: RwSignal<Option<String>>,
    /// Why the engine rejected the latest command.
    pub(crate) rejection: RwSignal<Option<String>>,
    /// What is due at each of [`PHASES`], while [`Self::due_shown`].
    pub(crate) due: RwSignal<[Option<Reason>; PHASES.len()]>,
    /// Whether the page shows what is due. If not, it is not computed, because that may need a plan for each phase.
    pub(crate) due_shown: RwSignal<bool>,
    /// The totals of the usage that the provider reported, if there is any.
    pub(crate) statistics: RwSignal<Option<Statistics>>,
    /// The number of the session, from 1.
    pub(crate) session: RwSignal<u32>,
    /// The events so far in words, oldest first.
    pub(crate) events: RwSignal<Vec<String>>,
}

impl Live {
    /// The state before a conversation is loaded.
    pub(super) fn new() -> Self {
        Self {
            ask_first: RwSignal::new(false),
            deciding: RwSignal::new(None),
            todo: RwSignal::new(String::new()),
            warning: RwSignal::new(None),
            too_large: RwSignal::new(None),
            rejection: RwSignal::new(None),
            due: RwSignal::new([None; PHASES.len()]),
            due_shown: RwSignal::new(false),
            statistics: RwSignal::new(None),
            session: RwSignal::new(1),
            events: RwSignal::new(Vec::new()),
        }
    }

    /// Shows the state of the engine.
    pub(super) fn show(self, compactor: Option<&Compactor>) {
        if self.due_shown.get_untracked() {
            let due = |phase| compactor.and_then(|compactor| compactor.due(phase));
            self.due.set(PHASES.map(due));
        }
        let statistics = compactor.map(|compactor| *compactor.conversation().statistics());
        self.statistics.set(statistics.filter(|read| *read != Statistics::default()));
        self.session.set(compactor.map_or(1, Compactor::session));
    }

    /// Records an event.
    pub(crate) fn record(self, event: impl Into<String>) {
        self.events.update(|events| {
            events.push(event.into());
            let surplus = events.len().saturating_sub(MAX_EVENTS);
            events.drain(..surplus);
        });
    }

    /// Removes the state of a conversation.
    pub(super) fn clear(self) {
        self.deciding.set(None);
        self.todo.set(String::new());
        self.warning.set(None);
        self.too_large.set(None);
        self.rejection.set(None);
        self.events.set(Vec::new());
    }
}
