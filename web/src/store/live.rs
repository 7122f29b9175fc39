//! What changes while the app works: a question, a warning, what is due, and the events so far.

use epitome::policy::Phase;
use epitome::tokens::Statistics;
use epitome::{BeforeCompaction, Compactor, Reason};
use leptos::prelude::*;

use crate::label::PHASES;
use crate::number::count;

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

/// A completed task of the workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompletedTask {
    /// Its name.
    pub(crate) name: String,
    /// The number of its messages.
    pub(crate) messages: u32,
    /// True if a summary covers them.
    pub(crate) is_summarized: bool,
}

impl CompletedTask {
    /// Those of a conversation, oldest first.
    fn all(compactor: &Compactor) -> Vec<Self> {
        let covered = compactor.conversation().projection().covered;
        let mut begin = 0;
        let tasks = compactor.log().completed_tasks().map(|(name, end)| {
            let messages = count(end.saturating_sub(begin));
            begin = end;
            Self { name: name.to_owned(), messages, is_summarized: covered >= end }
        });
        tasks.collect()
    }
}

/// The transition from a completed task, which is the next compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transition {
    /// Its summary is for this view only.
    Own,
    /// Its summary is for all agents.
    Shared,
}

/// True if the next compaction is the transition from a completed task to the next one.
pub(crate) fn is_transition_due(compactor: &Compactor) -> bool {
    // Without a task, what is due may need a plan.
    compactor.log().tasks_completed() > 0
        && compactor.due(Phase::TurnEnd) == Some(Reason::TaskTransition)
}

/// A summary that waits until the user has read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draft {
    /// The summary.
    pub(crate) text: String,
    /// What its summarizer noted for itself. It is about this text alone.
    pub(crate) notes: String,
    /// True if it is the user's text by now. Nothing has asked the user for headings.
    pub(crate) is_changed: bool,
}

impl Draft {
    /// The draft with a text that the user may have changed.
    pub(crate) fn with(self, text: String) -> Self {
        match text == self.text {
            true => self,
            false => Self { text, notes: String::new(), is_changed: true },
        }
    }

    /// The draft with one more sentence.
    pub(crate) fn and(self, sentence: &str) -> Self {
        let text = format!("{}\n\n{sentence}", self.text);
        self.with(text)
    }
}

/// What goes on with a summary once the user has read it.
type Use = Box<dyn FnOnce(Draft)>;

/// State of the running app. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct Live {
    /// Whether a compaction was asked for before the page had the form that starts it.
    pub(crate) is_wanted: RwSignal<bool>,
    /// Whether the user decides before a summary is requested.
    pub(crate) ask_first: RwSignal<bool>,
    /// The compaction that waits for the user's decision.
    pub(crate) deciding: RwSignal<Option<BeforeCompaction>>,
    /// What is added to the next summary although no message says it, as an example.
    pub(crate) invention: RwSignal<Option<&'static str>>,
    /// Whether the user reads a summary before it is used.
    pub(crate) reads_first: RwSignal<bool>,
    /// The summary that waits for the user.
    pub(crate) draft: RwSignal<Option<Draft>>,
    /// What goes on with it.
    then: StoredValue<Option<Use>, LocalStorage>,
    /// The open tasks, as typed.
    pub(crate) todo: RwSignal<String>,
    /// The completed tasks of the workflow, oldest first.
    pub(crate) tasks: RwSignal<Vec<CompletedTask>>,
    /// The transition from a completed task, if that is the next compaction.
    pub(crate) transition: RwSignal<Option<Transition>>,
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
            is_wanted: RwSignal::new(false),
            ask_first: RwSignal::new(false),
            deciding: RwSignal::new(None),
            invention: RwSignal::new(None),
            reads_first: RwSignal::new(false),
            draft: RwSignal::new(None),
            then: StoredValue::new_local(None),
            todo: RwSignal::new(String::new()),
            tasks: RwSignal::new(Vec::new()),
            transition: RwSignal::new(None),
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
        self.tasks.set(compactor.map(CompletedTask::all).unwrap_or_default());
        let due = compactor.filter(|compactor| is_transition_due(compactor));
        self.transition.set(due.map(|compactor| match compactor.log().shares_task() {
            true => Transition::Shared,
            false => Transition::Own,
        }));
        let statistics = compactor.map(|compactor| *compactor.conversation().statistics());
        self.statistics.set(statistics.filter(|read| *read != Statistics::default()));
        self.session.set(compactor.map_or(1, Compactor::session));
    }

    /// Shows a summary, and goes on with `then` once the user has read it.
    pub(crate) fn show_draft(self, draft: Draft, then: impl FnOnce(Draft) + 'static) {
        self.then.set_value(Some(Box::new(then)));
        self.draft.set(Some(draft));
    }

    /// Goes on with the summary as the user has left it.
    pub(crate) fn use_draft(self, text: String) {
        let draft = self.draft.try_update(Option::take).flatten();
        let then = self.then.try_update_value(Option::take).flatten();
        if let Some((draft, then)) = draft.zip(then) {
            then(draft.with(text));
        }
    }

    /// Forgets the summary that waits for the user.
    pub(crate) fn drop_draft(self) {
        self.invention.set(None);
        self.draft.set(None);
        self.then.set_value(None);
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
        self.drop_draft();
        self.todo.set(String::new());
        self.warning.set(None);
        self.too_large.set(None);
        self.rejection.set(None);
        self.events.set(Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notes_of_a_summarizer_go_with_its_own_text_only() {
        let (text, notes) = ("As it was.".to_owned(), "a note".to_owned());
        let draft = Draft { text, notes, is_changed: false };
        assert_eq!(draft.clone().with("As it was.".to_owned()), draft);
        let changed = draft.with("As I want it.".to_owned());
        assert_eq!((changed.notes.as_str(), changed.is_changed), ("", true));
    }
}
