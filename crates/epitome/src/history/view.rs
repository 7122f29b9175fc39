//! What the model sees: the log, seen through the steps in force.

use super::late_result::LateResults;
use super::log::Log;
use super::projection::Projection;
use super::repair::{Defect, Ending, Finding, Repaired, repair_part};
use super::rewrite::PartChange;
use crate::contract::{Contract, First};
use crate::history::tagged;
use crate::message::{Message, MessageId, Part, Role};

/// Text of the user message that stands in front where a provider wants a user to speak first.
const OPENING: &str = "[what was said before is left out]";

/// How one message of the view comes about. A format writes this back onto the host's own objects, so
/// that a kept message comes back as the very object that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The host's message, untouched.
    Keep(MessageId),
    /// The host's message with some parts changed.
    Replace {
        /// The message.
        id: MessageId,
        /// Its changed parts, in order.
        changes: Vec<PartChange>,
    },
    /// A message that the host never had.
    Insert {
        /// Who speaks.
        role: Role,
        /// What is said.
        parts: Vec<Part>,
    },
}

impl Edit {
    /// The host's message that it shows; `None` for one that the host never had.
    pub fn id(&self) -> Option<&MessageId> {
        match self {
            Self::Keep(id) | Self::Replace { id, .. } => Some(id),
            Self::Insert { .. } => None,
        }
    }
}

/// The conversation as it goes to the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Its messages, in order.
    pub edits: Vec<Edit>,
    /// What had to be repaired in it. Empty while nothing is compacted: an untouched conversation is
    /// given back as it came.
    pub findings: Vec<Finding>,
    /// False while nothing is compacted: every message is as it came, whatever a provider would say to it.
    pub projected: bool,
}

impl View {
    /// The log as a projection has it seen: the covered messages in front of the summary, the summary,
    /// those behind it, and the rest; repaired. Without a step in force, every message as it came.
    /// Linear in the view.
    pub fn of(log: &Log, projection: &Projection, contract: &Contract) -> Self {
        if projection.checkpoints == 0 {
            let edits = log.messages().map(|message| Edit::Keep(message.id.clone())).collect();
            return Self { edits, ..Self::default() };
        }
        let mut view = Self { projected: true, ..Self::default() };
        view.show(log, projection, &projection.before, contract);
        if let Some(cover) = &projection.cover {
            let text = tagged::summary(&cover.text(), cover.summarized);
            let role = contract.role_of_insert(cover.role);
            view.edits.push(Edit::Insert { role, parts: vec![Part::text(text)] });
        }
        let tail = (projection.covered..log.len())
            .filter(|position| !projection.dropped.contains(position));
        let rest: Vec<usize> = projection.after.iter().copied().chain(tail).collect();
        view.show(log, projection, &rest, contract);
        if contract.first == First::User {
            view.open(log);
        }
        view
    }

    /// All of the log as it came, repaired. Linear but for sorting calls.
    pub fn repaired(log: &Log, contract: &Contract) -> Self {
        let mut view = Self { projected: true, ..Self::default() };
        let all: Vec<usize> = (0..log.len()).collect();
        view.show(log, &Projection::default(), &all, contract);
        if contract.first == First::User {
            view.open(log);
        }
        view
    }

    /// Has a user speak first, or the provider itself by what it has condensed.
    fn open(&mut self, log: &Log) {
        let role = |edit: &Edit| match edit {
            Edit::Insert { role, .. } => Some(*role),
            Edit::Keep(id) | Edit::Replace { id, .. } => {
                log.position(id).and_then(|at| log.message(at)).map(|message| message.role)
            }
        };
        let first = self.edits.iter().position(|edit| role(edit) != Some(Role::System));
        let Some(first) = first else { return };
        let opening = self.edits.get(first);
        let message = opening.and_then(Edit::id).and_then(|id| log.message(log.position(id)?));
        let condensed = message.is_some_and(Message::is_compaction);
        if !condensed && opening.and_then(role) != Some(Role::User) {
            let id = opening.and_then(Edit::id).cloned();
            let defect = Defect::NotUserFirst;
            self.findings.extend(id.map(|id| Finding { id, defect }));
            let parts = vec![Part::text(OPENING)];
            self.edits.insert(first, Edit::Insert { role: Role::User, parts });
        }
    }

    /// Adds these messages, repaired.
    fn show(
        &mut self,
        log: &Log,
        projection: &Projection,
        positions: &[usize],
        contract: &Contract,
    ) {
        let seen: Vec<(usize, &Message)> =
            positions.iter().filter_map(|at| Some((*at, projection.visible(log, *at)?))).collect();
        let messages: Vec<&Message> = seen.iter().map(|(_, message)| *message).collect();
        let late = LateResults::new(log, projection);
        let repair = repair_part(&messages, Ending::Open, contract, Some(&late));
        self.edits.extend(repair.messages.into_iter().filter_map(|message| match message {
            Repaired::Kept(index) => {
                let (position, message) = seen.get(index)?;
                let id = message.id.clone();
                Some(match projection.rewritten.get(position) {
                    Some(rewritten) => {
                        Edit::Replace { id, changes: rewritten.rewrite.changes.clone() }
                    }
                    None => Edit::Keep(id),
                })
            }
            Repaired::Added { role, part } => Some(Edit::Insert { role, parts: vec![part] }),
        }));
        self.findings.extend(repair.findings);
    }
}
