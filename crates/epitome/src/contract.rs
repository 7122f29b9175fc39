//! Which messages a provider accepts, as data. `epitome-formats` has the values for each message format.

use crate::message::{CallId, Part, Role};

/// The rules of a provider for the messages of a request. A view that breaks one is not committed. Two rules hold for
/// every provider and have no field: every tool call has a result, and no message is without parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Where system messages may stand.
    pub system: SystemPlace,
    /// Which role the first message that is not a system message may have.
    pub first: First,
    /// Which role the last message of a request may have.
    pub last: Last,
    /// Whether two messages in a row may have the same role.
    pub neighbours: Neighbours,
    /// Where the results of tool calls stand.
    pub results: ResultPlace,
    /// Whether a text part of a message may be empty.
    pub blank_text: BlankText,
    /// Which reasoning parts may be removed.
    pub reasoning: ReasoningPolicy,
    /// The role of a summary. If neighbours are merged, it is merged with the messages of its role next to it.
    pub summary: SummaryRole,
}

/// Which role the first message that is not a system message may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// Any role.
    Anyone,
    /// The user, or the assistant with a compaction of the provider's own. If a compaction leaves another message
    /// first, a short user message is inserted before it.
    User,
}

/// Which role the last message of a request may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// Any role: after an assistant message the model continues it.
    Anyone,
    /// Some servers or models reject a request that ends with an assistant message.
    NotAssistantForSome,
}

/// The role of a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryRole {
    /// The role that the policy's summary placement asks for: user or system.
    FromPolicy,
    /// Always the user.
    User,
}

/// Whether two messages in a row may have the same role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// They may.
    Free,
    /// Roles alternate: neighbours of the same role are sent as one message.
    Merged,
}

/// Where the results of tool calls stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultPlace {
    /// In messages of their own, directly after the message with the calls.
    DirectlyAfter,
    /// All results of a turn in one user message, directly after the message with the calls, before its other parts.
    NextUser,
    /// In the same part as the call.
    Inside,
    /// Anywhere after the call.
    AnywhereAfter,
}

/// Whether a text part of a message may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlankText {
    /// It may, and a message may have nothing but empty texts.
    AllowedAlone,
    /// It may next to other parts. A message of empty texts is removed.
    Allowed,
    /// It may not: an empty text is removed from a message with other parts.
    Refused,
}

/// Which reasoning parts may be removed from the model's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningPolicy {
    /// Each part may be removed as a whole. Signed reasoning stays with its message, unless the model accepts it only
    /// behind an unchanged history.
    MayDrop,
    /// As `MayDrop`, and the provider accepts only signed reasoning.
    Signed,
    /// Reasoning is kept or removed together with the whole turn.
    WholeTurn,
    /// A message that is kept keeps its reasoning.
    KeepAll,
}

/// What a model accepts its signed reasoning with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// With nothing in particular: a signature is about its own part.
    Free,
    /// With all reasoning of its turn.
    WholeTurn,
    /// Only behind the messages that it was written behind.
    LockedToPrefix,
}

/// Where system messages may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemPlace {
    /// Anywhere. A conversation that begins with a system message still does after a compaction.
    Anywhere,
    /// Only before all other messages.
    First,
    /// Not among the messages: the request has a separate field for it. A system message among the messages stays
    /// where it is.
    Separate,
}

impl Contract {
    /// True if the provider refuses a message of this role because it says nothing. One without parts is refused as
    /// well. A system message is never.
    pub(crate) fn refuses_as_blank(&self, role: Role, parts: &[Part]) -> bool {
        let is_text = |part: &Part| matches!(part, Part::Text { .. });
        let accepted = self.blank_text == BlankText::AllowedAlone && parts.iter().any(is_text);
        role != Role::System && !accepted && parts.iter().all(Part::is_blank)
    }
}

impl Default for Contract {
    /// The rules of OpenAI-compatible servers.
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

/// How a view, or the messages that would be sent for it, break a contract.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A tool call without a result before the next message that needs one.
    #[error("message {index} of the result calls {call} and has no answer to it")]
    UnansweredCall {
        /// The call.
        call: CallId,
        /// Index of its message in the view.
        index: usize,
    },
    /// A result without a call before it that has no result yet.
    #[error("message {index} of the result answers {call}, which no message calls")]
    OrphanedResult {
        /// The call that it names.
        call: CallId,
        /// Index of its message in the view.
        index: usize,
    },
    /// There are only system messages.
    #[error("the result holds nothing besides system prompts")]
    NothingSaid,
    /// The system message that was first is not first.
    #[error("the system prompt is not first in the result")]
    SystemNotFirst,
    /// A system message stands where the provider does not accept one.
    #[error("message {index} of the result is a system message after others")]
    SystemInside {
        /// Its index in the view.
        index: usize,
    },
    /// The first message is not a user message.
    #[error("message {index} of the result is the first and not a user's")]
    NotUserFirst {
        /// Index of that message in the view.
        index: usize,
    },
    /// An empty message.
    #[error("message {index} of the result is empty")]
    Blank {
        /// Its index in the view.
        index: usize,
    },
    /// The messages that would be sent differ from the view: something is missing, repeated, moved or changed.
    #[error("message {index} of the result is not what was planned")]
    DiffersFromView {
        /// Index of the message among those that would be sent.
        index: usize,
    },
    /// A message has parts of several roles.
    #[error("message {index} of the result mixes parts of several roles")]
    MixedRoles {
        /// Its index among those that would be sent.
        index: usize,
    },
    /// A message has the same role as the one before it, and the provider expects one message of both.
    #[error("message {index} of the result is of the same role as the one before it")]
    SameRoleTwice {
        /// Its index among those that would be sent.
        index: usize,
    },
    /// A result does not stand where the provider expects it.
    #[error("message {index} of the result answers {call} where the provider does not expect it")]
    MisplacedResult {
        /// The call that it names.
        call: CallId,
        /// Index of its message among those that would be sent.
        index: usize,
    },
    /// A text part is empty, and the provider does not accept that.
    #[error("message {index} of the result has an empty text in it")]
    BlankText {
        /// Index of the message among those that would be sent.
        index: usize,
    },
    /// Reasoning without a signature, and the provider accepts only signed reasoning.
    #[error("message {index} of the result has reasoning without a signature in it")]
    UnsignedReasoning {
        /// Index of their message among those that would be sent.
        index: usize,
    },
    /// A message with only reasoning, and no message of the model after it.
    #[error("message {index} of the result holds nothing but reasoning, with nothing after it")]
    ReasoningAlone {
        /// Its index among those that would be sent.
        index: usize,
    },
}

impl Contract {
    /// What a model of this provider, by its name, accepts signed reasoning with.
    pub fn thinking(&self, model: Option<&str>) -> Thinking {
        match self.reasoning {
            ReasoningPolicy::KeepAll => Thinking::Free,
            _ if model.is_some_and(locks_reasoning) => Thinking::LockedToPrefix,
            ReasoningPolicy::WholeTurn => Thinking::WholeTurn,
            ReasoningPolicy::MayDrop | ReasoningPolicy::Signed => Thinking::Free,
        }
    }

    /// The role of a message that the engine inserts, if the policy asks for the role `wanted`.
    pub(crate) fn role_of_insert(&self, wanted: Role) -> Role {
        match (wanted, self.summary) {
            (Role::System, SummaryRole::User) => Role::User,
            _ => wanted,
        }
    }
}

/// True for a model that refuses signed reasoning once anything before it has changed, whose name may have a vendor in
/// front and a date behind: Claude Fable from 5.1 on. All others check a signature with its own part only.
fn locks_reasoning(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    let Some((_, version)) = model.split_once("claude-fable-") else { return false };
    let mut numbers = version.split(['-', '.', ':', '@']).map(|number| {
        // A longer number is the date of a release.
        number.parse::<u32>().ok().filter(|_| number.len() < 3)
    });
    let major = numbers.next().flatten().unwrap_or(0);
    let minor = numbers.next().flatten().unwrap_or(0);
    (major, minor) >= (5, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_has_the_role_that_the_provider_accepts() {
        for (summary, of_system) in
            [(SummaryRole::FromPolicy, Role::System), (SummaryRole::User, Role::User)]
        {
            let contract = Contract { summary, ..Contract::default() };
            assert_eq!(contract.role_of_insert(Role::System), of_system, "{summary:?}");
            assert_eq!(contract.role_of_insert(Role::User), Role::User, "{summary:?}");
        }
    }

    #[test]
    fn models_that_bind_reasoning_are_known_by_their_version() {
        for model in [
            "claude-fable-5-1",
            "claude-fable-5.1",
            "anthropic/claude-fable-5.2",
            "us.anthropic.claude-fable-5-1-20260826-v1:0",
            "Claude-Fable-6",
        ] {
            assert!(locks_reasoning(model), "{model}");
        }
        for model in [
            "claude-fable-5",
            "claude-fable-5-20260610",
            "claude-fable-5-610",
            "claude-opus-5-1",
            "gpt-5.1",
            "claude-mythos-5-1",
        ] {
            assert!(!locks_reasoning(model), "{model}");
        }
    }
}
