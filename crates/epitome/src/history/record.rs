//! The records of a log: what happened to a conversation, one after the other.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use super::rewrite::Rewrite;
use crate::memory::Memory;
use crate::message::{CheckpointId, Message, MessageId};
use crate::policy::Policy;
use crate::structured_state::StructuredState;

/// One record of the log. In a snapshot, its kind is the field `record` beside its other fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Record {
    /// A new message at the end of the conversation.
    Message {
        /// The message.
        message: Arc<Message>,
    },
    /// A new message in front of another one, on every branch that has that one. Undoes the compactions that summarize both
    /// neighbours.
    Insert {
        /// The new message.
        message: Arc<Message>,
        /// The message that it stands before.
        before: MessageId,
    },
    /// A message leaves every branch. Undoes the compactions that are about it.
    Remove {
        /// The message.
        id: MessageId,
    },
    /// The conversation ends with another message, on any branch. What was behind it stays in the log, as does the branch
    /// that it leaves. Compactions hold as long as all messages that they are about are there.
    Head {
        /// The last message; `None` for an empty conversation.
        message: Option<MessageId>,
    },
    /// A new version of an earlier message. Undoes the compactions that are about it. The earlier version stays in the log
    /// only if a result may have been offloaded from it.
    Edit {
        /// The new version, with the same id.
        message: Arc<Message>,
    },
    /// What the signed reasoning of a message was written behind, for a model that accepts it only there.
    Reasoning {
        /// The message.
        message: MessageId,
        /// A hash of what the model saw before it, below 2⁵³.
        prefix: u64,
    },
    /// A compaction.
    Checkpoint {
        /// Its effect on the view.
        checkpoint: Box<Checkpoint>,
    },
    /// The undo of a compaction and of all that build on it. The log has [`Record::Undone`] in place of them and of this.
    Undo {
        /// The compaction that was undone.
        checkpoint: CheckpointId,
    },
    /// What is left of compactions that were undone.
    Undone {
        /// How many compactions these were. No id is used twice.
        checkpoints: u32,
        /// How many of them had a summary, each of which has begun a session.
        summaries: u32,
        /// The tool results that they had offloaded. The model may still ask for one by its path.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        offloaded: Vec<Rewrite>,
    },
    /// The open tasks from now on, in place of earlier ones.
    Todo {
        /// The tasks, one per line; empty if there are none.
        text: String,
    },
    /// The memory from now on, in place of the earlier one.
    Memory {
        /// The memory.
        memory: Box<Memory>,
    },
    /// The structured state from now on, as the app has set it. It holds as long as the summary is active on which it was set:
    /// the undo of that one takes it back, and so does the next summary, which has the state with its own changes.
    StructuredState {
        /// The state.
        state: Box<StructuredState>,
        /// The compaction whose summary was active; `None` if there was none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<CheckpointId>,
        /// The latest compaction then, with a summary or without; `None` if there was none. The place in the log does not say it: a
        /// compaction that is being stored comes into the log behind a state that a store gets after it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        behind: Option<CheckpointId>,
    },
    /// The latest state that the app has set on the present summary is taken back: the one before it holds again. The log keeps
    /// neither that state nor this.
    UndoStructuredState {},
    /// A task of the workflow is complete: the conversation up to here was for it.
    Task {
        /// Its name.
        name: String,
        /// True if one summary of it is for all agents.
        #[serde(default)]
        shared: bool,
    },
    /// The summary of the last completed task for all agents. A later one replaces it.
    TaskSummary {
        /// The summary; empty if each agent is to have its own after all.
        text: String,
    },
    /// What happened in the view of one agent: a compaction, its undo, its open tasks and its state, or what its reasoning
    /// was written behind. It changes nothing in the view of the team.
    Agent {
        /// The agent's name.
        agent: String,
        /// A record of the agent's own log.
        of: Box<Record>,
    },
    /// The policy of an agent from now on.
    AgentPolicy {
        /// The agent's name.
        agent: String,
        /// Its policy.
        policy: Box<Policy>,
    },
    /// The provider of an agent from now on, if it is another one than that of its team.
    AgentProvider {
        /// The agent's name.
        agent: String,
        /// What the host calls the provider.
        provider: String,
    },
    /// A record of a kind that only a newer engine knows. It stays in the log and changes nothing.
    #[serde(skip)]
    Unknown(UnknownRecord),
}

/// The kinds of records as JSON names them.
const KINDS: [&str; 18] = [
    "message",
    "insert",
    "remove",
    "head",
    "edit",
    "reasoning",
    "checkpoint",
    "undo",
    "undone",
    "todo",
    "memory",
    "structuredState",
    "undoStructuredState",
    "task",
    "taskSummary",
    "agent",
    "agentPolicy",
    "agentProvider",
];

/// A record of a kind that this engine does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRecord {
    kind: String,
    line: String,
}

impl UnknownRecord {
    pub(crate) fn new(kind: String, line: &str) -> Self {
        Self { kind, line: line.to_owned() }
    }

    /// What the newer engine calls it.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The whole record as it was read: JSON in one line.
    pub fn line(&self) -> &str {
        &self.line
    }
}

impl Record {
    /// True if this engine knows a kind of record by the name that it has in JSON.
    pub(crate) fn is_known(kind: &str) -> bool {
        KINDS.contains(&kind)
    }

    /// The message that it adds or changes.
    pub fn message(&self) -> Option<&Message> {
        match self {
            Self::Message { message } | Self::Insert { message, .. } | Self::Edit { message } => {
                Some(message)
            }
            _ => None,
        }
    }

    pub(crate) fn message_mut(&mut self) -> Option<&mut Arc<Message>> {
        match self {
            Self::Message { message } | Self::Insert { message, .. } | Self::Edit { message } => {
                Some(message)
            }
            _ => None,
        }
    }
}

/// Why a record cannot be appended to the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The log already has a message with this id.
    #[error("a message named {:?} is there already; to change it, edit it", .0.as_str())]
    DuplicateId(MessageId),
    /// The log has no message with this id.
    #[error("no message is named {:?}", .0.as_str())]
    UnknownId(MessageId),
    /// The message is on another branch than the one that is the conversation now.
    #[error("the message {:?} is on another branch; switch to that one first", .0.as_str())]
    OtherBranch(MessageId),
    /// The message is only for some agents, and has no place in the conversation of the team.
    #[error("the message {:?} is only for some agents; name one that is for all", .0.as_str())]
    Private(MessageId),
    /// A new version of a message is for other agents than the message, some of which have read it.
    #[error("an edit cannot change who sees the message {:?}; remove it and append another", .0.as_str())]
    Audience(MessageId),
    /// The checkpoint does not exist or was undone.
    #[error("{0} does not exist, or was undone")]
    UnknownCheckpoint(CheckpointId),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of a record among [`KINDS`]. A kind that is not there would be kept as if only a newer engine knew it.
    fn number(record: &Record) -> Option<usize> {
        Some(match record {
            Record::Message { .. } => 0,
            Record::Insert { .. } => 1,
            Record::Remove { .. } => 2,
            Record::Head { .. } => 3,
            Record::Edit { .. } => 4,
            Record::Reasoning { .. } => 5,
            Record::Checkpoint { .. } => 6,
            Record::Undo { .. } => 7,
            Record::Undone { .. } => 8,
            Record::Todo { .. } => 9,
            Record::Memory { .. } => 10,
            Record::StructuredState { .. } => 11,
            Record::UndoStructuredState {} => 12,
            Record::Task { .. } => 13,
            Record::TaskSummary { .. } => 14,
            Record::Agent { .. } => 15,
            Record::AgentPolicy { .. } => 16,
            Record::AgentProvider { .. } => 17,
            Record::Unknown(_) => return None,
        })
    }

    #[test]
    fn h3_every_kind_of_record_is_known_by_its_name() {
        let unknown = |kind: &str| {
            let error = crate::json::read::<Record>(&serde_json::json!({ kind: null }));
            error.is_err_and(|error| error.problem().starts_with("unknown variant"))
        };
        assert!(unknown("unknown") && unknown("poll"));
        assert!(KINDS.iter().all(|kind| !unknown(kind)));
        let todo = Record::Todo { text: String::new() };
        let json = serde_json::to_value(&todo).unwrap();
        let kind = json.as_object().unwrap().keys().next();
        assert_eq!(number(&todo).map(|number| KINDS[number]), kind.map(String::as_str));
    }
}
