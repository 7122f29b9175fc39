//! The conversation itself: the engine, and the very objects that came in.

use std::rc::Rc;

use epitome::history::Edit;
use epitome::message::Message;
use epitome::{Compactor, Policy, PolicyChange, PolicyError, Timestamp};
use epitome_formats::Format;
use js_sys::{Array, JSON};
use wasm_bindgen::JsValue;

use crate::browser::Abort;

/// One loaded conversation. Message `n` of the document is called `mn` by the engine.
#[derive(Default)]
pub(crate) struct Session {
    compactor: Option<Compactor>,
    originals: Array,
    abort: Option<Abort>,
    waiting: Option<Timestamp>,
    identity: Rc<()>,
}

/// Tells whether the conversation is still the one that a task began with.
#[derive(Clone)]
pub(crate) struct Identity(Rc<()>);

impl Session {
    /// A conversation that was read.
    pub(crate) fn new(compactor: Compactor, originals: Array) -> Self {
        Self { compactor: Some(compactor), originals, ..Self::default() }
    }

    /// The engine, once something is loaded.
    pub(crate) fn compactor(&self) -> Option<&Compactor> {
        self.compactor.as_ref()
    }

    /// The engine, to be told something.
    pub(crate) fn compactor_mut(&mut self) -> Option<&mut Compactor> {
        self.compactor.as_mut()
    }

    /// Which conversation this is.
    pub(crate) fn identity(&self) -> Identity {
        Identity(self.identity.clone())
    }

    /// True where this is the conversation that `identity` was taken from.
    pub(crate) fn is(&self, identity: &Identity) -> bool {
        Rc::ptr_eq(&self.identity, &identity.0)
    }

    /// The message at a position.
    pub(crate) fn message(&self, position: usize) -> Option<&Message> {
        self.compactor.as_ref()?.log().message(position)
    }

    /// Tokens of the message at a position.
    pub(crate) fn tokens(&self, position: usize) -> u32 {
        self.compactor.as_ref().map_or(0, |c| c.conversation().meter().tokens(position))
    }

    /// Puts a policy in force, unless a compaction runs under another one.
    pub(crate) fn apply(&mut self, policy: Policy) -> Result<(), PolicyError> {
        match self.compactor.as_mut().map(|compactor| compactor.set_policy(policy)) {
            Some(Err(PolicyChange::Refused(error))) => Err(error),
            Some(Ok(()) | Err(PolicyChange::Busy)) | None => Ok(()),
        }
    }

    /// Something new to stop what is about to begin with.
    pub(crate) fn begin(&mut self) -> Abort {
        let abort = Abort::new();
        self.abort = Some(abort.clone());
        abort
    }

    /// Stops requests and waits.
    pub(crate) fn stop(&self) {
        if let Some(abort) = &self.abort {
            abort.stop();
        }
    }

    /// Notes a wait. False where one until that moment is under way already.
    pub(crate) fn begin_wait(&mut self, until: Timestamp) -> bool {
        self.waiting.replace(until) != Some(until)
    }

    /// Notes that a wait is over.
    pub(crate) fn end_wait(&mut self) {
        self.waiting = None;
    }

    /// What the model sees, as JSON: the objects that came in, and the messages that were inserted.
    pub(crate) fn compacted(&self) -> JsValue {
        let Some(compactor) = &self.compactor else { return JsValue::from_str("[]") };
        let log = compactor.log();
        let messages = Array::new();
        for edit in compactor.view().edits {
            match edit {
                Edit::Keep(id) => {
                    let index = log.position(&id).and_then(|at| u32::try_from(at).ok());
                    messages.push(&index.map_or(JsValue::NULL, |index| self.originals.get(index)));
                }
                Edit::Insert { role, parts } => {
                    let text = Format::OpenAiChat.write(role, &parts).to_string();
                    messages.push(&JSON::parse(&text).unwrap_or(JsValue::NULL));
                }
            }
        }
        json(&messages)
    }

    /// Everything that was loaded, as JSON.
    pub(crate) fn history(&self) -> JsValue {
        json(&self.originals)
    }
}

fn json(messages: &Array) -> JsValue {
    let indent = JsValue::from_f64(2.0);
    let text = JSON::stringify_with_replacer_and_space(messages, &JsValue::NULL, &indent);
    text.map_or_else(|_| JsValue::from_str("[]"), JsValue::from)
}
