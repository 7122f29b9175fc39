//! What the model sees: the log, seen through the checkpoint in force.

use super::checkpoint::Checkpoint;
use super::log::Log;
use super::repair::{Ending, Finding, Repaired, repair};
use crate::message::{Message, MessageId, Part, Role};
use crate::summary::frame;

/// How one message of the view comes about. A format writes this back onto the host's own objects, so
/// that a kept message comes back as the very object that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The host's message, untouched.
    Keep(MessageId),
    /// A message that the host never had.
    Insert {
        /// Who speaks.
        role: Role,
        /// What is said.
        parts: Vec<Part>,
    },
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
    /// The log as it is seen now: through the checkpoint in force, or every message as it came.
    pub fn of(log: &Log) -> Self {
        match log.checkpoint() {
            Some(checkpoint) => Self::through(log, checkpoint),
            None => {
                let edits = log.messages().map(|message| Edit::Keep(message.id.clone())).collect();
                Self { edits, findings: Vec::new() }
            }
        }
    }

    /// The log as a checkpoint would have it seen: the system prompts it keeps, the summary as a user
    /// message, the other messages it keeps, and the rest, repaired. Linear in the view.
    pub fn through(log: &Log, checkpoint: &Checkpoint) -> Self {
        let kept = || checkpoint.kept.iter().filter_map(|id| log.message(log.position(id)?));
        let system = kept().filter(|message| message.role == Role::System);
        let mut edits: Vec<Edit> = system.map(|message| Edit::Keep(message.id.clone())).collect();
        let text = frame::wrap(&checkpoint.summary, checkpoint.summarized);
        edits.push(Edit::Insert { role: Role::User, parts: vec![Part::text(text)] });

        let survivors = kept().filter(|message| message.role != Role::System);
        let tail = (log.covered_by(checkpoint)..log.len()).filter_map(|at| log.message(at));
        let rest: Vec<&Message> = survivors.chain(tail).collect();
        let repair = repair(&rest, Ending::Open);
        edits.extend(repair.messages.into_iter().filter_map(|message| match message {
            Repaired::Kept(index) => Some(Edit::Keep(rest.get(index)?.id.clone())),
            Repaired::Added { role, part } => Some(Edit::Insert { role, parts: vec![part] }),
        }));
        Self { edits, findings: repair.findings }
    }
}
