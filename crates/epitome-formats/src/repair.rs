//! Messages that a provider accepts, made from some that it would refuse.

use std::collections::BTreeSet;

use epitome::history::View;
use serde::Serialize;
use serde_json::{Value, json};

use crate::Format;
use crate::compose::Outgoing;
use crate::issue::Issue;
use crate::parsed::History;
use crate::path::Path;
use crate::validate::{Strictness, validate};

/// Messages that were put right, and what was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The messages, in order.
    pub messages: Vec<RepairedMessage>,
    /// What was wrong with the messages as they came, and is not any more.
    pub done: Vec<Issue>,
    /// What is still wrong with the result: it could only be put right by guessing.
    pub left: Vec<Issue>,
}

/// A message of a repaired list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RepairedMessage {
    /// The message at this index, untouched.
    Keep(usize),
    /// One that was changed or added, and the indices of those that it was made of.
    Made {
        /// What it was made of.
        sources: Vec<usize>,
        /// The message.
        message: Value,
    },
}

/// Puts results behind their calls, gives every call a result, leaves out what no provider takes, and has
/// arguments be JSON, whose text stays in them as `unparsed`. Values that are no messages are left out.
/// Costs O(n log n).
pub fn repair(messages: &[Value], format: Format) -> Repaired {
    let before = validate(messages, format, Strictness::Provider);
    let history = History::of(format, messages);
    let log = history.log();
    let view = View::repaired(&log, &format.contract());
    let index = |id: &epitome::message::MessageId| id.as_str().parse::<usize>().ok();
    let original = |id: &epitome::message::MessageId| messages.get(index(id)?);
    let mut repaired = Vec::new();
    let mut values = Vec::new();
    let mut names = Names::default();
    for outgoing in format.compose(&log, &view) {
        let (sources, mut value) = match &outgoing {
            Outgoing::Keep(id) => (vec![id], original(id).cloned().unwrap_or_default()),
            Outgoing::Make(recipe) => (recipe.sources().collect(), recipe.make(format, original)),
        };
        let sources: Vec<usize> = sources.into_iter().filter_map(index).collect();
        let whole = matches!(outgoing, Outgoing::Keep(_));
        let mended = mend(format, &mut value) | names.tell_apart(format, &mut value);
        repaired.push(match sources.as_slice() {
            [only] if whole && !mended => RepairedMessage::Keep(*only),
            _ => RepairedMessage::Made { sources, message: value.clone() },
        });
        values.push(value);
    }
    let left = validate(&values, format, Strictness::Provider);
    Repaired { messages: repaired, done: without(before, &left), left }
}

/// The ids that messages go under.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// Has a message go under an id of its own. True where it had that of an earlier one.
    fn tell_apart(&mut self, format: Format, value: &mut Value) -> bool {
        let dialect = format.dialect();
        let Some(id) = dialect.id(value).map(str::to_owned) else { return false };
        if self.0.insert(id.clone()) {
            return false;
        }
        let other = (2..).map(|number| format!("{id}-{number}"));
        let other = other.into_iter().find(|other| !self.0.contains(other));
        other.is_some_and(|other| {
            let renamed = dialect.rename(value, &other);
            self.0.insert(other);
            renamed
        })
    }
}

/// What was found before and is not found any more: for every issue that is left, one of its kind is taken out.
fn without(mut before: Vec<Issue>, left: &[Issue]) -> Vec<Issue> {
    for issue in left {
        if let Some(place) = before.iter().rposition(|other| other.code == issue.code) {
            before.remove(place);
        }
    }
    before
}

/// Puts a message right by itself. True where something was changed.
fn mend(format: Format, value: &mut Value) -> bool {
    let dialect = format.dialect();
    let mut changed = dialect.mend(value);
    let original = value.clone();
    let Ok(content) = dialect.read(&original) else { return changed };
    for item in content.pieces.iter().flat_map(|piece| &piece.items) {
        let Some(arguments) = item.what.broken_arguments() else { continue };
        if item.at.get(&original).is_some_and(|item| dialect.is_free(item)) {
            continue;
        }
        let mended = match arguments.trim() {
            "" => json!({}),
            _ => json!({ "unparsed": arguments }),
        };
        for at in item.places() {
            if let Some(place) = at.get_mut(value) {
                dialect.call_with(place, &mended.to_string());
                changed = true;
            }
        }
    }
    changed
}

impl Issue {
    /// The same, of something further down.
    pub(crate) fn under(self, parent: &Path) -> Self {
        let path = match self.path.is_empty() {
            true => parent.to_string(),
            false => format!("{parent}.{}", self.path),
        };
        Self { path, ..self }
    }

    /// The index of the message that it is about.
    pub fn place(&self) -> usize {
        let index = self.path.strip_prefix("messages[").and_then(|rest| rest.split_once(']'));
        index.and_then(|(index, _)| index.parse().ok()).unwrap_or_default()
    }
}
