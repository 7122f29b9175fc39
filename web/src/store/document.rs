//! The loaded document.

use epitome::Compactor;
use epitome::history::{Ending, repair};
use epitome::message::{Message, MessageId};

/// The number of findings that are listed: a hundred thousand messages may have one each.
const MAX_NOTES: usize = 500;

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
    /// Findings, in the order of the messages.
    pub(crate) notes: Vec<Note>,
}

impl Document {
    /// True if a message has several rows.
    pub(crate) fn has_steps(&self) -> bool {
        self.rows > self.messages
    }

    /// Takes over these findings of reading, and what the provider would reject, with how a compaction repairs it. Linear in the
    /// conversation.
    pub(crate) fn note(&mut self, mut notes: Vec<Note>, compactor: &Compactor) {
        let log = compactor.log();
        let messages: Vec<&Message> = log.messages().collect();
        let contract = compactor.conversation().contract();
        let findings = repair(&messages, Ending::Open, contract).findings;
        notes.extend(findings.into_iter().map(|finding| Note {
            message: finding.id,
            path: None,
            explanation: finding.defect.explanation().to_owned(),
        }));
        notes.sort_by_key(|note| log.position(&note.message));
        notes.truncate(MAX_NOTES);
        self.notes = notes;
    }

    /// Shows the size of the conversation as it goes on, and what the provider would reject in it now.
    pub(super) fn update(&mut self, messages: u32, compactor: &Compactor) {
        self.messages = messages;
        self.rows = crate::number::count(compactor.log().len());
        let of_reading = self.notes.iter().filter(|note| note.path.is_some()).cloned();
        self.note(of_reading.collect(), compactor);
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
    /// The message.
    pub(crate) message: MessageId,
    /// The JSON path in the message, if it is known.
    pub(crate) path: Option<String>,
    /// What is wrong, and what is done about it.
    pub(crate) explanation: String,
}
