//! How the messages of a format are read, written and edited.

use std::borrow::Cow;

use epitome::message::Role;
use serde_json::Value;

use crate::content::{Content, ContentPart};
use crate::issue::Issue;
use crate::shape::ShapeError;

/// One format, for code that reads, composes and edits messages.
///
/// What only validation, repair, conversion and detection need is in
/// [`Conformance`](crate::conformance::Conformance). A `dyn Dialect` brings all of its methods into a wasm module,
/// also those that nothing there calls.
///
/// Methods that take an `item` get the value at [`Item::at`](crate::content::Item::at), or at one of its
/// other places.
pub(crate) trait Dialect: Sync {
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

    /// What is wrong with a message by rules of this provider that neither [`Self::read`] nor the contract
    /// covers.
    fn check(&self, _message: &Value) -> Vec<Issue> {
        Vec::new()
    }
}

/// What one role says without interruption.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn<'a> {
    pub(crate) role: Role,
    /// Name of the speaker.
    pub(crate) author: Option<Cow<'a, str>>,
    pub(crate) parts: Vec<ContentPart<'a>>,
}
