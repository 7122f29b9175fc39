//! The loaded document.

/// A conversation that was loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Document {
    /// The name of the file or sample.
    pub(crate) name: String,
    /// The name of its format.
    pub(crate) format: &'static str,
    /// The number of loaded messages.
    pub(crate) messages: u32,
    /// The number of rows in the list: a message with several steps has several rows.
    pub(crate) rows: u32,
    /// The request overhead: tokens of the instructions and tool schemas in the document.
    pub(crate) overhead_tokens: u32,
    /// Set if only the most recent messages were loaded.
    pub(crate) excerpt: Option<Excerpt>,
    /// Findings, by position.
    pub(crate) notes: Vec<Note>,
}

impl Document {
    /// True if a message has several rows.
    pub(crate) fn has_steps(&self) -> bool {
        self.rows > self.messages
    }
}

/// How a document was shortened to its most recent messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The number of messages in the document.
    pub(crate) of: u32,
    /// The tokens that the loaded messages had to fit.
    pub(crate) budget_tokens: u32,
}

/// A finding about a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// The position of the message in the log.
    pub(crate) position: usize,
    /// The JSON path in the message, if it is known.
    pub(crate) path: Option<String>,
    /// What is wrong, and what is done about it.
    pub(crate) explanation: String,
}
