//! What a format has to tell about itself; everything else is done alike for all of them.

use std::borrow::Cow;

use epitome::Contract;
use epitome::message::Role;
use serde_json::Value;

use crate::content::{Content, What};
use crate::issue::Issue;
use crate::registry::ShapeError;

/// One format: how its messages are read and written, and what its provider accepts.
pub(crate) trait Dialect: Sync {
    /// What the provider accepts.
    fn contract(&self) -> Contract;

    /// What is in a message. Untidy ones are read too, and what was odd is noted.
    fn read<'a>(&self, value: &'a Value) -> Result<Content<'a>, ShapeError>;

    /// Has a text say something else. `item` is what stands at [`Item::at`](crate::content::Item::at).
    fn say(&self, item: &mut Value, text: &str) {
        match item {
            Value::Object(object) => {
                let key = if object.contains_key("refusal") { "refusal" } else { "text" };
                object.insert(key.into(), text.into());
            }
            other => *other = text.into(),
        }
    }

    /// Has a result say something else; pictures in it stay.
    fn answer(&self, item: &mut Value, text: &str);

    /// Gives a call other arguments, which are JSON.
    fn call_with(&self, item: &mut Value, arguments: &str);

    /// Writes what one role says, as one message or as several. What the format cannot hold is noted in
    /// `lost`, as a sentence's end: "an image is left out".
    fn write(&self, turn: &Turn<'_>, lost: &mut Vec<String>) -> Vec<Value>;

    /// The same dialect in the form of this message, where a format has several forms.
    fn form_of(&self, _message: &Value) -> Option<&'static dyn Dialect> {
        None
    }

    /// Writes two neighbours as one message, where the contract asks for that. What is in `first` stays as
    /// it is.
    fn join(&self, first: &mut Value, second: Value);

    /// True for an id that a call may have.
    fn takes_id(&self, _id: &str) -> bool {
        true
    }

    /// The id that a message goes under, where the provider wants every one of them once.
    fn id<'a>(&self, _message: &'a Value) -> Option<&'a str> {
        None
    }

    /// Has a message go under another id, or under none where that will do. False where it needs its own.
    fn rename(&self, _message: &mut Value, _id: &str) -> bool {
        false
    }

    /// True for a call whose arguments need not be JSON. `item` is what stands at its place.
    fn is_free(&self, _item: &Value) -> bool {
        false
    }

    /// What is wrong with a message by this provider's own rules, besides what [`Self::read`] notes and
    /// what the contract says.
    fn check(&self, _message: &Value) -> Vec<Issue> {
        Vec::new()
    }

    /// What is wrong with messages taken together by this provider's own rules, with paths among all of them.
    fn check_together(&self, _messages: &[Value]) -> Vec<Issue> {
        Vec::new()
    }

    /// Puts right what [`Self::read`] and [`Self::check`] find, where that can be done without a guess. True
    /// where something was changed.
    fn mend(&self, _message: &mut Value) -> bool {
        false
    }
}

/// What one role says in one go.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn<'a> {
    pub(crate) role: Role,
    pub(crate) author: Option<Cow<'a, str>>,
    pub(crate) items: Vec<What<'a>>,
}
