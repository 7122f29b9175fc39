//! What the model sees: the log, seen through the steps in force.

use super::log::Log;
use super::projection::Projection;
use super::repair::{Ending, Finding, Repaired, repair_part};
use super::rewrite::PartChange;
use crate::message::{Message, MessageId, Part, Role};
use crate::summary::frame;

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
}

impl View {
    /// The log as a projection has it seen: the covered messages in front of the summary, the summary,
    /// those behind it, and the rest; repaired. Without a step in force, every message as it came.
    /// Linear in the view.
    pub fn of(log: &Log, projection: &Projection) -> Self {
        if projection.steps == 0 {
            let edits = log.messages().map(|message| Edit::Keep(message.id.clone())).collect();
            return Self { edits, findings: Vec::new() };
        }
        let mut view = Self::default();
        view.show(log, projection, &projection.before);
        if let Some(cover) = &projection.cover {
            let text = frame::wrap(&cover.text(), cover.summarized);
            view.edits.push(Edit::Insert { role: cover.role, parts: vec![Part::text(text)] });
        }
        let tail = (projection.covered..log.len())
            .filter(|position| !projection.dropped.contains(position));
        let rest: Vec<usize> = projection.after.iter().copied().chain(tail).collect();
        view.show(log, projection, &rest);
        view
    }

    /// Adds these messages, repaired.
    fn show(&mut self, log: &Log, projection: &Projection, positions: &[usize]) {
        let seen: Vec<(usize, &Message)> =
            positions.iter().filter_map(|at| Some((*at, projection.seen(log, *at)?))).collect();
        let messages: Vec<&Message> = seen.iter().map(|(_, message)| *message).collect();
        let repair = repair_part(&messages, Ending::Open);
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
