//! The session: the engine, and the JavaScript objects of the loaded messages.

use std::collections::BTreeSet;
use std::rc::Rc;

use epitome::history::View;
use epitome::message::{Message, MessageId, Part, Role};
use epitome::policy::Counting;
use epitome::tokens::BoxedTokenizer;
use epitome::{Compactor, Policy, PolicyError, SetPolicyError, Stored, Timestamp};
use epitome_formats::{Format, Outgoing, Recipe};
use js_sys::{Array, JSON};
use serde_json::Value;
use wasm_bindgen::JsValue;

use super::finder::Finder;
use super::lanes::{self, Heard, Lane};
use super::message_number::{MessageNumber, index_of};
use super::overhead::Overhead;
use super::records::InStore;
use crate::browser::Abort;
use crate::language::t;

/// One loaded conversation. The engine knows the loaded message at index `n` by the id `mn`.
pub(crate) struct Session {
    format: Format,
    pub(super) compactor: Option<Compactor>,
    pub(super) originals: Array,
    /// The indices of originals on branches that were left, in order.
    pub(super) left: Vec<u32>,
    /// All messages of the document, loaded or not.
    all: Array,
    /// How many of the originals are from the document.
    loaded: u32,
    /// The agents of the conversation, if some messages are only for some of them.
    agents: Vec<String>,
    /// The instructions and tools that came with it.
    pub(super) overhead: Overhead,
    /// What the browser has stored of it.
    pub(super) in_store: InStore,
    /// The messages that a compaction has replaced and that the next request has again.
    pub(super) brought_back: Vec<MessageId>,
    pub(super) finder: Finder,
    abort: Option<Abort>,
    waiting: Option<Timestamp>,
    identity: Rc<()>,
}

/// Identifies a session, so that a task can see whether it was replaced.
#[derive(Clone)]
pub(crate) struct Identity(Rc<()>);

impl Default for Session {
    fn default() -> Self {
        Self {
            format: Format::OpenAiChat,
            compactor: None,
            originals: Array::new(),
            left: Vec::new(),
            all: Array::new(),
            loaded: 0,
            agents: Vec::new(),
            overhead: Overhead::default(),
            in_store: InStore::default(),
            brought_back: Vec::new(),
            finder: Finder::default(),
            abort: None,
            waiting: None,
            identity: Rc::default(),
        }
    }
}

impl Session {
    /// A session with the loaded messages (`originals`) out of `all` messages of the document.
    pub(crate) fn new(
        format: Format,
        mut compactor: Compactor,
        originals: &Array,
        all: Array,
    ) -> Self {
        compactor.collect_unsaved(Stored::Nothing);
        // The caller may keep its list, and this one gets longer.
        let (originals, loaded) = (originals.slice(0, originals.length()), originals.length());
        Self { format, compactor: Some(compactor), originals, all, loaded, ..Self::default() }
    }

    /// The same with these agents.
    pub(crate) fn with_agents(self, agents: Vec<String>) -> Self {
        Self { agents, ..self }
    }

    /// The same with these instructions and tools.
    pub(crate) fn with_overhead(self, overhead: Overhead) -> Self {
        Self { overhead, ..self }
    }

    /// The instructions and tools that came with it.
    pub(crate) fn overhead(&self) -> &Overhead {
        &self.overhead
    }

    /// The names of the tools that it has calls of, in the order of the alphabet. Linear in it.
    pub(crate) fn called_tools(&self) -> BTreeSet<String> {
        let messages = self.compactor.iter().flat_map(|compactor| compactor.log().messages());
        let parts = messages.flat_map(|message| &message.parts);
        let mut names = BTreeSet::new();
        for part in parts {
            if let Part::ToolCall { name, .. } = part
                && !names.contains(name)
            {
                names.insert(name.clone());
            }
        }
        names
    }

    /// The agents, each with the policy that `policy` gives. Linear in the messages of each.
    pub(crate) fn lanes(&mut self, policy: impl Fn(&str) -> Option<Policy>) -> Vec<Lane> {
        let indices = self.path_indices();
        let Some(team) = &mut self.compactor else { return Vec::new() };
        let counting = team.policy().counting.clone();
        let lane = |name: &String| {
            let policy = Policy { counting: counting.clone(), ..policy(name)? };
            lanes::lane(team, name, &policy, &indices)
        };
        self.agents.iter().filter_map(lane).collect()
    }

    /// What an agent gets, in order.
    pub(crate) fn heard(&mut self, name: &str) -> Vec<Heard> {
        self.compactor.as_mut().map(|team| lanes::heard(team, name)).unwrap_or_default()
    }

    /// What `act` says of the engine as an agent has it, or as everyone has it; `None` if there is no such agent.
    pub(crate) fn of_reader<T>(
        &mut self,
        agent: Option<&str>,
        act: impl FnOnce(&mut Compactor) -> T,
    ) -> Option<T> {
        let team = self.compactor.as_mut()?;
        match agent {
            Some(name) => Some(act(&mut *team.agent(name).ok()?)),
            None => Some(act(team)),
        }
    }

    /// The engine, if a conversation is loaded.
    pub(crate) fn compactor(&self) -> Option<&Compactor> {
        self.compactor.as_ref()
    }

    /// The engine, for commands.
    pub(crate) fn compactor_mut(&mut self) -> Option<&mut Compactor> {
        self.compactor.as_mut()
    }

    /// The format of its messages.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// The identity of this session.
    pub(crate) fn identity(&self) -> Identity {
        Identity(self.identity.clone())
    }

    /// True if this is the session of `identity`.
    pub(crate) fn is(&self, identity: &Identity) -> bool {
        Rc::ptr_eq(&self.identity, &identity.0)
    }

    /// The message at a position.
    pub(crate) fn message(&self, position: usize) -> Option<&Message> {
        self.compactor.as_ref()?.log().message(position)
    }

    /// Why the pin of the message at a position cannot be changed; `None` if it can.
    pub(crate) fn pin_obstacle(&self, position: usize) -> Option<&'static str> {
        let compactor = self.compactor.as_ref()?;
        if self.message(position)?.role == Role::System {
            return Some(t!("System messages are always kept; they need no pin."));
        }
        let covered = position < compactor.conversation().projection().covered;
        covered.then_some(t!("A compaction covers this message. Undo it to change the pin."))
    }

    /// The message number of a position.
    pub(crate) fn number(&self, position: usize) -> Option<MessageNumber> {
        MessageNumber::of(self.compactor.as_ref()?.log(), position, &self.left)
    }

    /// The position of the message with this number in a summary.
    pub(crate) fn position_of_number(&self, number: u32) -> Option<usize> {
        let compactor = self.compactor.as_ref()?;
        let id = &compactor.conversation().message_numbered(number)?.id;
        compactor.log().position(id)
    }

    /// The positions of the messages that a line of the summary is from.
    pub(crate) fn sources(&self, line: &str) -> Vec<usize> {
        let Some(compactor) = self.compactor.as_ref() else { return Vec::new() };
        let ids = compactor.sources(line);
        ids.iter().filter_map(|id| compactor.log().position(id)).collect()
    }

    /// Tokens of the message at a position as it was loaded, in the provider's tokens.
    pub(crate) fn tokens(&self, position: usize) -> u32 {
        self.compactor.as_ref().map_or(0, |compactor| {
            compactor.scale().to_provider(compactor.conversation().meter().tokens(position))
        })
    }

    /// Applies a policy, unless a compaction is running. The counting stays the same; see [`Self::begin_recount`].
    pub(crate) fn apply(&mut self, policy: Policy) -> Result<(), PolicyError> {
        let Some(compactor) = self.compactor.as_mut() else { return Ok(()) };
        let counting = compactor.policy().counting.clone();
        match compactor.set_policy(Policy { counting, ..policy }) {
            Err(SetPolicyError::Invalid(error)) => Err(error),
            Ok(()) | Err(SetPolicyError::Busy) => Ok(()),
        }
    }

    /// True if the conversation is counted by `counting`.
    pub(crate) fn counts_by(&self, counting: &Counting) -> bool {
        self.compactor().is_some_and(|compactor| compactor.policy().counting == *counting)
    }

    /// Starts to count all messages again. False if nothing is loaded or it is counted by `counting` already.
    pub(crate) fn begin_recount(&mut self, counting: &Counting, tokenizer: BoxedTokenizer) -> bool {
        let needed = !self.counts_by(counting);
        if let Some(compactor) = self.compactor.as_mut().filter(|_| needed) {
            compactor.begin_count_by(tokenizer);
            return true;
        }
        false
    }

    /// Counts one more message again. False at the end, when `counting` is active, and if a running compaction
    /// prevents that.
    pub(crate) fn recount_next(&mut self, counting: &Counting) -> bool {
        let Some(compactor) = &mut self.compactor else { return false };
        match compactor.count_next() {
            Ok(false) => {
                let counting = counting.clone();
                let policy = Policy { counting, ..compactor.policy().clone() };
                // This cannot fail: only the counting differs from the active policy, and no compaction runs.
                let _ = compactor.set_policy(policy);
                false
            }
            Ok(true) => true,
            Err(_) => false,
        }
    }

    /// A new handle to stop the work that is about to start.
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

    /// Records a wait. False if a wait until the same time is recorded already.
    pub(crate) fn begin_wait(&mut self, until: Timestamp) -> bool {
        self.waiting.replace(until) != Some(until)
    }

    /// Records that a wait is over.
    pub(crate) fn end_wait(&mut self) {
        self.waiting = None;
    }

    /// The messages for the model: the loaded objects, and the messages that the engine composed.
    pub(crate) fn compacted(&self) -> Array {
        let Some(compactor) = &self.compactor else { return Array::new() };
        self.messages_of(compactor, &self.view())
    }

    /// The messages of a summarizer request, as JSON.
    pub(crate) fn asked(&self, view: &View) -> Option<String> {
        let messages = self.messages_of(self.compactor.as_ref()?, view);
        JSON::stringify(&messages).ok().map(String::from)
    }

    pub(super) fn messages_of(&self, compactor: &Compactor, view: &View) -> Array {
        let outgoing = self.format.compose(compactor.log(), view);
        let messages = outgoing.iter().map(|outgoing| match outgoing {
            Outgoing::Keep(id) => self.original(id),
            Outgoing::Composed(recipe) => self.composed(recipe),
        });
        messages.collect()
    }

    /// The object that was loaded.
    pub(super) fn original(&self, whole: &MessageId) -> JsValue {
        index_of(whole.as_str()).map_or(JsValue::NULL, |index| self.originals.get(index))
    }

    /// A message that is composed from loaded ones.
    fn composed(&self, recipe: &Recipe) -> JsValue {
        let sources: Vec<(&MessageId, Value)> = recipe
            .needs()
            .filter_map(|id| Some((id, serde_wasm_bindgen::from_value(self.original(id)).ok()?)))
            .collect();
        let find = |id: &MessageId| sources.iter().find(|(source, _)| *source == id);
        let value = recipe.compose(self.format, |id| find(id).map(|(_, value)| value));
        JSON::parse(&value.to_string()).unwrap_or(JsValue::NULL)
    }

    /// Puts another engine in place of this one. Tasks that work for this one see that the session is another one.
    pub(super) fn renew(&mut self, compactor: Compactor) {
        self.stop();
        self.waiting = None;
        self.identity = Rc::default();
        self.compactor = Some(compactor);
        self.find_left();
    }

    /// The whole conversation: all messages of the document, or those of the branch that is shown once it went on here.
    pub(crate) fn history(&self) -> Array {
        if self.left.is_empty() && self.originals.length() == self.loaded {
            return self.all.clone();
        }
        self.path_indices().into_iter().map(|index| self.originals.get(index)).collect()
    }
}
