//! Whether messages are in a format and as its provider accepts them, and what makes them so.

use serde_json::Value;

use crate::issue::{Issue, IssueCode, Severity};
use crate::text::is_json;

/// One format, for validation, repair, conversion and detection.
///
/// Methods that take an `item` get the value at [`Item::at`](crate::content::Item::at), or at one of its
/// other places.
pub(crate) trait Conformance: Sync {
    /// True if the sample can only be of this format. OpenAI Chat Completions is the format of messages that
    /// no format recognizes. At most one format may recognize a sample.
    fn recognizes(&self, sample: Sample<'_>) -> bool;

    /// True if the provider accepts this id for a tool call.
    fn accepts_call_id(&self, _id: &str) -> bool {
        true
    }

    /// True if the provider accepts this text as the arguments of a tool call: JSON, and for some providers an object.
    fn accepts_arguments(&self, arguments: &str) -> bool {
        is_json(arguments)
    }

    /// True if the arguments of this tool call need not be JSON.
    fn has_free_text_arguments(&self, _item: &Value) -> bool {
        false
    }

    /// The id of a message, if the provider requires ids to be unique.
    fn message_id<'a>(&self, _message: &'a Value) -> Option<&'a str> {
        None
    }

    /// Gives a message another id, or removes its id if it needs none. False if the message has to keep the
    /// id that it has.
    fn set_message_id(&self, _message: &mut Value, _id: &str) -> bool {
        false
    }

    /// Numbers a converted message, if the format requires every message to have an id.
    fn number_message(&self, _message: &mut Value, _number: usize) {}

    /// The same as [`Dialect::check`](crate::dialect::Dialect::check), for a list of messages. Paths begin with
    /// `messages`.
    fn check_all(&self, _messages: &[Value]) -> Vec<Issue> {
        Vec::new()
    }

    /// How severe a blank message is.
    fn blank_message_severity(&self) -> Severity {
        IssueCode::BlankMessage.severity()
    }

    /// True if some servers refuse two messages of one role in a row although the contract allows them.
    fn some_servers_require_alternation(&self) -> bool {
        false
    }

    /// Fixes what [`Dialect::read`](crate::dialect::Dialect::read) and
    /// [`Dialect::check`](crate::dialect::Dialect::check) find, as far as that needs no guess. True if the message
    /// was changed.
    fn normalize(&self, _message: &mut Value) -> bool {
        false
    }
}

/// A value that may show which format messages are in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sample<'a> {
    /// A whole message.
    Message(&'a Value),
    /// An element of the `content` array of a message.
    Part(&'a Value),
}
