//! Reads the messages that a summarizer gets, in slices.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::vec::IntoIter;

use crate::conversation::Conversation;
use crate::history::{Change, LateResults, PartChange};
use crate::message::{Entry, Message, Part};
use crate::policy::SummarySettings;
use crate::transcript::{Step, order};

/// What a message counts for besides its text, in bytes: many short ones take time too.
const MESSAGE: usize = 200;

/// Messages that become the entries of a transcript.
///
/// Between two slices, messages may be appended to the conversation. Those that are read must not change.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// By the indices of the steps.
    positions: Vec<usize>,
    /// Results whose calls are no longer in the view, as they are read, by their positions.
    late: BTreeMap<usize, Message>,
    steps: IntoIter<Step>,
    entries: Vec<Entry>,
}

impl Reading {
    /// Begins to read the messages at these positions. Costs O(n log n) in their number.
    pub(crate) fn new(conversation: &Conversation, positions: impl Iterator<Item = usize>) -> Self {
        let log = conversation.log();
        let late_results = LateResults::new(log, conversation.projection());
        let mut late = BTreeMap::new();
        let numbered = positions.filter_map(|at| {
            let message = log.message(at)?;
            late.extend(late_results.message(message).map(|message| (at, message)));
            Some((at, conversation.number(at)?, message))
        });
        let numbered: Vec<(usize, u32, &Message)> = numbered.collect();
        let read = |(at, number, message)| (number, late.get(&at).unwrap_or(message));
        let messages: Vec<(u32, &Message)> = numbered.iter().copied().map(read).collect();
        let steps = order(&messages).into_iter();
        let positions = numbered.iter().map(|(at, ..)| *at).collect();
        Self { positions, late, steps, entries: Vec::new() }
    }

    /// Reads on, until about this many bytes are read. True if everything is.
    pub(crate) fn advance(
        &mut self,
        conversation: &Conversation,
        settings: &SummarySettings,
        bytes: usize,
    ) -> bool {
        let mut read: usize = 0;
        while read < bytes {
            let Some(step) = self.steps.next() else { return true };
            let position = step.index().and_then(|index| self.positions.get(index).copied());
            let message = position.and_then(|at| match self.late.remove(&at) {
                Some(message) => Some(Cow::Owned(message)),
                None => readable(conversation, at),
            });
            let texts = message.iter().flat_map(|message| message.readable_texts());
            read = texts.map(str::len).fold(read + MESSAGE, usize::saturating_add);
            self.entries.extend(step.entry(message.as_deref(), settings));
        }
        self.steps.as_slice().is_empty()
    }

    /// The entries of what was read.
    pub(crate) fn into_entries(self) -> Vec<Entry> {
        self.entries
    }
}

/// The messages at these positions as a transcript, read at once.
pub(crate) fn entries_at(
    conversation: &Conversation,
    settings: &SummarySettings,
    positions: impl Iterator<Item = usize>,
) -> Vec<Entry> {
    let mut reading = Reading::new(conversation, positions);
    while !reading.advance(conversation, settings, usize::MAX) {}
    reading.into_entries()
}

/// A message as the summarizer reads it: the original, with the path of every result that was offloaded, so
/// that it can be found from the summary.
fn readable(conversation: &Conversation, position: usize) -> Option<Cow<'_, Message>> {
    let message = conversation.log().message(position)?;
    let Some(rewritten) = conversation.projection().rewritten.get(&position) else {
        return Some(Cow::Borrowed(message));
    };
    let mut message = message.clone();
    for PartChange { part, change } in &rewritten.rewrite.changes {
        if let (Change::Offload { path, .. }, Some(Part::ToolResult { text, .. })) =
            (change, message.parts.get_mut(*part))
        {
            text.insert_str(0, &format!("[{path}] "));
        }
    }
    Some(Cow::Owned(message))
}
