//! What is known about a document, once it is read.

/// A conversation that was loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Document {
    /// Its file's name, or what it was pasted as.
    pub(crate) name: String,
    /// What its format is called.
    pub(crate) format: &'static str,
    /// How many messages were loaded.
    pub(crate) messages: u32,
    /// How many rows of the list they are: a message that holds calls and their results is several.
    pub(crate) rows: u32,
    /// Tokens of the instructions and tool schemas that came with it.
    pub(crate) beside_tokens: u32,
    /// What was left out.
    pub(crate) left: Option<Left>,
    /// What was odd about it.
    pub(crate) notes: Vec<Note>,
    /// How long reading it took.
    pub(crate) read_ms: f64,
    /// Bytes that the engine's memory took after that.
    pub(crate) memory_bytes: u32,
}

impl Document {
    /// True where a message is several rows.
    pub(crate) fn has_parts(&self) -> bool {
        self.rows > self.messages
    }
}

/// What does not fit the window and was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Left {
    /// How many messages there are in all.
    pub(crate) of: u32,
    /// How many tokens the rest had to fit.
    pub(crate) budget_tokens: u32,
}

/// Something odd about a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// The message's position.
    pub(crate) position: usize,
    /// Where in the message, where that is known.
    pub(crate) path: Option<String>,
    /// What is odd and what is done about it.
    pub(crate) explanation: String,
}
