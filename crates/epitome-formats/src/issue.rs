//! What is wrong with messages, and where.

use serde::Serialize;

use crate::path::Path;

/// Something in messages that the provider, or some servers of its format, refuse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
pub struct Issue {
    /// Where: `messages[3].content[1].text`.
    pub path: String,
    /// What is wrong.
    pub code: IssueCode,
    /// How severe it is.
    pub severity: Severity,
    /// What is wrong, for people, and what to do about it.
    pub message: String,
}

impl Issue {
    /// An issue with the usual severity of its code.
    pub(crate) fn new(path: &Path, code: IssueCode, message: impl Into<String>) -> Self {
        let (path, message) = (path.to_string(), message.into());
        Self { path, code, severity: code.severity(), message }
    }

    /// The same issue with a path from an outer value, in which its path begins at `parent`.
    pub(crate) fn under(self, parent: &Path) -> Self {
        let path = match self.path.is_empty() {
            true => parent.to_string(),
            false => format!("{parent}.{}", self.path),
        };
        Self { path, ..self }
    }

    /// The index of the message that the issue is about; 0 if it is about all of them.
    pub fn message_index(&self) -> usize {
        let index = self.path.strip_prefix("messages[").and_then(|rest| rest.split_once(']'));
        index.and_then(|(index, _)| index.parse().ok()).unwrap_or_default()
    }
}

/// How severe an issue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// No server refuses it. It is kept as it is.
    Odd,
    /// Some servers of this format refuse it, others do not.
    Depends,
    /// The provider refuses it.
    Refused,
}

/// What can be wrong with messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum IssueCode {
    /// The value is not a message.
    NotAMessage,
    /// A part of a type that this format does not have.
    UnknownPart,
    /// A part of another format.
    ForeignPart,
    /// A role that is missing or unknown.
    UnknownRole,
    /// Required content is missing.
    MissingContent,
    /// Another type of value in place of text.
    NotText,
    /// A tool call without arguments.
    MissingArguments,
    /// Tool call arguments that are not valid JSON.
    BrokenArguments,
    /// A tool call without a result.
    MissingResult,
    /// A tool result without a call.
    OrphanResult,
    /// A second result for one tool call.
    RepeatedResult,
    /// A tool result that is not where the provider requires it.
    MisplacedResult,
    /// The tool results of one turn are in several messages.
    SplitResults,
    /// Two tool calls of one message have the same id.
    SharedCallId,
    /// A tool call has the id of an earlier one.
    ReusedCallId,
    /// The id of a tool call is too long or has characters that the provider refuses.
    RefusedCallId,
    /// A tool call or result without an id.
    MissingCallId,
    /// A message has the id of an earlier one, and ids must be unique.
    RepeatedId,
    /// A message without an id, and every message must have one.
    MissingId,
    /// The id of a message does not have the prefix that its type requires.
    RefusedId,
    /// A message with nothing in it.
    BlankMessage,
    /// An empty text in a message.
    BlankText,
    /// There are no messages, or only system messages.
    NothingSaid,
    /// A system message where the provider does not accept one.
    SystemInside,
    /// The first message is not a user message.
    NotUserFirst,
    /// The last message is an assistant message.
    AssistantLast,
    /// Two messages of one role in a row.
    SameRoleTwice,
    /// Reasoning without the provider's signature.
    UnsignedReasoning,
    /// A message that holds only reasoning, with no answer after it.
    ReasoningAlone,
    /// Reasoning behind other messages than those that it was written behind, for a model that refuses that.
    BoundReasoning,
    /// A compaction by the provider with nothing in it.
    EmptyCompaction,
    /// A compaction by the provider, or a request for one, that is not where it must be.
    MisplacedCompaction,
    /// Half of a surrogate pair, as after cutting a string inside an emoji: it cannot be encoded as UTF-8.
    LoneSurrogate,
    /// A note in place of text that has left the view, where the model has no tool to get the text back.
    Unreachable,
    /// Something that the target format of a conversion cannot hold.
    Lost,
}

impl IssueCode {
    /// How severe issues with this code usually are.
    pub(crate) fn severity(self) -> Severity {
        match self {
            Self::UnknownPart | Self::Unreachable | Self::Lost => Severity::Odd,
            Self::ReusedCallId
            | Self::MissingId
            | Self::RefusedId
            | Self::SystemInside
            | Self::NotUserFirst
            | Self::AssistantLast
            | Self::SameRoleTwice => Severity::Depends,
            Self::NotAMessage
            | Self::ForeignPart
            | Self::UnknownRole
            | Self::MissingContent
            | Self::NotText
            | Self::MissingArguments
            | Self::BrokenArguments
            | Self::MissingResult
            | Self::OrphanResult
            | Self::RepeatedResult
            | Self::MisplacedResult
            | Self::SplitResults
            | Self::SharedCallId
            | Self::RefusedCallId
            | Self::MissingCallId
            | Self::RepeatedId
            | Self::BlankMessage
            | Self::BlankText
            | Self::NothingSaid
            | Self::UnsignedReasoning
            | Self::ReasoningAlone
            | Self::EmptyCompaction
            | Self::MisplacedCompaction
            | Self::BoundReasoning
            | Self::LoneSurrogate => Severity::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_names_the_message_that_it_is_about() {
        for (path, index) in [
            ("messages[3].content[1].text", 3),
            ("messages[12]", 12),
            ("messages", 0),
            ("tools[2]", 0),
        ] {
            let issue =
                Issue { path: path.into(), ..Issue::new(&Path::default(), IssueCode::Lost, "") };
            assert_eq!(issue.message_index(), index, "{path}");
        }
    }
}
