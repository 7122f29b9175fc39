//! Ids of tool calls in another format: those that it refuses or that one message would have twice are replaced.

use epitome_columns::{SortedMap, SortedSet};

use crate::content::ContentPart;
use crate::dialect::Turn;
use crate::registry::Format;

/// The calls that are written so far. Every turn costs O(log n) for each of its calls and results.
#[derive(Default)]
pub(super) struct CallIds {
    /// Replacements by original id.
    replaced: SortedMap<String, String>,
    /// Every replacement, with the number that makes the next one of it.
    used: SortedMap<String, usize>,
    /// The ids of all calls, each with the index of its message.
    in_messages: SortedSet<(usize, String)>,
    /// Calls without a result so far, by original id. Ids may be used again, so that the latest call is meant.
    open: SortedMap<String, Vec<Written>>,
    /// The id that the latest call of each original id has got.
    latest: SortedMap<String, String>,
}

/// What a result has to have from its call.
pub(super) struct Written {
    id: String,
    name: String,
}

impl CallIds {
    /// Gives the calls of a turn ids that the target accepts, and its results and approvals those of their calls. Results also
    /// get the names of their tools: some formats do not have them, and others require them. `message` is the index of the
    /// message that is made of the turn.
    pub(super) fn replace(&mut self, turn: &mut Turn<'_>, message: usize, to: Format) {
        for part in &mut turn.parts {
            match part {
                ContentPart::Call { call, name, .. } => {
                    let (original, name) = (call.to_string(), name.to_string());
                    let id = self.id_of_call(&original, message, to);
                    *call = id.clone().into();
                    self.open_call(original, id, name);
                }
                ContentPart::Result { call, name, .. } => {
                    let (id, tool) = match self.answer(call) {
                        Some(Written { id, name }) => (Some(id), Some(name)),
                        None => (self.latest.get(call.as_ref()).cloned(), None),
                    };
                    if name.is_none() {
                        *name = tool.map(Into::into);
                    }
                    let refused = !to.conformance().accepts_call_id(call);
                    let other = || refused.then(|| self.replacement(call));
                    if let Some(id) = id.or_else(other) {
                        *call = id.into();
                    }
                }
                ContentPart::Approval { call: Some(call), .. } => {
                    if let Some(id) = self.latest.get(call.as_ref()) {
                        *call = id.clone().into();
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes note of a call that is written by an id, until its result comes.
    pub(super) fn open_call(&mut self, original: String, id: String, name: String) {
        self.latest.insert(original.clone(), id.clone());
        self.open.entry(original).or_default().push(Written { id, name });
    }

    /// The latest call with this original id that has no result so far.
    pub(super) fn answer(&mut self, original: &str) -> Option<Written> {
        self.open.get_mut(original)?.pop()
    }

    fn id_of_call(&mut self, original: &str, message: usize, to: Format) -> String {
        // An empty id stays empty: such calls are paired by order, and one replacement for all of them would pair them
        // wrongly.
        if original.is_empty() {
            return String::new();
        }
        let accepted = to.conformance().accepts_call_id(original);
        let id = if accepted { original.to_owned() } else { self.replacement(original) };
        if self.in_messages.insert((message, id.clone())) {
            return id;
        }
        let mut other = self.numbered(&plain(original));
        while !self.in_messages.insert((message, other.clone())) {
            other = self.numbered(&plain(original));
        }
        other
    }

    /// The replacement of a refused id: always the same, and different ones for different ids.
    fn replacement(&mut self, id: &str) -> String {
        if let Some(replaced) = self.replaced.get(id) {
            return replaced.clone();
        }
        let base = plain(id);
        // Different ids can become equal when characters are replaced. Their results would then answer the wrong call.
        let replacement = match self.used.contains_key(&base) {
            true => self.numbered(&base),
            false => base,
        };
        self.used.entry(replacement.clone()).or_insert(2);
        self.replaced.insert(id.to_owned(), replacement.clone());
        replacement
    }

    /// An id that was not used, made of `base` and a number.
    fn numbered(&mut self, base: &str) -> String {
        loop {
            let next = self.used.entry(base.to_owned()).or_insert(2);
            let numbered = format!("{base}_{next}");
            *next += 1;
            if !self.used.contains_key(&numbered) {
                self.used.insert(numbered.clone(), 2);
                return numbered;
            }
        }
    }
}

/// The id without refused characters, cut to a length that every provider accepts also with a number behind it.
fn plain(id: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    let plain = id.chars().map(|character| if is_plain(character) { character } else { '_' });
    plain.take(48).collect()
}
