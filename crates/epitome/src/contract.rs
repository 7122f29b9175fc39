//! What a provider accepts, as data; the values come from `epitome-formats`.

use std::borrow::Cow;
use std::fmt;

use crate::history::{Edit, Log, Rewrite, View};
use crate::message::{CallId, Part, Role};

/// The rules a view must meet before it may be committed. Two rules hold for every provider and are
/// therefore no fields: a call is answered before anything else is said, and no message is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Where system messages may stand.
    pub system: SystemPlace,
}

/// Where system messages may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemPlace {
    /// Anywhere. A conversation that begins with one still does after a compaction.
    Anywhere,
    /// Before everything else, and nowhere else.
    First,
}

impl Default for Contract {
    /// What OpenAI-compatible servers take.
    fn default() -> Self {
        Self { system: SystemPlace::Anywhere }
    }
}

/// How a view breaks a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Calls that are not answered before something else is said.
    UnansweredCall {
        /// The first such call.
        call: CallId,
        /// Index of its message in the view.
        index: usize,
    },
    /// A result that answers no call right before it.
    OrphanedResult {
        /// The call it names.
        call: CallId,
        /// Index of its message in the view.
        index: usize,
    },
    /// No message besides system prompts.
    NothingSaid,
    /// A system prompt that was first is no longer.
    SystemNotFirst,
    /// A system message stands where the provider takes none.
    SystemInside {
        /// Its index in the view.
        index: usize,
    },
    /// A message with nothing in it.
    Blank {
        /// Its index in the view.
        index: usize,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnansweredCall { call, index } => {
                write!(f, "message {index} of the result calls {call} and has no answer to it")
            }
            Self::OrphanedResult { call, index } => {
                write!(f, "message {index} of the result answers {call}, which nobody called")
            }
            Self::NothingSaid => f.write_str("the result holds nothing besides system prompts"),
            Self::SystemNotFirst => f.write_str("the system prompt is not first in the result"),
            Self::SystemInside { index } => {
                write!(f, "message {index} of the result is a system message behind others")
            }
            Self::Blank { index } => write!(f, "message {index} of the result is empty"),
        }
    }
}

impl std::error::Error for Violation {}

impl Contract {
    /// The first way in which a view breaks the contract. Linear in the view.
    pub fn check(&self, log: &Log, view: &View) -> Result<(), Violation> {
        let mut open: Vec<(CallId, usize)> = Vec::new();
        let mut said = false;
        for (index, edit) in view.edits.iter().enumerate() {
            let Some((role, parts)) = resolve(log, edit) else { continue };
            let parts = parts.as_ref();
            if index == 0 && role != Role::System && starts_with_system(log) {
                return Err(Violation::SystemNotFirst);
            }
            if said && role == Role::System && self.system == SystemPlace::First {
                return Err(Violation::SystemInside { index });
            }
            said |= role != Role::System;
            for part in parts {
                match part {
                    Part::ToolResult { call, .. } => {
                        let place = open
                            .iter()
                            .position(|(other, _)| other == call || call.as_str().is_empty());
                        let Some(place) = place else {
                            return Err(Violation::OrphanedResult { call: call.clone(), index });
                        };
                        open.remove(place);
                    }
                    _ if role == Role::Tool => {}
                    _ if parts.iter().all(Part::is_blank) && role != Role::System => {
                        return Err(Violation::Blank { index });
                    }
                    _ => {
                        if let Some((call, at)) = open.first().filter(|(_, at)| *at != index) {
                            let (call, index) = (call.clone(), *at);
                            return Err(Violation::UnansweredCall { call, index });
                        }
                        if let Part::ToolCall { call, .. } = part {
                            open.push((call.clone(), index));
                        }
                    }
                }
            }
        }
        match open.first() {
            Some((call, index)) => {
                Err(Violation::UnansweredCall { call: call.clone(), index: *index })
            }
            None if !said => Err(Violation::NothingSaid),
            None => Ok(()),
        }
    }
}

fn resolve<'a>(log: &'a Log, edit: &'a Edit) -> Option<(Role, Cow<'a, [Part]>)> {
    Some(match edit {
        Edit::Keep(id) => {
            let message = log.message(log.position(id)?)?;
            (message.role, Cow::Borrowed(message.parts.as_slice()))
        }
        Edit::Replace { id, changes } => {
            let message = log.message(log.position(id)?)?;
            let rewrite = Rewrite { id: id.clone(), changes: changes.clone() };
            (message.role, Cow::Owned(rewrite.apply(message).parts))
        }
        Edit::Insert { role, parts } => (*role, Cow::Borrowed(parts.as_slice())),
    })
}

fn starts_with_system(log: &Log) -> bool {
    log.message(0).is_some_and(|message| message.role == Role::System)
}
