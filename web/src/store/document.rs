//! What is known about a document, once it is read.

/// A conversation that was loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Document {
    /// Its file's name, or what it was pasted as.
    pub(crate) name: String,
    /// How many messages it holds.
    pub(crate) messages: u32,
    /// What was odd about it.
    pub(crate) notes: Vec<Note>,
    /// How long reading it took.
    pub(crate) read_ms: f64,
    /// Bytes that the engine's memory took after that.
    pub(crate) memory_bytes: u32,
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
