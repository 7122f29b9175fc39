//! One message as it reads in a transcript.

/// Opens the line of a tool call.
pub(crate) const CALLS: &str = "calls ";

/// One message as a summarizer sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Place in the conversation, from 1.
    pub number: u32,
    /// `user`, `assistant`, `tool` or `system`, with the author's name behind it where one is known:
    /// `user alice`.
    pub speaker: String,
    /// Text, with tool calls and results as lines of their own.
    pub text: String,
}
