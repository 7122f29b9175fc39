//! A host for the engine: it keeps the originals, summarizes by extraction, and stores nothing.

use epitome::extractive::extract;
use epitome::message::MessageId;
use epitome::transcript::Envelope;
use epitome::{CommandError, Compactor, Output, Policy, PolicyError, Reason, Report};
use epitome_formats::{Format, Issue, Outgoing, ShapeError};
use epitome_tokens::Heuristic;
use serde_json::Value;

/// A chat app in small.
pub struct Host {
    /// The engine.
    pub compactor: Compactor,
    /// The format of its messages.
    pub format: Format,
    /// The app's own messages; the one at index 3 is named `m3`.
    pub originals: Vec<Value>,
    /// What was odd about them, by index.
    pub surprises: Vec<(usize, Issue)>,
}

impl Host {
    /// An app with no messages.
    pub fn new(format: Format, policy: Policy) -> Result<Self, PolicyError> {
        let compactor = Compactor::new(policy, format, Box::new(Heuristic))?;
        Ok(Self { compactor, format, originals: Vec::new(), surprises: Vec::new() })
    }

    /// Adds a message; one that is no object is refused and nothing is added.
    pub fn append(&mut self, message: Value) -> Result<(), ShapeError> {
        let index = self.originals.len();
        let id = MessageId::from(format!("m{index}"));
        let reading = self.format.read(&id, &message)?;
        self.surprises.extend(reading.issues.into_iter().map(|surprise| (index, surprise)));
        for piece in reading.messages {
            // Names are made here and never twice.
            let appended = self.compactor.append(piece);
            debug_assert_eq!(appended, Ok(()));
        }
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
        self.composed().into_iter().map(|(value, _)| value).collect()
    }

    /// What goes to the model, each with the index of the original where it is that very message.
    pub fn composed(&self) -> Vec<(Value, Option<usize>)> {
        let index = |id: &MessageId| id.as_str().strip_prefix('m')?.parse::<usize>().ok();
        let original = |id: &MessageId| self.originals.get(index(id)?);
        let outgoing = self.format.compose(self.compactor.log(), &self.compactor.view());
        let messages = outgoing.iter().map(|outgoing| match outgoing {
            Outgoing::Keep(id) => (original(id).cloned().unwrap_or_default(), index(id)),
            Outgoing::Composed(recipe) => (recipe.compose(self.format, original), None),
        });
        messages.collect()
    }
}
