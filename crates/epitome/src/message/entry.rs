//! One message in a transcript for a summarizer.

use super::UnixTime;

/// Begins the line of a tool call in an entry.
pub const CALLS: &str = "calls ";

/// Stands between a tool and its result in an entry.
pub const ANSWERS: &str = " answers: ";

/// One message as a summarizer reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Number of the message in the conversation, from 1.
    pub number: u32,
    /// `user`, `assistant`, `tool` or `system`, followed by the author's name if the message has one: `user alice`.
    pub speaker: String,
    /// When the message was sent, to the minute; `None` if it is not known.
    pub time: Option<UnixTime>,
    /// The text; tool calls and results are lines of their own.
    pub text: String,
}
