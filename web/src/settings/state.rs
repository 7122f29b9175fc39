//! The state of the settings: what is written in the form, the policy that follows from it, and the summarizer.

use epitome::policy::SummaryInput;
use epitome::{Policy, PolicyError};
use leptos::prelude::*;

use super::counting::CountingState;
use super::form::Form;
use super::kept;
use super::server::Server;
use super::sheet::SheetState;
use super::summarizer::{Availability, Summarizer};
use super::topic::wrong_field;
use crate::language::t;

/// State of the settings. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct SettingsState {
    /// What is written in the form.
    pub(crate) form: RwSignal<Form>,
    /// The policy that follows from the form, valid or not.
    pub(crate) policy: Memo<Policy>,
    /// Why the form's policy is not valid. The engine keeps the last valid one.
    pub(crate) error: RwSignal<Option<PolicyError>>,
    /// The summarizer.
    pub(crate) summarizer: RwSignal<Summarizer>,
    /// The server that answers in the chat.
    pub(crate) server: RwSignal<Server>,
    /// Whether a summarizer answers at the address that the page was loaded from.
    pub(crate) own_server: RwSignal<Availability>,
    /// What counts tokens.
    pub(crate) counting: CountingState,
    /// The dialog with all settings.
    pub(crate) sheet: SheetState,
    /// What the browser keeps for the next visit.
    pub(super) kept: StoredValue<String>,
}

impl SettingsState {
    /// The settings of the last visit, or the recommended ones.
    pub(crate) fn new() -> Self {
        let (form, summarizer, server) = kept::last();
        let form = RwSignal::new(form);
        Self {
            form,
            policy: Memo::new(move |_| form.with(Form::policy)),
            error: RwSignal::new(None),
            summarizer: RwSignal::new(summarizer),
            server: RwSignal::new(server),
            own_server: RwSignal::new(Availability::Unknown),
            counting: CountingState::new(),
            sheet: SheetState::new(),
            kept: StoredValue::new(String::new()),
        }
    }

    /// The policy for the engine: the form's, with the limits of the summarizer. Not tracked.
    pub(crate) fn resolve(self) -> Result<Policy, PolicyError> {
        let mut policy = self.form.with_untracked(Form::resolve)?;
        if let Some(limit) = self.summarizer.with_untracked(Summarizer::chunk_limit) {
            let characters = policy.summary.chunk_characters.unwrap_or(u32::MAX);
            policy.summary.chunk_characters = Some(characters.min(limit));
            // The page quotes a transcript, chunk by chunk.
            policy.summary.input = SummaryInput::Transcript;
        }
        Ok(policy)
    }

    /// The policy of an agent. Its summaries are written by the page. Not tracked.
    pub(crate) fn resolve_for(self, agent: &str) -> Result<Policy, PolicyError> {
        let mut policy = self.form.with_untracked(|form| form.resolve_for(agent))?;
        policy.summary.input = SummaryInput::Transcript;
        Ok(policy)
    }

    /// Why the settings are not valid, as a sentence that begins with the label of the field.
    pub(super) fn problem(self) -> Option<String> {
        let error = self.error.get()?;
        let field = wrong_field(self).map_or(error.field, str::to_owned);
        Some(t!("{field} {problem}.", field, problem = error.problem.trim_end_matches('.')))
    }

    /// Reruns the surrounding effect when any setting changes.
    pub(crate) fn track(self) {
        self.form.track();
        self.summarizer.track();
        self.server.track();
    }
}
