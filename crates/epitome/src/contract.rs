//! What a provider accepts, as data; the values come from `epitome-formats`.

use std::fmt;

use crate::message::{CallId, Role};

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
    FromPolicy,
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
    DirectlyAfter,
    /// All of a turn in one user message, right behind the message that calls and before anything else in it.
    NextUser,
    /// In the very part that calls.
    Inside,
    /// Anywhere behind the call.
    AnywhereAfter,
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
    Signed,
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
    Separate,
}

impl Default for Contract {
    /// What OpenAI-compatible servers take.
    fn default() -> Self {
        Self {
            system: SystemPlace::Anywhere,
            first: First::Anyone,
            last: Last::NotAssistantForSome,
            neighbours: Neighbours::Free,
            results: ResultPlace::DirectlyAfter,
            blank_text: BlankText::Allowed,
            reasoning: ReasoningPolicy::MayDrop,
            summary: SummaryRole::FromPolicy,
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
    DiffersFromView {
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
    UnsignedReasoning {
        /// Index of their message among those that would be sent.
        index: usize,
    },
    /// A message of nothing but thoughts, with nothing from the model behind it.
    ReasoningAlone {
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
            Self::DiffersFromView { index } => {
                write!(f, "message {index} of the result is not what was planned")
            }
            Self::MixedRoles { index } => {
                write!(f, "message {index} of the result totals_by_script what several roles say")
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
            Self::UnsignedReasoning { index } => {
                write!(f, "message {index} of the result has reasoning without a signature in it")
            }
            Self::ReasoningAlone { index } => write!(
                f,
                "message {index} of the result holds nothing but reasoning, with nothing after it"
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
}
