//! What goes on besides the figures: a question, a warning, what is due, what has happened.

use epitome::policy::Phase;
use epitome::tokens::Statistics;
use epitome::{BeforeCompaction, Compactor, Reason};
use leptos::prelude::*;

/// The phases of an app's work, in order, and what they are called.
pub(crate) const PHASES: [(Phase, &str); 5] = [
    (Phase::RequestStart, "A request begins"),
    (Phase::TurnStart, "The model is called"),
    (Phase::Loop, "Tools have answered"),
    (Phase::TurnEnd, "The turn ends"),
    (Phase::Overflow, "A prompt is refused"),
];
/// More of what has happened than this is forgotten.
const MOST_EVENTS: usize = 200;

/// That the window fills up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Warning {
    /// Tokens in the window.
    pub(crate) tokens: u32,
    /// The threshold that they come near to.
    pub(crate) threshold: u32,
    /// Tokens in percent of the window.
    pub(crate) budget_used_pct: f64,
}

/// What goes on. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct Live {
    /// Whether to ask before a summary is written.
    pub(crate) ask_first: RwSignal<bool>,
    /// The compaction that somebody is asked about.
    pub(crate) deciding: RwSignal<Option<BeforeCompaction>>,
    /// The open tasks, as typed.
    pub(crate) todo: RwSignal<String>,
    /// That the window fills up.
    pub(crate) warning: RwSignal<Option<Warning>>,
    /// That nothing more can be saved.
    pub(crate) too_large: RwSignal<Option<String>>,
    /// Why the engine refused a command.
    pub(crate) refusal: RwSignal<Option<String>>,
    /// What is due at each of [`PHASES`], while somebody looks.
    pub(crate) due: RwSignal<[Option<Reason>; 5]>,
    /// Whether somebody looks at what is due: to know it may take a plan for each phase.
    pub(crate) watched: RwSignal<bool>,
    /// What the provider's counts add up to, once there are any.
    pub(crate) statistics: RwSignal<Option<Statistics>>,
    /// The session, from 1.
    pub(crate) session: RwSignal<u32>,
    /// What has happened, in words, oldest first.
    pub(crate) events: RwSignal<Vec<String>>,
}

impl Live {
    /// Nothing yet.
    pub(super) fn new() -> Self {
        Self {
            ask_first: RwSignal::new(false),
            deciding: RwSignal::new(None),
            todo: RwSignal::new(String::new()),
            warning: RwSignal::new(None),
            too_large: RwSignal::new(None),
            refusal: RwSignal::new(None),
            due: RwSignal::new([None; 5]),
            watched: RwSignal::new(false),
            statistics: RwSignal::new(None),
            session: RwSignal::new(1),
            events: RwSignal::new(Vec::new()),
        }
    }

    /// Shows what the engine knows.
    pub(super) fn show(self, compactor: Option<&Compactor>) {
        if self.watched.get_untracked() {
            let due = |(phase, _)| compactor.and_then(|compactor| compactor.due(phase));
            self.due.set(PHASES.map(due));
        }
        let statistics = compactor.map(|compactor| *compactor.conversation().statistics());
        self.statistics.set(statistics.filter(|read| *read != Statistics::default()));
        self.session.set(compactor.map_or(1, Compactor::session));
    }

    /// Notes that something has happened.
    pub(crate) fn note(self, what: impl Into<String>) {
        self.events.update(|events| {
            events.push(what.into());
            let surplus = events.len().saturating_sub(MOST_EVENTS);
            events.drain(..surplus);
        });
    }

    /// Forgets what belongs to one conversation.
    pub(super) fn clear(self) {
        self.deciding.set(None);
        self.todo.set(String::new());
        self.warning.set(None);
        self.too_large.set(None);
        self.refusal.set(None);
        self.events.set(Vec::new());
    }
}
