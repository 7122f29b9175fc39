//! What is wrong with messages, and where.

use serde::Serialize;

use crate::path::Path;

/// Something about messages that a provider, or some server of its kind, refuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Issue {
    /// Where: `messages[3].content[1].text`.
    pub path: String,
    /// What.
    #[cfg_attr(feature = "tsify", tsify(type = "IssueCode"))]
    pub code: Code,
    /// How bad that is.
    pub severity: Severity,
    /// What, for a person, with what is to be done about it.
    pub message: String,
}

impl Issue {
    /// An issue as bad as its kind usually is.
    pub(crate) fn new(path: &Path, code: Code, message: impl Into<String>) -> Self {
        let (path, message) = (path.to_string(), message.into());
        Self { path, code, severity: code.severity(), message }
    }
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Nobody refuses it; it is kept as it is.
    Odd,
    /// Some servers of this format refuse it, and others do not.
    Depends,
    /// The provider refuses it.
    Refused,
}

/// What can be wrong with messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(rename = "IssueCode"))]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// No message at all.
    NotAMessage,
    /// A part that this format does not have.
    UnknownPart,
    /// A part of another format.
    ForeignPart,
    /// A role that is missing, or is none.
    UnknownRole,
    /// Nothing where something must be said.
    MissingContent,
    /// Something else than text where text must be.
    NotText,
    /// A call without arguments.
    MissingArguments,
    /// Arguments that are no JSON.
    BrokenArguments,
    /// A call without a result.
    MissingResult,
    /// A result without a call.
    OrphanResult,
    /// A second result of a call.
    RepeatedResult,
    /// A result that does not stand where it must.
    MisplacedResult,
    /// Results of one turn in several messages.
    SplitResults,
    /// Two calls of one message share an id.
    SharedCallId,
    /// The id of an earlier call is used again.
    ReusedCallId,
    /// An id of a call that has characters which are refused, or too many.
    RefusedCallId,
    /// A call or a result without an id.
    MissingCallId,
    /// The id of an earlier message, where each has its own.
    RepeatedId,
    /// A message without an id, where each has its own.
    MissingId,
    /// The id of a message that does not begin as those of its kind do.
    RefusedId,
    /// A message with nothing in it.
    BlankMessage,
    /// An empty text in a message.
    BlankText,
    /// Nothing but system messages.
    NothingSaid,
    /// A system message where none may stand.
    SystemInside,
    /// Somebody else than a user speaks first.
    NotUserFirst,
    /// The model itself speaks last in a request.
    AssistantLast,
    /// The same role twice in a row.
    SameRoleTwice,
    /// Thoughts without the provider's seal.
    UnsealedReasoning,
    /// A message of nothing but thoughts.
    ReasoningAlone,
    /// A compaction by the provider with nothing in it.
    EmptyCompaction,
    /// A compaction by the provider, or a request for one, that does not stand where it must.
    MisplacedCompaction,
    /// Half a character, as after a cut through an emoji: no text that can be sent.
    LoneSurrogate,
    /// Something that another format cannot hold.
    Lost,
}

impl Code {
    /// How bad that is.
    pub fn severity(self) -> Severity {
        match self {
            Self::UnknownPart | Self::Lost => Severity::Odd,
            Self::ReusedCallId
            | Self::MissingId
            | Self::RefusedId
            | Self::SystemInside
            | Self::NotUserFirst
            | Self::AssistantLast
            | Self::SameRoleTwice => Severity::Depends,
            _ => Severity::Refused,
        }
    }
}
