//! What a provider accepts, as data; the values come from `epitome-formats`.

use std::borrow::Cow;
use std::fmt;

use crate::history::{Edit, Log, Rewrite, View};
use crate::message::{CallId, Part, Role};

/// The rules a view must meet before it may be committed. Two rules hold for every provider and are
/// therefore no fields: every call is answered, and no message is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Where system messages may stand.
    pub system: SystemPlace,
    /// Who may speak first, besides system messages.
    pub first: First,
    /// Who may speak last in a request.
    pub last: Last,
    /// Whether the same role may speak twice in a row.
    pub neighbours: Neighbours,
    /// Where the results of calls stand.
    pub results: ResultPlace,
    /// Whether a text in a message may be empty.
    pub blank_text: BlankText,
    /// What may become of thoughts.
    pub reasoning: ReasoningPolicy,
    /// Who speaks a summary. Where neighbours are merged, it is merged with what stands beside it.
    pub summary: SummaryRole,
}

/// Who may speak first, besides system messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// Anybody.
    Anyone,
    /// The user, or the provider by a compaction of its own. Where it is another one behind a checkpoint, a short
    /// user message is put in front.
    User,
}

/// Who may speak last in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// Anybody: the model goes on from there.
    Anyone,
    /// Some servers or models refuse a request that ends with the model's own words.
    NotAssistantForSome,
}

/// Who speaks a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryRole {
    /// Whoever the policy says: the user, or the system.
    AsAsked,
    /// The user, whatever the policy says.
    User,
}

/// Whether the same role may speak twice in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// It may.
    Free,
    /// Roles take turns: neighbours of one role are written as one message.
    Merged,
}

/// Where the results of calls stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultPlace {
    /// In messages of their own, right behind the message that calls.
    Behind,
    /// All of a turn in one user message, right behind the message that calls and before anything else in it.
    NextUser,
    /// In the very part that calls.
    Inside,
    /// Anywhere behind the call.
    Later,
}

/// Whether a text in a message may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlankText {
    /// It may.
    Allowed,
    /// It is left out of a message that says something else.
    Refused,
}

/// What may become of thoughts that a model sends along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningPolicy {
    /// They may be left out, each as a whole. Sealed ones behind a changed past are.
    MayDrop,
    /// The same, and only sealed ones are taken.
    Sealed,
    /// They stay or go with the whole turn.
    WholeTurn,
    /// A message that stays keeps them.
    KeepAll,
}

/// Where system messages may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemPlace {
    /// Anywhere. A conversation that begins with one still does after a compaction.
    Anywhere,
    /// Before everything else, and nowhere else.
    First,
    /// Not among the messages: providers of this kind take it beside them. One that comes all the same is
    /// left where it was.
    Beside,
}

impl Default for Contract {
    /// What OpenAI-compatible servers take.
    fn default() -> Self {
        Self {
            system: SystemPlace::Anywhere,
            first: First::Anyone,
            last: Last::NotAssistantForSome,
            neighbours: Neighbours::Free,
            results: ResultPlace::Behind,
            blank_text: BlankText::Allowed,
            reasoning: ReasoningPolicy::MayDrop,
            summary: SummaryRole::AsAsked,
        }
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
    /// Somebody else than a user speaks first.
    NotUserFirst {
        /// Index of that message in the view.
        index: usize,
    },
    /// A message with nothing in it.
    Blank {
        /// Its index in the view.
        index: usize,
    },
    /// What would be sent is not what the view says: something is missing, twice, in another place or changed.
    NotTheView {
        /// Index of the message, among those that would be sent.
        index: usize,
    },
    /// What several roles say stands in one message.
    MixedRoles {
        /// Its index among those that would be sent.
        index: usize,
    },
    /// A message and the one before it are of one role, and the provider wants one message of them.
    SameRoleTwice {
        /// Its index among those that would be sent.
        index: usize,
    },
    /// The result of a call does not stand where the provider looks for it.
    MisplacedResult {
        /// The call it names.
        call: CallId,
        /// Index of its message among those that would be sent.
        index: usize,
    },
    /// A text in a message is empty, and the provider takes none.
    BlankText {
        /// Index of the message among those that would be sent.
        index: usize,
    },
    /// Thoughts without the seal that the provider wants on them.
    UnsealedThoughts {
        /// Index of their message among those that would be sent.
        index: usize,
    },
    /// A message of nothing but thoughts, with nothing from the model behind it.
    ThoughtsAlone {
        /// Its index among those that would be sent.
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
            Self::NotUserFirst { index } => {
                write!(f, "message {index} of the result is the first and not a user's")
            }
            Self::Blank { index } => write!(f, "message {index} of the result is empty"),
            Self::NotTheView { index } => {
                write!(f, "message {index} of the result is not what was planned")
            }
            Self::MixedRoles { index } => {
                write!(f, "message {index} of the result mixes what several roles say")
            }
            Self::SameRoleTwice { index } => {
                write!(f, "message {index} of the result is of the same role as the one before it")
            }
            Self::MisplacedResult { call, index } => write!(
                f,
                "message {index} of the result answers {call} where the provider does not look for it"
            ),
            Self::BlankText { index } => {
                write!(f, "message {index} of the result has an empty text in it")
            }
            Self::UnsealedThoughts { index } => {
                write!(f, "message {index} of the result has thoughts without a seal in it")
            }
            Self::ThoughtsAlone { index } => write!(
                f,
                "message {index} of the result holds nothing but thoughts, with nothing behind them"
            ),
        }
    }
}

impl std::error::Error for Violation {}

impl Contract {
    /// Who speaks a text that the engine puts in, where a policy would have this role speak it.
    pub fn role_of_insert(&self, asked: Role) -> Role {
        match (asked, self.summary) {
            (Role::System, SummaryRole::User) => Role::User,
            _ => asked,
        }
    }

    /// The first way in which a view breaks the contract. Linear in the view.
    pub fn check(&self, log: &Log, view: &View) -> Result<(), Violation> {
        let mut open: Vec<(CallId, usize)> = Vec::new();
        let mut waiting: Vec<(CallId, usize)> = Vec::new();
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
            let condensed = parts.iter().any(Part::is_compaction);
            let opens = condensed || role == Role::System || role == Role::User;
            if !said && !opens && self.first == First::User {
                return Err(Violation::NotUserFirst { index });
            }
            said |= role != Role::System;
            if role == Role::User {
                open.append(&mut waiting);
            }
            for part in parts {
                match part {
                    Part::ToolResult { call, .. } => {
                        if take(&mut open, call).or_else(|| take(&mut waiting, call)).is_none() {
                            return Err(Violation::OrphanedResult { call: call.clone(), index });
                        }
                    }
                    Part::Approval { call: Some(call), .. } => {
                        waiting.extend(take(&mut open, call));
                    }
                    _ if role == Role::Tool => {}
                    _ if parts.iter().all(Part::is_blank) && role != Role::System => {
                        return Err(Violation::Blank { index });
                    }
                    _ => {
                        // Where neighbours are one message, what the model says on is part of its turn.
                        let on = self.neighbours == Neighbours::Merged && role == Role::Assistant;
                        let late = self.results != ResultPlace::Later && !on;
                        if let Some((call, at)) =
                            open.first().filter(|(_, at)| late && *at != index)
                        {
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

/// The first of these calls that a result of this name answers.
fn take(open: &mut Vec<(CallId, usize)>, call: &CallId) -> Option<(CallId, usize)> {
    let nameless = call.as_str().is_empty();
    let place = open.iter().position(|(other, _)| other == call || nameless)?;
    Some(open.remove(place))
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
