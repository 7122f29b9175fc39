//! Reads the messages that a summarizer gets, in slices.

use std::borrow::Cow;
use std::ops::Range;
use std::vec::IntoIter;

use epitome_columns::SortedMap;

use crate::conversation::Conversation;
use crate::history::{Change, Ending, LateResults, PartChange};
use crate::message::{Entry, Message, Part};
use crate::policy::SummarySettings;
use crate::transcript::{Step, order};

/// What a message counts for besides its text, in bytes: many short ones take time too.
const MESSAGE: usize = 200;

/// How many messages are put in order at a time: this takes a few milliseconds, and many more would be no slice.
const AT_A_TIME: usize = 4_096;

/// Messages that become the entries of a transcript.
///
/// Between two slices, messages may be appended to the conversation. Those that are read must not change.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    positions: Vec<usize>,
    /// Results whose calls are no longer in the view, as they are read, by their positions.
    late: SortedMap<usize, Message>,
    /// Those of the positions whose steps are read now.
    ordered: Range<usize>,
    /// By the indices of the ordered positions.
    steps: IntoIter<Step>,
    entries: Vec<Entry>,
}

impl Reading {
    /// Begins to read the messages at these positions. Linear in their number.
    pub(crate) fn new(conversation: &Conversation, positions: impl Iterator<Item = usize>) -> Self {
        let log = conversation.log();
        let late_results = LateResults::new(log, conversation.projection());
        let positions: Vec<usize> =
            positions.filter(|at| conversation.number(*at).is_some()).collect();
        let messages = positions.iter().filter_map(|at| Some((*at, log.message(*at)?)));
        let late = messages.filter_map(|(at, message)| Some((at, late_results.message(message)?)));
        Self { late: late.collect(), positions, ..Self::default() }
    }

    /// Puts the next messages in the order in which they are read. False if there are none. They end where nothing waits for a
    /// later message, so that the order is that of all messages at once. Costs O(n log n) in their number.
    fn order_next(&mut self, conversation: &Conversation) -> bool {
        let start = self.ordered.end;
        let rest = self.positions.get(start..).unwrap_or_default();
        if rest.is_empty() {
            return false;
        }
        let mut ends = AT_A_TIME..rest.len().saturating_sub(AT_A_TIME);
        let is_end =
            |end: &usize| rest.get(*end).is_some_and(|at| conversation.index().is_independent(*at));
        let count = ends.find(is_end).unwrap_or(rest.len());
        let numbered = rest.iter().take(count).filter_map(|at| {
            let message = self.late.get(at).or_else(|| conversation.log().message(*at))?;
            Some((conversation.number(*at)?, message))
        });
        let numbered: Vec<(u32, &Message)> = numbered.collect();
        let ending = if count == rest.len() { Ending::Acknowledged } else { Ending::Open };
        self.steps = order(&numbered, ending).into_iter();
        self.ordered = start..start + count;
        true
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
            let Some(step) = self.steps.next() else {
                if self.order_next(conversation) {
                    continue;
                }
                return true;
            };
            let index = step.index().map(|index| self.ordered.start + index);
            let position = index.and_then(|index| self.positions.get(index).copied());
            let message = position.and_then(|at| match self.late.remove(&at) {
                Some(message) => Some(Cow::Owned(message)),
                None => readable(conversation, at),
            });
            let texts = message.iter().flat_map(|message| message.readable_texts());
            read = texts.map(str::len).fold(read + MESSAGE, usize::saturating_add);
            self.entries.extend(step.entry(message.as_deref(), settings));
        }
        self.steps.as_slice().is_empty() && self.ordered.end == self.positions.len()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;
    use crate::history::Record;
    use crate::test_notation::transcript;
    use crate::tokens::CharactersPer;
    use crate::transcript::transcript as at_once;

    #[test]
    fn j24_messages_that_are_ordered_some_at_a_time_are_read_as_all_at_once() {
        // A call whose result does not follow it stands at each place where the order could be divided, and nothing is said behind
        // the last results.
        for length in
            [AT_A_TIME - 1, AT_A_TIME, 2 * AT_A_TIME - 1, 2 * AT_A_TIME + 1, 5 * AT_A_TIME]
        {
            let text = |at: usize| match (at + 6) % 8 {
                _ if at < 8 => format!("u: {at}"),
                5 => format!("a: !f{at}"),
                6 => "u: so?".to_owned(),
                7 => format!("t: =f{}", at - 2),
                _ => format!("u: {at}"),
            };
            let text: Vec<String> = (0..length).map(text).collect();
            let mut conversation =
                Conversation::new(Contract::default(), Box::new(CharactersPer(4)));
            for message in transcript(&text.join("\n")) {
                conversation.append(Record::Message { message: message.into() }).unwrap();
            }
            let settings = SummarySettings::default();
            let numbered: Vec<(u32, &Message)> = (0..length)
                .map(|at| {
                    (conversation.number(at).unwrap(), conversation.log().message(at).unwrap())
                })
                .collect();
            let entries = entries_at(&conversation, &settings, 0..length);
            assert_eq!(entries, at_once(&numbered, &settings), "{length}");
        }
    }
}
