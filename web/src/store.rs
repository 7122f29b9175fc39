//! The store: what the page shows, and the conversation behind it.
//!
//! Views read its signals and send commands to [`crate::load`] and [`crate::driver`]; only those two
//! change the engine.

mod announcements;
mod branches;
mod brought_back;
mod chat;
mod choice;
mod commit;
mod compactions;
mod document;
mod drafts;
mod fill;
mod filter;
mod finder;
mod held;
mod keeping;
mod lanes;
mod live;
mod message_number;
mod next_request;
mod outlook;
mod overhead;
mod pictures;
mod progress;
mod records;
mod session;
mod space;

use std::sync::Arc;

use epitome::Pressure;
use epitome::history::View;
use epitome::message::CheckpointId;
use epitome::{Compactor, NextSummary, Plan, Reason, Report};
use leptos::prelude::*;

use crate::language::t;
use crate::settings::SettingsState;
pub(crate) use branches::{Repeatable, Versions};
pub(crate) use brought_back::is_recalled;
pub(crate) use chat::{Chat, Problem, Question};
pub(crate) use choice::{Choice, Span};
pub(crate) use compactions::Compaction;
pub(crate) use document::{Document, Excerpt, Note};
pub(crate) use drafts::Place;
pub(crate) use fill::{Apart, Fill, by_characters};
pub(crate) use filter::{Filter, Kind};
pub(crate) use finder::Match;
pub(crate) use held::{Held, Holding};
pub(crate) use keeping::{Keeping, Kept, Saved};
pub(crate) use lanes::{Heard, Lane, Sight, agents};
pub(crate) use live::{CompletedTask, Draft, Live, Transition, Warning, is_transition_due};
pub(crate) use message_number::MessageNumber;
pub(crate) use next_request::{ContextTexts, Due, NextRequest};
pub(crate) use outlook::{Bar, Outlook, Treatment};
pub(crate) use overhead::{Overhead, overhead_in};
pub(crate) use progress::{Progress, RetryNotice, Shorter};
pub(crate) use records::{is_archive, originals_in};
pub(crate) use session::Session;
pub(crate) use space::Space;

/// Which messages the list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Perspective {
    /// All messages, as they were loaded.
    Conversation,
    /// The view that is sent to the model.
    Model,
}

/// The window of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SampleWindow {
    /// The window in which the sample is shown.
    pub(crate) shown: u32,
    /// The window before it, for other conversations.
    pub(crate) before: u32,
}

/// State of the page. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct Store {
    session: StoredValue<Session, LocalStorage>,
    /// The loaded conversation.
    pub(crate) document: RwSignal<Option<Arc<Document>>>,
    /// The name of the document that is being read, and the progress from 0 to 1.
    pub(crate) loading: RwSignal<Option<(String, f64)>>,
    /// Why the latest attempt to load something failed.
    pub(crate) load_error: RwSignal<Option<String>>,
    /// Labels of the conversations to choose from.
    pub(crate) choices: RwSignal<Vec<String>>,
    /// The settings.
    pub(crate) settings: SettingsState,
    /// The reason of the next compaction.
    pub(crate) reason: RwSignal<Reason>,
    /// What is chosen for the next compaction alone.
    pub(crate) choice: Choice,
    /// What the browser keeps for the next visit.
    pub(crate) keeping: Keeping,
    /// Questions, warnings, events and what is due.
    pub(crate) live: Live,
    /// The chat that continues the conversation.
    pub(crate) chat: Chat,
    /// Whether to load only the most recent messages that fit the window.
    pub(crate) recent_only: RwSignal<bool>,
    /// Incremented at each change of the conversation.
    pub(crate) revision: RwSignal<u32>,
    /// How full the window is.
    pub(crate) pressure: RwSignal<Option<Pressure>>,
    /// What fills it.
    pub(crate) fill: RwSignal<Option<Fill>>,
    /// The messages that are kinds of their own among it.
    apart: StoredValue<Apart>,
    /// The summary that is written in advance.
    pub(crate) next_summary: RwSignal<Option<NextSummary>>,
    /// What is typed for the context of the next request.
    pub(crate) context: RwSignal<ContextTexts>,
    /// The steps of the next request.
    pub(crate) next_request: RwSignal<Option<NextRequest>>,
    /// Whether the page shows these steps. If not, what is due is not computed.
    pub(crate) next_request_shown: RwSignal<bool>,
    /// What the next compaction would do.
    pub(crate) plan: RwSignal<Option<Arc<Plan>>>,
    /// The plan, message by message.
    pub(crate) outlook: RwSignal<Option<Arc<Outlook>>>,
    /// The agents, if some messages are only for some of them.
    pub(crate) lanes: RwSignal<Arc<Vec<Lane>>>,
    /// The lists and the memory of what holds.
    pub(crate) holding: Holding,
    /// The agent whose messages are shown.
    pub(crate) heard_by: RwSignal<Option<String>>,
    /// The window of the sample that is shown, and the one before it.
    pub(crate) sample_window: StoredValue<Option<SampleWindow>>,
    /// What is sent to the model.
    pub(crate) view: RwSignal<Arc<View>>,
    /// The running compaction.
    pub(crate) progress: RwSignal<Option<Progress>>,
    /// The part of the summary that has arrived.
    pub(crate) streamed: RwSignal<String>,
    /// How the latest compaction ended.
    pub(crate) report: RwSignal<Option<Arc<Report>>>,
    /// The active compactions, oldest first.
    pub(crate) compactions: RwSignal<Arc<Vec<Compaction>>>,
    /// The compaction whose changes are shown.
    pub(crate) compared: RwSignal<Option<CheckpointId>>,
    /// The compaction that is being undone, after all later ones.
    pub(crate) undoing: StoredValue<Option<CheckpointId>>,
    /// The reports of applied compactions.
    reports: StoredValue<Vec<Arc<Report>>>,
    /// Which messages are listed.
    pub(crate) perspective: RwSignal<Perspective>,
    /// Which of these messages are listed.
    pub(crate) filter: RwSignal<Filter>,
    /// The positions of messages to point out in the list.
    pub(crate) lit: RwSignal<Arc<Vec<usize>>>,
    /// The position of the message under the pointer or with the focus, whose facts are pointed out.
    pub(crate) pointed: RwSignal<Option<usize>>,
    /// The row whose details are open.
    pub(crate) opened: RwSignal<Option<usize>>,
    /// The text that screen readers announce.
    pub(crate) announcement: RwSignal<String>,
    /// When they did so last, on the browser's clock.
    announced_ms: StoredValue<f64>,
    /// Whether [`Self::recompute`] runs at the next frame.
    scheduled: StoredValue<bool>,
    /// Whether the conversation has changed since [`Self::recompute`] ran.
    changed: StoredValue<bool>,
}

impl Store {
    /// An empty page.
    pub(crate) fn new() -> Self {
        Self {
            session: StoredValue::new_local(Session::default()),
            document: RwSignal::new(None),
            loading: RwSignal::new(None),
            load_error: RwSignal::new(None),
            choices: RwSignal::new(Vec::new()),
            settings: SettingsState::new(),
            reason: RwSignal::new(Reason::Manual),
            choice: Choice::new(),
            keeping: Keeping::new(),
            live: Live::new(),
            chat: Chat::new(),
            recent_only: RwSignal::new(false),
            revision: RwSignal::new(0),
            pressure: RwSignal::new(None),
            fill: RwSignal::new(None),
            apart: StoredValue::new(Apart::default()),
            next_summary: RwSignal::new(None),
            context: RwSignal::new(ContextTexts::default()),
            next_request: RwSignal::new(None),
            next_request_shown: RwSignal::new(false),
            plan: RwSignal::new(None),
            outlook: RwSignal::new(None),
            lanes: RwSignal::new(Arc::default()),
            holding: Holding::new(),
            heard_by: RwSignal::new(None),
            sample_window: StoredValue::new(None),
            view: RwSignal::new(Arc::default()),
            progress: RwSignal::new(None),
            streamed: RwSignal::new(String::new()),
            report: RwSignal::new(None),
            compactions: RwSignal::new(Arc::default()),
            compared: RwSignal::new(None),
            undoing: StoredValue::new(None),
            reports: StoredValue::new(Vec::new()),
            perspective: RwSignal::new(Perspective::Conversation),
            filter: RwSignal::new(Filter::default()),
            lit: RwSignal::new(Arc::default()),
            pointed: RwSignal::new(None),
            opened: RwSignal::new(None),
            announcement: RwSignal::new(String::new()),
            announced_ms: StoredValue::new(f64::NEG_INFINITY),
            scheduled: StoredValue::new(false),
            changed: StoredValue::new(false),
        }
    }

    /// Recomputes what the page shows when a setting changes.
    pub(crate) fn watch_settings(self) {
        Effect::new(move |_| {
            self.settings.track();
            self.reason.track();
            self.choice.track();
            self.context.track();
            self.next_request_shown.track();
            self.schedule();
        });
    }

    /// Reads the session. Do not hold the result across an `await`: the session may be replaced.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Session) -> T) -> T {
        self.session.with_value(read)
    }

    /// Changes the session. Do not hold the result across an `await`: the session may be replaced.
    pub(crate) fn write<T>(&self, write: impl FnOnce(&mut Session) -> T) -> Option<T> {
        self.session.try_update_value(write)
    }

    /// Recomputes at the next frame, once for any number of calls until then.
    pub(crate) fn schedule(self) {
        if self.scheduled.get_value() {
            return;
        }
        self.scheduled.set_value(true);
        request_animation_frame(move || {
            self.scheduled.set_value(false);
            self.recompute();
        });
    }

    /// Applies the settings and shows what follows from them.
    fn recompute(self) {
        let changed = self.changed.get_value();
        self.changed.set_value(false);
        // A running compaction keeps the policy that it started with.
        let deciding = self.live.deciding.with_untracked(Option::is_some);
        let running = deciding || self.progress.with_untracked(Option::is_some);
        if !running {
            self.apply_settings();
            self.show_next_request();
            self.keep_settings();
        }
        if !running || changed {
            self.show_figures();
        }
    }

    /// Applies the settings to the session, or shows why they are not valid.
    pub(crate) fn apply_settings(self) {
        let policy = self.settings.resolve();
        let applied = policy.and_then(|policy| self.write(|s| s.apply(policy)).unwrap_or(Ok(())));
        self.settings.error.set(applied.err());
    }

    /// Keeps the settings for the next visit, but not the window of a sample and the overhead of a document, which are not the
    /// user's. While a conversation is read, the settings are still those of the one before it.
    fn keep_settings(self) {
        if self.loading.with_untracked(Option::is_some) {
            return;
        }
        let window = self.settings.policy.with_untracked(|policy| policy.window);
        let held = self.sample_window.get_value().filter(|held| held.shown == window);
        let document = self.document.get_untracked();
        let overhead = document.map_or(0, |document| document.overhead_tokens);
        self.settings.keep(held.map_or(window, |held| held.before), overhead);
    }

    /// True while a compaction runs or waits for the user's decision, and while an answer is written.
    pub(crate) fn is_busy(self) -> bool {
        self.is_compacting() || self.chat.is_answering.get()
    }

    fn is_compacting(self) -> bool {
        self.progress.with(Option::is_some) || self.live.deciding.with(Option::is_some)
    }

    /// Why the conversation cannot be changed now, as a sentence.
    pub(crate) fn obstacle(self) -> Option<&'static str> {
        match (self.is_compacting(), self.chat.is_answering.get()) {
            (true, _) => Some(t!("A compaction is running.")),
            (_, true) => Some(t!("An answer is being written.")),
            (false, false) => None,
        }
    }

    /// True while the conversation cannot be changed here: it is compacted or answered, or another tab edits it.
    pub(crate) fn is_locked(self) -> bool {
        self.is_busy() || self.keeping.is_following.get()
    }

    /// True if the page itself writes the summaries, by quoting.
    pub(crate) fn quotes(self) -> bool {
        self.settings.summarizer.with_untracked(|summarizer| summarizer.endpoint().is_none())
    }

    /// Shows the pressure, the plan and what is due.
    pub(crate) fn show_figures(self) {
        self.show_pressure();
        let reason = self.reason.get_untracked();
        let scope = self.choice.scope();
        let quotes = self.quotes();
        let plan = self.write(|session| {
            let compactor = session.compactor_mut()?;
            compactor.set_reads_in_slices(quotes);
            Some(compactor.plan_within(reason, &scope))
        });
        let plan = plan.flatten();
        let outlook = self.apart.with_value(|apart| {
            self.read(|session| Some(Outlook::of(session.compactor()?, plan.as_ref()?, apart)))
        });
        self.plan.set(plan.map(Arc::new));
        self.outlook.set(outlook.map(Arc::new));
        self.read(|session| self.live.show(session.compactor()));
        self.show_lanes();
        self.show_held();
    }

    /// Has the context of the next request counted, and shows its steps.
    fn show_next_request(self) {
        let is_shown = self.next_request_shown.get_untracked();
        let next = self.context.with_untracked(|texts| {
            let count = |session: &mut Session| {
                let quotes = session.quotes();
                let compactor = session.compactor_mut()?;
                let next = NextRequest::with_context(compactor, texts, quotes.as_ref());
                Some(if is_shown { next.with_due(compactor) } else { next })
            };
            self.write(count).flatten()
        });
        if self.next_request.with_untracked(|shown| *shown != next) {
            self.next_request.set(next);
        }
    }

    /// Shows the agents, if there are any.
    pub(crate) fn show_lanes(self) {
        let policy = |name: &str| self.settings.resolve_for(name).ok();
        let lanes = self.write(|session| session.lanes(policy)).unwrap_or_default();
        if self.lanes.with_untracked(|shown| **shown != lanes) {
            self.lanes.set(Arc::new(lanes));
        }
    }

    /// What an agent gets.
    pub(crate) fn heard(self, name: &str) -> Vec<Heard> {
        self.lanes.track();
        self.write(|session| session.heard(name)).unwrap_or_default()
    }

    /// Shows what holds for everyone, or for the agent that is chosen.
    pub(crate) fn show_held(self) {
        let agent = self.holding.agent.get_untracked();
        let held = self.write(|session| session.of_reader(agent.as_deref(), |it| Held::of(it)));
        let is_edited = self.read(|session| {
            session.compactor().is_some_and(|compactor| compactor.log().has_newer_state())
        });
        self.holding.show(held.flatten().unwrap_or_default(), is_edited);
    }

    fn show_pressure(self) {
        self.apart.with_value(|apart| {
            let fill = self.read(|session| Some(Fill::now(session.compactor()?, apart)));
            self.fill.set(fill);
        });
        self.pressure.set(self.read(|session| session.compactor().map(Compactor::pressure)));
        self.show_next_summary();
    }

    /// Shows how far the summary is that is written in advance.
    pub(crate) fn show_next_summary(self) {
        let next = self.read(|session| session.compactor().and_then(Compactor::next_summary));
        if self.next_summary.get_untracked() != next {
            self.next_summary.set(next);
        }
    }

    /// Shows a changed conversation, and its plan at the next frame.
    pub(crate) fn show_change(self) {
        self.write(Session::release_brought_back);
        self.view.set(Arc::new(self.read(Session::view)));
        self.show_compactions();
        self.show_held();
        let apart = self.read(|session| session.compactor().map(Apart::of));
        self.apart.set_value(apart.unwrap_or_default());
        self.revision.update(|revision| *revision = revision.wrapping_add(1));
        self.show_pressure();
        self.changed.set_value(true);
        self.schedule();
    }

    /// Shows what records say of the loaded messages. Fails with a sentence for the user.
    pub(crate) fn replay(self, text: &str) -> Result<(), String> {
        let format = self.read(Session::format);
        let tokenizer = self.settings.counting.tokenizer(format.family());
        self.write(|session| session.replay(text, tokenizer)).unwrap_or(Ok(()))?;
        self.progress.set(None);
        self.streamed.set(String::new());
        self.report.set(None);
        self.live.deciding.set(None);
        self.chat.forget_latest();
        self.chat.is_answering.set(false);
        self.undoing.set_value(None);
        let todo = self.read(|session| session.compactor()?.log().todo().map(str::to_owned));
        self.live.todo.set(todo.unwrap_or_default());
        self.apply_settings();
        self.show_size();
        self.show_change();
        Ok(())
    }

    /// Shows of how many messages the conversation consists, if that has changed, and what is wrong with them then. Linear in the
    /// conversation if it has changed.
    pub(crate) fn show_size(self) {
        let messages = self.read(Session::length);
        let document = self.document.get_untracked();
        let Some(document) = document.filter(|document| document.messages != messages) else {
            return;
        };
        let mut updated = (*document).clone();
        self.read(|session| {
            if let Some(compactor) = session.compactor() {
                updated.update(messages, compactor);
            }
        });
        self.document.set(Some(Arc::new(updated)));
    }

    /// True if a compaction or a change of the lists can be undone.
    pub(crate) fn is_undoable(self) -> bool {
        self.is_compacted() || self.holding.is_edited.get()
    }

    /// Removes the conversation. Its figures stay on the page until those of the next one replace them, so that nothing on it
    /// moves in between. `next` is where that one was found, if one can come back to it.
    pub(crate) fn clear(self, next: Option<Place>) {
        self.chat.drafts.turn_to(next, self.keeping.id());
        let old = self.write(std::mem::take);
        if let Some(old) = old {
            old.stop();
        }
        let overhead =
            self.document.with_untracked(|old| old.as_ref().map_or(0, |old| old.overhead_tokens));
        self.settings.form.update(|form| form.clear_document_overhead(overhead));
        self.document.set(None);
        self.progress.set(None);
        self.streamed.set(String::new());
        self.report.set(None);
        self.keeping.show(None);
        self.compared.set(None);
        self.heard_by.set(None);
        self.holding.clear();
        self.context.set(ContextTexts::default());
        self.undoing.set_value(None);
        self.reports.set_value(Vec::new());
        self.filter.set(Filter::default());
        self.live.clear();
        self.chat.clear();
        self.reason.set(Reason::Manual);
        self.choice.clear();
        self.lit.set(Arc::default());
        self.pointed.set(None);
        self.opened.set(None);
        self.choices.set(Vec::new());
        self.perspective.set(Perspective::Conversation);
    }
}
