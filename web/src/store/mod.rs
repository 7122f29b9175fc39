//! The one store: what the page shows, and the conversation behind it.
//!
//! Views read its signals and send commands to [`crate::load`] and [`crate::driver`]; only those two
//! reach the engine to change it.

mod counter;
mod document;
mod live;
mod place;
mod progress;
mod session;
mod summarizer;

use std::sync::Arc;

use epitome::Pressure;
use epitome::history::View;
use epitome::{Compactor, Plan, Policy, PolicyError, Reason, Report};
use leptos::prelude::*;

use crate::form::Settings;
pub(crate) use counter::{Counter, Effort};
pub(crate) use document::{Document, Left, Note};
pub(crate) use live::{Live, PHASES, Warning};
pub(crate) use place::Place;
pub(crate) use progress::{Progress, RetryNotice, Shorter};
pub(crate) use session::Session;
pub(crate) use summarizer::{Availability, KeyKeeping, Summarizer, SummarizerKind};

/// Which messages the list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Perspective {
    /// Everything that was said.
    Conversation,
    /// What goes to the model.
    Model,
}

/// State of the page. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct Store {
    session: StoredValue<Session, LocalStorage>,
    /// What is loaded.
    pub(crate) document: RwSignal<Option<Arc<Document>>>,
    /// What is being read, and how far that is, from 0 to 1.
    pub(crate) loading: RwSignal<Option<(String, f64)>>,
    /// Why the latest attempt to load something failed.
    pub(crate) load_error: RwSignal<Option<String>>,
    /// Labels of the conversations to choose from.
    pub(crate) choices: RwSignal<Vec<String>>,
    /// What counts tokens.
    pub(crate) counter: Counter,
    /// Settings of the policy.
    pub(crate) settings: RwSignal<Settings>,
    /// The policy that they come to, whether or not it can work.
    pub(crate) policy: Memo<Policy>,
    /// What is wrong with them.
    pub(crate) form_error: RwSignal<Option<PolicyError>>,
    /// The reason that the next compaction is made for.
    pub(crate) reason: RwSignal<Reason>,
    /// What goes on besides: questions, warnings, what is due.
    pub(crate) live: Live,
    /// Whether to load only the most recent messages that fit the window.
    pub(crate) recent_only: RwSignal<bool>,
    /// Who summarizes.
    pub(crate) summarizer: RwSignal<Summarizer>,
    /// Whether a summarizer answers where the page came from.
    pub(crate) here: RwSignal<Availability>,
    /// Grows whenever the conversation changes.
    pub(crate) revision: RwSignal<u32>,
    /// How full the window is.
    pub(crate) pressure: RwSignal<Option<Pressure>>,
    /// What a compaction would do.
    pub(crate) plan: RwSignal<Option<Arc<Plan>>>,
    /// What the model sees.
    pub(crate) view: RwSignal<Arc<View>>,
    /// The compaction under way.
    pub(crate) progress: RwSignal<Option<Progress>>,
    /// The summary as far as it has come.
    pub(crate) streamed: RwSignal<String>,
    /// What the latest compaction did.
    pub(crate) report: RwSignal<Option<Arc<Report>>>,
    /// How many compactions are in force.
    pub(crate) undoable: RwSignal<u32>,
    /// Which messages are listed.
    pub(crate) perspective: RwSignal<Perspective>,
    /// The row whose details are open.
    pub(crate) opened: RwSignal<Option<usize>>,
    /// The latest thing to say to somebody who does not see the page.
    pub(crate) announcement: RwSignal<String>,
    /// Whether the engine is to be asked again at the next frame.
    scheduled: StoredValue<bool>,
    /// Whether the conversation has changed since the engine was asked.
    changed: StoredValue<bool>,
}

impl Store {
    /// An empty page.
    pub(crate) fn new() -> Self {
        let settings = RwSignal::new(Settings::recommended());
        Self {
            session: StoredValue::new_local(Session::default()),
            document: RwSignal::new(None),
            loading: RwSignal::new(None),
            load_error: RwSignal::new(None),
            choices: RwSignal::new(Vec::new()),
            counter: Counter::new(),
            settings,
            policy: Memo::new(move |_| settings.with(Settings::policy)),
            form_error: RwSignal::new(None),
            reason: RwSignal::new(Reason::Manual),
            live: Live::new(),
            recent_only: RwSignal::new(false),
            summarizer: RwSignal::new(Summarizer::remembered()),
            here: RwSignal::new(Availability::Unknown),
            revision: RwSignal::new(0),
            pressure: RwSignal::new(None),
            plan: RwSignal::new(None),
            view: RwSignal::new(Arc::default()),
            progress: RwSignal::new(None),
            streamed: RwSignal::new(String::new()),
            report: RwSignal::new(None),
            undoable: RwSignal::new(0),
            perspective: RwSignal::new(Perspective::Conversation),
            opened: RwSignal::new(None),
            announcement: RwSignal::new(String::new()),
            scheduled: StoredValue::new(false),
            changed: StoredValue::new(false),
        }
    }

    /// Recomputes what the page shows whenever a setting changes.
    pub(crate) fn watch_settings(self) {
        Effect::new(move |_| {
            self.settings.track();
            self.reason.track();
            self.summarizer.track();
            self.schedule();
        });
    }

    /// Reads the conversation. Never hold the result over an `await`.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Session) -> T) -> T {
        self.session.with_value(read)
    }

    /// Changes the conversation. Never hold the result over an `await`.
    pub(crate) fn write<T>(&self, write: impl FnOnce(&mut Session) -> T) -> Option<T> {
        self.session.try_update_value(write)
    }

    /// Says something to somebody who does not see the page.
    pub(crate) fn announce(&self, text: impl Into<String>) {
        self.announcement.set(text.into());
    }

    /// Asks the engine again at the next frame, however often that is wanted until then.
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

    /// Brings the settings into force and shows what follows from them.
    fn recompute(self) {
        let changed = self.changed.get_value();
        self.changed.set_value(false);
        // A compaction under way keeps the policy that it began with.
        let deciding = self.live.deciding.with_untracked(Option::is_some);
        let running = deciding || self.progress.with_untracked(Option::is_some);
        if !running {
            self.apply_settings();
        }
        if !running || changed {
            self.show_figures();
        }
    }

    /// Brings the settings into force, or says what is wrong with them.
    pub(crate) fn apply_settings(self) {
        let applied = self
            .wanted_policy()
            .and_then(|policy| self.write(|session| session.apply(policy)).unwrap_or(Ok(())));
        self.form_error.set(applied.err());
    }

    /// The policy that the settings and the summarizer come to, if it can work.
    pub(crate) fn wanted_policy(self) -> Result<Policy, PolicyError> {
        let mut policy = self.settings.with_untracked(Settings::resolve)?;
        if let Some(limit) = self.summarizer.with_untracked(Summarizer::chunk_limit) {
            policy.summary.chunk_characters = policy.summary.chunk_characters.min(limit);
        }
        Ok(policy)
    }

    /// True while a compaction runs or somebody is asked about it.
    pub(crate) fn is_busy(self) -> bool {
        self.progress.with(Option::is_some) || self.live.deciding.with(Option::is_some)
    }

    pub(crate) fn show_figures(self) {
        self.show_pressure();
        let reason = self.reason.get_untracked();
        let plan = self.read(|session| Some(session.compactor()?.plan(reason)));
        self.plan.set(plan.map(Arc::new));
        self.read(|session| self.live.show(session.compactor()));
    }

    fn show_pressure(self) {
        self.pressure.set(self.read(|session| session.compactor().map(Compactor::pressure)));
    }

    /// Shows a conversation that has changed, and at the next frame what a compaction would do to it.
    pub(crate) fn show_change(self) {
        let (view, undoable) = self.read(|session| match session.compactor() {
            Some(compactor) => (compactor.view(), compactor.log().active_checkpoints().count()),
            None => (View::default(), 0),
        });
        self.view.set(Arc::new(view));
        self.undoable.set(crate::number::count(undoable));
        self.revision.update(|revision| *revision = revision.wrapping_add(1));
        self.show_pressure();
        self.changed.set_value(true);
        self.schedule();
    }

    /// Takes the conversation away, and whatever was shown of it.
    pub(crate) fn clear(self) {
        let old = self.write(std::mem::take);
        if let Some(old) = old {
            old.stop();
        }
        let beside =
            self.document.with_untracked(|old| old.as_ref().map_or(0, |old| old.beside_tokens));
        self.settings.update(|settings| settings.let_go(beside));
        self.document.set(None);
        self.plan.set(None);
        self.progress.set(None);
        self.streamed.set(String::new());
        self.report.set(None);
        self.live.clear();
        self.reason.set(Reason::Manual);
        self.opened.set(None);
        self.choices.set(Vec::new());
        self.perspective.set(Perspective::Conversation);
        self.show_change();
    }
}
