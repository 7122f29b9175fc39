//! A host for the engine: it keeps the originals, summarizes by extraction, and stores nothing.

use epitome::history::Edit;
use epitome::message::MessageId;
use epitome::summary::envelope::Envelope;
use epitome::summary::extract::extract;
use epitome::{CommandError, Compactor, Output, Policy, PolicyError, Reason, Report};
use epitome_formats::{Format, ShapeError, Surprise};
use epitome_tokens::Heuristic;
use serde_json::Value;

/// A chat app in small.
pub struct Host {
    /// The engine.
    pub compactor: Compactor,
    /// The app's own messages; the one at index 3 is named `m3`.
    pub originals: Vec<Value>,
    /// What was odd about them, by index.
    pub surprises: Vec<(usize, Surprise)>,
}

impl Host {
    /// An app with no messages.
    pub fn new(policy: Policy) -> Result<Self, PolicyError> {
        let contract = Format::OpenAiChat.contract();
        let compactor = Compactor::new(policy, contract, Box::new(Heuristic))?;
        Ok(Self { compactor, originals: Vec::new(), surprises: Vec::new() })
    }

    /// Adds a message; one that is no object is refused and nothing is added.
    pub fn append(&mut self, message: Value) -> Result<(), ShapeError> {
        let index = self.originals.len();
        let id = MessageId::from(format!("m{index}"));
        let reading = Format::OpenAiChat.read(id, &message)?;
        self.surprises.extend(reading.surprises.into_iter().map(|surprise| (index, surprise)));
        // Names are made here and never twice.
        let appended = self.compactor.append(reading.message);
        debug_assert_eq!(appended, Ok(()));
        self.originals.push(message);
        Ok(())
    }

    /// Compacts and gives what became of it.
    pub fn compact(&mut self, reason: Reason) -> Result<Option<Report>, CommandError> {
        self.compactor.compact(reason, None)?;
        self.drive()?;
        Ok(self.compactor.report().cloned())
    }

    /// Takes the latest compaction back.
    pub fn undo(&mut self) -> Result<(), CommandError> {
        self.compactor.undo()?;
        self.drive()
    }

    fn drive(&mut self) -> Result<(), CommandError> {
        loop {
            match self.compactor.poll_output() {
                Output::Before(_) => self.compactor.proceed()?,
                Output::Summarize(request) => {
                    let envelope = Envelope::parse(&request.input);
                    let summary = extract(&envelope, request.target_tokens, &Heuristic);
                    self.compactor.handle_summary(request.id, &summary);
                }
                Output::Persist(_) => self.compactor.handle_persisted()?,
                Output::Changed | Output::Event(_) => {}
                Output::Wait(_) => return Ok(()),
            }
        }
    }

    /// What goes to the model, in the app's own shape.
    pub fn messages(&self) -> Vec<Value> {
        let view = self.compactor.view();
        let format = Format::OpenAiChat;
        let original = |id: &MessageId| self.originals.get(self.compactor.log().position(id)?);
        view.edits
            .iter()
            .filter_map(|edit| match edit {
                Edit::Keep(id) => original(id).cloned(),
                Edit::Replace { id, changes } => {
                    original(id).map(|original| format.rewrite(original, changes))
                }
                Edit::Insert { role, parts } => Some(format.write(*role, parts)),
            })
            .collect()
    }
}
