//! The one store: what the page shows, and the conversation behind it.
//!
//! Views read its signals and send commands to [`crate::load`] and [`crate::driver`]; only those two
//! reach the engine to change it.

mod document;
mod form;
mod progress;
mod session;
mod summarizer;

use std::sync::Arc;

use epitome::history::View;
use epitome::meter::Pressure;
use epitome::{Plan, PolicyError, Reason, Report};
use leptos::prelude::*;

pub(crate) use document::{Document, Note};
pub(crate) use form::{Form, KeepKind, TriggerKind};
pub(crate) use progress::{Progress, RetryNotice};
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
    /// Settings of the policy, as typed.
    pub(crate) form: RwSignal<Form>,
    /// What is wrong with them.
    pub(crate) form_error: RwSignal<Option<PolicyError>>,
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
            form: RwSignal::new(Form::default()),
            form_error: RwSignal::new(None),
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
        }
    }

    /// Recomputes what the page shows whenever a setting changes.
    pub(crate) fn watch_settings(self) {
        Effect::new(move |_| {
            self.form.track();
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
        // A compaction under way keeps the policy that it began with.
        if self.progress.with_untracked(Option::is_some) {
            return;
        }
        self.apply_settings();
        self.show_figures();
    }

    /// Brings the settings into force, or says what is wrong with them.
    pub(crate) fn apply_settings(self) {
        let chunk_limit = self.summarizer.with_untracked(Summarizer::chunk_limit);
        let policy = self.form.with_untracked(|form| form.policy(chunk_limit));
        let applied =
            policy.and_then(|policy| self.write(|session| session.apply(policy)).unwrap_or(Ok(())));
        self.form_error.set(applied.err());
    }

    fn show_figures(self) {
        let figures = self.read(|session| {
            let compactor = session.compactor()?;
            Some((compactor.pressure(), compactor.plan(Reason::Manual)))
        });
        let (pressure, plan) = figures.unzip();
        self.pressure.set(pressure);
        self.plan.set(plan.map(Arc::new));
    }

    /// Shows a conversation that has changed.
    pub(crate) fn show_change(self) {
        let (view, undoable) = self.read(|session| match session.compactor() {
            Some(compactor) => (compactor.view(), compactor.log().in_force().count()),
            None => (View::default(), 0),
        });
        self.view.set(Arc::new(view));
        self.undoable.set(crate::number::count(undoable));
        self.revision.update(|revision| *revision = revision.wrapping_add(1));
        self.show_figures();
    }

    /// Takes the conversation away, and whatever was shown of it.
    pub(crate) fn clear(self) {
        let old = self.write(std::mem::take);
        if let Some(old) = old {
            old.stop();
        }
        self.document.set(None);
        self.progress.set(None);
        self.streamed.set(String::new());
        self.report.set(None);
        self.opened.set(None);
        self.choices.set(Vec::new());
        self.perspective.set(Perspective::Conversation);
        self.show_change();
    }
}
