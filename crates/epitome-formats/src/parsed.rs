//! A list of messages as the engine sees it, with where everything in it came from.

use std::ops::Range;

use epitome::history::{Log, Record};
use epitome::message::{Message, MessageId};
use serde_json::Value;

use crate::Format;
use crate::content::{Content, Piece};
use crate::issue::{Code, Issue};
use crate::path::Path;

/// Messages, read.
pub(crate) struct History<'a> {
    /// What is in each, by index; `None` for a value that is no message.
    pub(crate) contents: Vec<Option<Content<'a>>>,
    /// Their pieces as the engine's messages, in order, each with the message and the piece it is of.
    pub(crate) messages: Vec<(Message, usize, usize)>,
    /// What was odd.
    pub(crate) issues: Vec<Issue>,
}

impl<'a> History<'a> {
    /// Reads every message, under its index as an id. Linear.
    pub(crate) fn of(format: Format, values: &'a [Value]) -> Self {
        let mut history = Self { contents: Vec::new(), messages: Vec::new(), issues: Vec::new() };
        for (index, value) in values.iter().enumerate() {
            let whole = Path::key("messages").at(index);
            let content = match format.dialect().read(value) {
                Ok(content) => content,
                Err(error) => {
                    history.issues.push(Issue::new(&whole, Code::NotAMessage, error.problem));
                    history.contents.push(None);
                    continue;
                }
            };
            let id = MessageId::from(index.to_string());
            for (piece, message) in content.messages(&id).into_iter().enumerate() {
                history.messages.push((message, index, piece));
            }
            let own = content.issues.iter().cloned().chain(format.dialect().check(value));
            history.issues.extend(own.map(|issue| issue.under(&whole)));
            history.contents.push(Some(content));
        }
        history
    }

    /// The piece that an engine's message was made of.
    pub(crate) fn piece(&self, position: usize) -> Option<&Piece<'a>> {
        let (_, index, piece) = self.messages.get(position)?;
        self.contents.get(*index)?.as_ref()?.pieces.get(*piece)
    }

    /// The engine's messages that the message at an index was read as.
    pub(crate) fn positions(&self, index: usize) -> Range<usize> {
        let start = self.messages.partition_point(|(_, other, _)| *other < index);
        let end = self.messages.partition_point(|(_, other, _)| *other <= index);
        start..end
    }

    /// Where something in it stands, among all messages.
    pub(crate) fn path(&self, position: usize, at: &Path) -> Path {
        let index = self.messages.get(position).map_or(0, |(_, index, _)| *index);
        at.under(&Path::key("messages").at(index))
    }

    /// The same as a log.
    pub(crate) fn log(&self) -> Log {
        let mut log = Log::default();
        for (message, _, _) in &self.messages {
            // The ids are indices, and none comes twice.
            let appended = log.append(Record::Message { message: message.clone() });
            debug_assert_eq!(appended, Ok(()));
        }
        log
    }
}
