//! A list of messages, parsed: the engine's messages, with where everything in them is.

use std::ops::Range;

use epitome::history::{Log, Record};
use epitome::message::{Message, MessageId};
use serde_json::Value;

use crate::content::{Content, Step};
use crate::issue::{Issue, IssueCode};
use crate::path::Path;
use crate::registry::Format;
use crate::slices::{Slices, at_once};

/// A parsed list of messages.
///
/// `index` is the index of a message in the list, and `position` that of a step among the steps of all
/// messages.
pub(crate) struct ParsedMessages<'a> {
    /// The content of each message; `None` for a value that is not a message.
    pub(crate) contents: Vec<Option<Content<'a>>>,
    /// The steps of all messages, in order.
    pub(crate) steps: Vec<ParsedStep>,
    /// What reading and checking the messages one by one has found.
    pub(crate) issues: Vec<Issue>,
}

/// A step of a message, as the engine sees it.
pub(crate) struct ParsedStep {
    pub(crate) message: Message,
    /// The index of the message that it is a step of.
    pub(crate) index: usize,
    /// The index of the step in that message.
    pub(crate) step: usize,
}

impl<'a> ParsedMessages<'a> {
    /// Parses every message. Its index is its id. Linear.
    pub(crate) fn of(format: Format, values: &'a [Value]) -> Self {
        at_once(Self::in_slices(format, values, &mut Slices::none()))
    }

    /// The same in slices.
    pub(crate) async fn in_slices(
        format: Format,
        values: &'a [Value],
        slices: &mut Slices,
    ) -> Self {
        let mut parsed = Self { contents: Vec::new(), steps: Vec::new(), issues: Vec::new() };
        let add = &mut |range| parsed.add(format, values, range);
        slices.each(values.len(), add).await;
        parsed
    }

    /// Parses the next values.
    fn add(&mut self, format: Format, values: &'a [Value], range: Range<usize>) {
        for (index, value) in range.clone().zip(values.get(range).unwrap_or_default()) {
            let at = Path::key("messages").at(index);
            let content = match format.dialect().read(value) {
                Ok(content) => content,
                Err(error) => {
                    self.issues.push(Issue::new(&at, IssueCode::NotAMessage, error.problem));
                    self.contents.push(None);
                    continue;
                }
            };
            let id = MessageId::from(index.to_string());
            for (step, message) in content.messages(&id).into_iter().enumerate() {
                self.steps.push(ParsedStep { message, index, step });
            }
            let issues = content.issues.iter().cloned().chain(format.dialect().check(value));
            self.issues.extend(issues.map(|issue| issue.under(&at)));
            self.contents.push(Some(content));
        }
    }

    /// The step at a position.
    pub(crate) fn step(&self, position: usize) -> Option<&Step<'a>> {
        let ParsedStep { index, step, .. } = self.steps.get(position)?;
        self.contents.get(*index)?.as_ref()?.steps.get(*step)
    }

    /// The engine's message at a position.
    pub(crate) fn message(&self, position: usize) -> Option<&Message> {
        self.steps.get(position).map(|step| &step.message)
    }

    /// The index of the message that the step at a position belongs to.
    pub(crate) fn index(&self, position: usize) -> usize {
        self.steps.get(position).map_or(0, |step| step.index)
    }

    /// The positions of the steps of a message.
    pub(crate) fn positions(&self, index: usize) -> Range<usize> {
        let start = self.steps.partition_point(|step| step.index < index);
        let end = self.steps.partition_point(|step| step.index <= index);
        start..end
    }

    /// A path in the message of a step, from the list of all messages.
    pub(crate) fn path(&self, position: usize, at: &Path) -> Path {
        at.under(&Path::key("messages").at(self.index(position)))
    }

    /// The messages as a log.
    #[cfg(test)]
    pub(crate) fn into_log(self) -> Log {
        at_once(self.into_log_in_slices(&mut Slices::none()))
    }

    /// The messages as a log, which is made in slices.
    pub(crate) async fn into_log_in_slices(self, slices: &mut Slices) -> Log {
        let mut log = Log::default();
        let len = self.steps.len();
        let mut steps = self.steps.into_iter();
        let append = &mut |range: Range<usize>| {
            for ParsedStep { message, .. } in steps.by_ref().take(range.len()) {
                // The ids are indices, so the log cannot refuse one as repeated.
                let appended = log.append(Record::Message { message: message.into() });
                debug_assert_eq!(appended, Ok(()));
            }
        };
        slices.each(len, append).await;
        log
    }
}
