//! The view, put together from the host's own messages.

use epitome::history::{Change, Edit, Log, PartChange, View};
use epitome::message::{MessageId, Part, Role};
use epitome::{BlankText, Contract, Neighbours, ReasoningPolicy, ResultPlace};
use serde_json::Value;

use crate::Format;
use crate::content::What;
use crate::dialect::Turn;
use crate::edit_message::extract;
use crate::steps::{pieces_of, whole_of};

/// One message of the view.
#[derive(Clone, Debug, PartialEq)]
pub enum Outgoing {
    /// The host's message, untouched.
    Keep(MessageId),
    /// A message that is made.
    Make(Recipe),
}

/// How a message is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    pub(crate) fragments: Vec<Fragment>,
    pub(crate) sample: Option<MessageId>,
}

/// A run of what comes from one place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fragment {
    Original {
        whole: MessageId,
        /// How many pieces it has.
        count: usize,
        /// Those that stay.
        pieces: Vec<usize>,
        changes: Vec<(usize, Vec<PartChange>)>,
    },
    Inserted {
        role: Role,
        parts: Vec<Part>,
    },
}

impl Recipe {
    /// The host's messages that it takes.
    pub fn sources(&self) -> impl Iterator<Item = &MessageId> {
        self.fragments.iter().filter_map(|fragment| match fragment {
            Fragment::Original { whole, .. } => Some(whole),
            Fragment::Inserted { .. } => None,
        })
    }

    /// The host's messages that [`Self::make`] looks at: its sources, and one in whose form the engine's own
    /// texts are written, where a format has several forms.
    pub fn needs(&self) -> impl Iterator<Item = &MessageId> {
        self.sources().chain(&self.sample)
    }

    /// Makes the message. `original` is asked for each of those that it [needs](Self::needs). Linear in them.
    pub fn make<'a>(
        &self,
        format: Format,
        original: impl Fn(&MessageId) -> Option<&'a Value>,
    ) -> Value {
        let sample = self.sample.as_ref().and_then(&original);
        let dialect = format.dialect();
        let dialect = sample.and_then(|sample| dialect.form_of(sample)).unwrap_or(dialect);
        let mut made: Option<Value> = None;
        let mut add = |value: Value| match &mut made {
            Some(made) => dialect.join(made, value),
            None => made = Some(value),
        };
        for fragment in &self.fragments {
            match fragment {
                Fragment::Original { whole, count, pieces, changes } => {
                    let changes: Vec<(usize, &[PartChange])> = changes
                        .iter()
                        .map(|(piece, changes)| (*piece, changes.as_slice()))
                        .collect();
                    if let Some(original) = original(whole) {
                        add(extract(dialect, original, Some((pieces, *count)), &changes));
                    }
                }
                Fragment::Inserted { role, parts } => {
                    let items = parts.iter().map(What::of).collect();
                    let turn = Turn { role: *role, author: None, items };
                    dialect.write(&turn, &mut Vec::new()).into_iter().for_each(&mut add);
                }
            }
        }
        made.unwrap_or(Value::Null)
    }
}

impl Format {
    /// How each message of a view comes about: which of the host's stay as they are, and how the others are
    /// made. Linear in the view.
    pub fn compose(self, log: &Log, view: &View) -> Vec<Outgoing> {
        if !view.arranged {
            let wholes = view.edits.iter().filter_map(Edit::id).map(whole_of);
            let first = wholes.filter(|(_, piece)| *piece == 0);
            return first.map(|(whole, _)| Outgoing::Keep(whole)).collect();
        }
        let contract = self.contract();
        let mut groups: Vec<Group> = Vec::new();
        let mut last = (MessageId::from(""), 0);
        for edit in &view.edits {
            let Some((role, fragment)) = fragment(log, edit, &contract, &mut last) else {
                continue;
            };
            match groups.last_mut() {
                Some(group) if group.takes(role, &fragment, &contract) => group.add(role, fragment),
                _ => groups.push(Group { last: role, fragments: vec![fragment] }),
            }
        }
        let seen = view.edits.iter().find_map(Edit::id);
        let sample = seen.or_else(|| log.message(0).map(|message| &message.id));
        let sample = sample.filter(|_| self == Self::LangChain);
        let sample = sample.map(|id| whole_of(id).0);
        groups.into_iter().map(|group| group.outgoing(sample.as_ref())).collect()
    }
}

/// What becomes one message.
struct Group {
    last: Role,
    fragments: Vec<Fragment>,
}

impl Group {
    fn takes(&self, role: Role, next: &Fragment, contract: &Contract) -> bool {
        if let Fragment::Original { whole, .. } = next {
            let mut wholes = self.fragments.iter();
            if wholes
                .any(|own| matches!(own, Fragment::Original { whole: own, .. } if own == whole))
            {
                return true;
            }
        }
        joins(self.last, role, contract)
    }

    fn add(&mut self, role: Role, next: Fragment) {
        self.last = role;
        match (self.fragments.last_mut(), next) {
            (
                Some(Fragment::Original { whole, pieces, changes, .. }),
                Fragment::Original { whole: other, pieces: more, changes: other_changes, .. },
            ) if *whole == other => {
                pieces.extend(more);
                changes.extend(other_changes);
            }
            (_, next) => self.fragments.push(next),
        }
    }

    fn outgoing(self, sample: Option<&MessageId>) -> Outgoing {
        match self.fragments.as_slice() {
            [Fragment::Original { whole, count, pieces, changes }]
                if changes.is_empty() && pieces.iter().copied().eq(0..*count) =>
            {
                Outgoing::Keep(whole.clone())
            }
            fragments => {
                let inserts = |fragment: &Fragment| matches!(fragment, Fragment::Inserted { .. });
                let sample = sample.filter(|_| fragments.iter().any(inserts)).cloned();
                Outgoing::Make(Recipe { fragments: self.fragments, sample })
            }
        }
    }
}

/// The role that the provider sees: where results stand in user messages, tools speak as the user.
pub(crate) fn wire_role(role: Role, contract: &Contract) -> Role {
    match (role, contract.results) {
        (Role::Tool, ResultPlace::NextUser) => Role::User,
        _ => role,
    }
}

/// True where neighbours of these roles are one message to the provider.
pub(crate) fn joins(first: Role, second: Role, contract: &Contract) -> bool {
    let merged = contract.neighbours == Neighbours::Merged;
    let user = |role: Role| wire_role(role, contract);
    match (first, second) {
        (Role::System, _) | (_, Role::System) => false,
        (_, Role::Tool) if contract.results == ResultPlace::Inside => true,
        (Role::Tool, Role::Tool) => contract.results == ResultPlace::NextUser,
        _ => merged && user(first) == user(second),
    }
}

/// True for a part that the provider does not take in a message with others.
fn is_refused(part: &Part, contract: &Contract) -> bool {
    match part {
        Part::Text { .. } => contract.blank_text == BlankText::Refused && part.is_blank(),
        Part::Reasoning { signature: None, .. } => contract.reasoning == ReasoningPolicy::Sealed,
        _ => false,
    }
}

/// What an edit shows. `last` is the latest of the host's messages, with how many pieces it has.
fn fragment(
    log: &Log,
    edit: &Edit,
    contract: &Contract,
    last: &mut (MessageId, usize),
) -> Option<(Role, Fragment)> {
    let (id, changes) = match edit {
        Edit::Insert { role, parts } => {
            return Some((*role, Fragment::Inserted { role: *role, parts: parts.clone() }));
        }
        Edit::Keep(id) => (id, Vec::new()),
        Edit::Replace { id, changes } => (id, changes.clone()),
    };
    let message = log.message(log.position(id)?)?;
    let mut changes = changes;
    let removed = message.parts.iter().enumerate().filter(|(_, part)| is_refused(part, contract));
    let removed: Vec<PartChange> =
        removed.map(|(part, _)| PartChange { part, change: Change::Remove }).collect();
    if !removed.is_empty() && removed.len() < message.parts.len() {
        changes.retain(|change| removed.iter().all(|removed| removed.part != change.part));
        changes.extend(removed);
        changes.sort_by_key(|change| change.part);
    }
    let (whole, piece) = whole_of(id);
    let changes = if changes.is_empty() { Vec::new() } else { vec![(piece, changes)] };
    if last.0 != whole {
        *last = (whole.clone(), pieces_of(log, &whole).count());
    }
    let count = last.1;
    Some((message.role, Fragment::Original { whole, count, pieces: vec![piece], changes }))
}
