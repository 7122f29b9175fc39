//! A chat app around the engine: it keeps the original messages, summarizes by extraction and stores nothing.

use epitome::history::View;
use epitome::message::MessageId;
use epitome::{
    CommandError, Compactor, Failure, FailureKind, Output, Policy, PolicyError, Reason, Report,
    SummaryRequest, Timestamp,
};
use epitome_extractive::extract;
use epitome_formats::{Format, Issue, Outgoing, ShapeError, Untouched};
use epitome_tokens::Heuristic;
use serde_json::Value;

/// A small chat app.
pub struct App {
    /// The engine.
    pub compactor: Compactor,
    /// The format of its messages.
    pub format: Format,
    /// The app's own messages; the one at index 3 is named `m3`.
    pub originals: Vec<Value>,
    /// The issues that were found while reading them, each with the index of its message.
    pub issues: Vec<(usize, Issue)>,
}

impl App {
    /// An app with no messages.
    pub fn new(format: Format, policy: Policy) -> Result<Self, PolicyError> {
        let compactor = Compactor::new(policy, format, Box::new(Heuristic))?;
        Ok(Self { compactor, format, originals: Vec::new(), issues: Vec::new() })
    }

    /// Adds a message. One that is not an object is an error, and nothing is added.
    pub fn append(&mut self, message: Value) -> Result<(), ShapeError> {
        let index = self.originals.len();
        let id = MessageId::from(format!("m{index}"));
        let reading = self.format.read(&id, &message)?;
        self.issues.extend(reading.issues.into_iter().map(|issue| (index, issue)));
        for step in reading.messages {
            // Appending fails only if an id is used twice, and each index is used once.
            let appended = self.compactor.append(step);
            debug_assert_eq!(appended, Ok(()));
        }
        self.originals.push(message);
        Ok(())
    }

    /// Compacts, and returns the report.
    pub fn compact(&mut self, reason: Reason) -> Result<Option<Report>, CommandError> {
        self.compactor.compact(reason, None)?;
        self.drive()?;
        Ok(self.compactor.report().cloned())
    }

    /// Compacts with a summarizer that fails, and returns the report.
    pub fn compact_in_vain(&mut self, reason: Reason) -> Result<Option<Report>, CommandError> {
        self.compactor.compact(reason, None)?;
        self.drive_with(|compactor, request| {
            let message = "the server is on fire".to_owned();
            let failure = Failure { kind: FailureKind::Permanent, message };
            compactor.handle_failure(request.id, failure, Timestamp(0));
        })?;
        Ok(self.compactor.report().cloned())
    }

    /// Undoes the latest compaction.
    pub fn undo(&mut self) -> Result<(), CommandError> {
        self.compactor.undo()?;
        self.drive()
    }

    fn drive(&mut self) -> Result<(), CommandError> {
        self.drive_with(|compactor, request| {
            let summary = extract(&request.envelope(), request.target_tokens, &Heuristic);
            compactor.handle_summary_notes(request.id, &summary.notes);
            compactor.handle_summary(request.id, &summary.text);
        })
    }

    fn drive_with(
        &mut self,
        mut answer: impl FnMut(&mut Compactor, SummaryRequest),
    ) -> Result<(), CommandError> {
        loop {
            match self.compactor.poll_output() {
                Output::Before(_) => self.compactor.proceed()?,
                Output::Summarize(request) => answer(&mut self.compactor, request),
                Output::Persist(_) => self.compactor.handle_persisted()?,
                Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
                Output::Wait(_) => return Ok(()),
            }
        }
    }

    /// The messages for the model, in the app's format.
    pub fn messages(&self) -> Vec<Value> {
        self.composed().into_iter().map(|(value, _)| value).collect()
    }

    /// The messages for the model, each with the index of the original if it is that message unchanged.
    pub fn composed(&self) -> Vec<(Value, Option<usize>)> {
        let index = |id: &MessageId| id.as_str().strip_prefix('m')?.parse::<usize>().ok();
        let original = |id: &MessageId| self.originals.get(index(id)?);
        let log = self.compactor.log();
        let projection = self.compactor.conversation().projection();
        let is_changed = projection.checkpoints > 0 || !projection.rewritten.is_empty();
        let untouched = !is_changed && Untouched::default().is_accepted(self.format, log);
        let view = if untouched { View::as_appended(log) } else { self.compactor.view() };
        let outgoing = self.format.compose(log, &view);
        let messages = outgoing.iter().map(|outgoing| match outgoing {
            Outgoing::Keep(id) => (original(id).cloned().unwrap_or_default(), index(id)),
            Outgoing::Composed(recipe) => (recipe.compose(self.format, original), None),
        });
        messages.collect()
    }
}
