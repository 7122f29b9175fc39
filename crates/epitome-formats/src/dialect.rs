//! What a format has to define. Everything else is done the same way for all formats.

use std::borrow::Cow;

use epitome::Contract;
use epitome::message::Role;
use serde_json::Value;

use crate::content::{Content, ContentPart};
use crate::issue::{Issue, IssueCode, Severity};
use crate::shape::ShapeError;
use crate::text::is_json;
use crate::usage_fields::UsageFields;

/// One format: how its messages are read and written, and what its provider accepts.
///
/// Methods that take an `item` get the value at [`Item::at`](crate::content::Item::at), or at one of its
/// other places.
pub(crate) trait Dialect: Sync {
    /// What the provider accepts.
    fn contract(&self) -> Contract;

    /// True if the sample can only be of this format. OpenAI Chat Completions is the format of messages that
    /// no format recognizes. At most one format may recognize a sample.
    fn recognizes(&self, sample: Sample<'_>) -> bool;

    /// Where the provider reports token counts.
    fn usage_fields(&self) -> &'static UsageFields;

    /// Parses a message. Malformed ones are parsed too, as far as they can be, and
    /// [`Content::issues`] lists what is wrong. An error means that the value is not a message at all.
    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError>;

    /// Writes one turn as one message or several. What the format cannot hold is added to `lost`, as a
    /// clause: "an image is left out".
    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value>;

    /// Replaces a text.
    fn set_text(&self, item: &mut Value, text: &str) {
        match item {
            Value::Object(object) => {
                let key = if object.contains_key("refusal") { "refusal" } else { "text" };
                object.insert(key.into(), text.into());
            }
            other => *other = text.into(),
        }
    }

    /// Replaces the text of a tool result. Its images and files stay.
    fn set_result(&self, item: &mut Value, text: &str);

    /// Replaces the arguments of a tool call. `arguments` is JSON.
    fn set_arguments(&self, item: &mut Value, arguments: &str);

    /// Appends the content of `second` to `first`, for neighbours that the provider wants as one message.
    /// Everything in `first` stays.
    fn merge(&self, first: &mut Value, second: Value);

    /// True if the format has several serialized forms.
    fn has_forms(&self) -> bool {
        false
    }

    /// This dialect in the serialized form of the given message, if the format has several.
    fn form_of(&self, _message: &Value) -> Option<&'static dyn Dialect> {
        None
    }

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

    /// What is wrong with a message by rules of this provider that neither [`Self::read`] nor the contract
    /// covers.
    fn check(&self, _message: &Value) -> Vec<Issue> {
        Vec::new()
    }

    /// The same for a list of messages. Paths begin with `messages`.
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

    /// Fixes what [`Self::read`] and [`Self::check`] find, as far as that needs no guess. True if the message
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

/// What one role says without interruption.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn<'a> {
    pub(crate) role: Role,
    /// Name of the speaker.
    pub(crate) author: Option<Cow<'a, str>>,
    pub(crate) parts: Vec<ContentPart<'a>>,
}
