//! The conversation itself: the engine, and the very objects that came in.

use std::rc::Rc;

use epitome::message::{Message, MessageId};
use epitome::policy::Counting;
use epitome::tokens::BoxedTokenizer;
use epitome::{Compactor, Policy, PolicyChange, PolicyError, Timestamp};
use epitome_formats::{Format, Outgoing, Recipe};
use js_sys::{Array, JSON};
use serde_json::Value;
use wasm_bindgen::JsValue;

use super::place::{Place, index_of};
use crate::browser::Abort;

/// One loaded conversation. Message `n` of what was loaded is called `mn` by the engine.
pub(crate) struct Session {
    format: Format,
    compactor: Option<Compactor>,
    originals: Array,
    /// Everything that the document holds, loaded or not.
    all: Array,
    abort: Option<Abort>,
    waiting: Option<Timestamp>,
    identity: Rc<()>,
}

/// Tells whether the conversation is still the one that a task began with.
#[derive(Clone)]
pub(crate) struct Identity(Rc<()>);

impl Default for Session {
    fn default() -> Self {
        Self {
            format: Format::OpenAiChat,
            compactor: None,
            originals: Array::new(),
            all: Array::new(),
            abort: None,
            waiting: None,
            identity: Rc::default(),
        }
    }
}

impl Session {
    /// A conversation that was read, out of `all` that there is. Its policy names what counts it.
    pub(crate) fn new(format: Format, compactor: Compactor, originals: Array, all: Array) -> Self {
        Self { format, compactor: Some(compactor), originals, all, ..Self::default() }
    }

    /// The engine, once something is loaded.
    pub(crate) fn compactor(&self) -> Option<&Compactor> {
        self.compactor.as_ref()
    }

    /// The engine, to be told something.
    pub(crate) fn compactor_mut(&mut self) -> Option<&mut Compactor> {
        self.compactor.as_mut()
    }

    /// The format of its messages.
    pub(crate) fn format(&self) -> Format {
        self.format
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

    /// Which message of what was loaded a position is of.
    pub(crate) fn place(&self, position: usize) -> Option<Place> {
        Place::of(self.compactor.as_ref()?.log(), position)
    }

    /// Tokens of the message at a position as it was appended, in the provider's tokens.
    pub(crate) fn tokens(&self, position: usize) -> u32 {
        self.compactor.as_ref().map_or(0, |compactor| {
            compactor.scale().to_provider(compactor.conversation().meter().tokens(position))
        })
    }

    /// Puts a policy in force, unless a compaction runs under another one. What counts stays the same; see
    /// [`Self::begin_recount`].
    pub(crate) fn apply(&mut self, policy: Policy) -> Result<(), PolicyError> {
        let Some(compactor) = self.compactor.as_mut() else { return Ok(()) };
        let counting = compactor.policy().counting.clone();
        match compactor.set_policy(Policy { counting, ..policy }) {
            Err(PolicyChange::Refused(error)) => Err(error),
            Ok(()) | Err(PolicyChange::Busy) => Ok(()),
        }
    }

    /// True where the conversation is counted so.
    pub(crate) fn counts_by(&self, counting: &Counting) -> bool {
        self.compactor().is_some_and(|compactor| compactor.policy().counting == *counting)
    }

    /// Begins to count everything anew. False where there is nothing to count, or it is counted so already.
    pub(crate) fn begin_recount(&mut self, counting: &Counting, tokenizer: BoxedTokenizer) -> bool {
        let needed = !self.counts_by(counting);
        if let Some(compactor) = self.compactor.as_mut().filter(|_| needed) {
            compactor.begin_count_by(tokenizer);
            return true;
        }
        false
    }

    /// Counts one more message anew. False at the end, when that counting is in force, and where a
    /// compaction keeps it from being so.
    pub(crate) fn recount_next(&mut self, counting: &Counting) -> bool {
        let Some(compactor) = &mut self.compactor else { return false };
        match compactor.count_next() {
            Ok(false) => {
                let counting = counting.clone();
                let policy = Policy { counting, ..compactor.policy().clone() };
                // It differs from the policy in force by what counts alone, and no compaction runs.
                let _ = compactor.set_policy(policy);
                false
            }
            Ok(true) => true,
            Err(_) => false,
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

    /// What the model sees: the objects that came in, and the messages that were made.
    pub(crate) fn compacted(&self) -> Array {
        let Some(compactor) = &self.compactor else { return Array::new() };
        let outgoing = self.format.compose(compactor.log(), &compactor.view());
        let messages = outgoing.iter().map(|outgoing| match outgoing {
            Outgoing::Keep(id) => self.original(id),
            Outgoing::Composed(recipe) => self.made(recipe),
        });
        messages.collect()
    }

    /// The very object that came in.
    fn original(&self, whole: &MessageId) -> JsValue {
        index_of(whole.as_str()).map_or(JsValue::NULL, |index| self.originals.get(index))
    }

    /// A message that is made of what came in.
    fn made(&self, recipe: &Recipe) -> JsValue {
        let sources: Vec<(&MessageId, Value)> = recipe
            .needs()
            .filter_map(|id| Some((id, serde_wasm_bindgen::from_value(self.original(id)).ok()?)))
            .collect();
        let find = |id: &MessageId| sources.iter().find(|(source, _)| *source == id);
        let value = recipe.compose(self.format, |id| find(id).map(|(_, value)| value));
        JSON::parse(&value.to_string()).unwrap_or(JsValue::NULL)
    }

    /// Everything that the document holds.
    pub(crate) fn history(&self) -> Array {
        self.all.clone()
    }
}
