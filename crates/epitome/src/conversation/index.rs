//! What planning needs to know about each message, recorded once when the message arrives.
//!
//! A plan is made after nearly every message, and must not read every text for it. It reads these notes
//! instead.

use std::borrow::Cow;
use std::ops::Range;

use epitome_columns::EntrySize;
use epitome_text::is_blank;

use crate::history::exchange::exchange_of;
use crate::history::pairing::{Link, Pairer, Pairing, PartPosition, has_same_links};
use crate::history::{Exchange, Log, exchanges};
use crate::message::{CallId, Message, Part, Role};
use crate::policy::{MAX_HEARTBEAT_BYTES, SummarySettings, ToolFilter};
use crate::transcript::chunk;
use crate::transcript::{self, ToolLimits};

/// Which messages belong together, and what each of them contains, by position.
#[derive(Default)]
pub(crate) struct MessageIndex {
    settings: IndexSettings,
    pairer: Pairer<Box<str>>,
    exchanges: Vec<Exchange>,
    notes: Vec<Note>,
    /// The size of each message's entry in a transcript.
    entries: Vec<EntrySize>,
    /// System messages and pinned messages.
    pub(crate) fixed: Vec<usize>,
    /// Messages of users that are not blank.
    pub(crate) user_requests: Vec<usize>,
    /// Messages that the app generated.
    pub(crate) synthetic: Vec<usize>,
    /// Assistant messages that could be answers to heartbeats, whatever the policy says about those.
    pub(crate) one_line_answers: Vec<usize>,
    /// Results that do not directly follow their calls.
    misplaced: Vec<usize>,
    /// Where the messages of tools at the end begin.
    results_from: usize,
    /// The last message with calls, and the indices of these among its parts.
    last_calls: (usize, Vec<usize>),
}

/// What one message contains.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Note {
    pub(crate) role: Role,
    /// It has tool calls.
    pub(crate) calls: bool,
    /// It has tool results.
    pub(crate) results: bool,
    /// It has signed reasoning.
    pub(crate) signed_reasoning: bool,
    /// It has no content, and a repair leaves it out.
    blank: bool,
    /// Nothing before it waits for something behind it, so that the messages from here on can be paired by themselves.
    is_independent: bool,
}

/// The settings that decide what of a message goes into a transcript.
#[derive(Clone, Debug, PartialEq)]
struct IndexSettings {
    tools: ToolFilter,
    limits: ToolLimits,
}

impl Default for IndexSettings {
    fn default() -> Self {
        Self::of(&SummarySettings::default())
    }
}

impl IndexSettings {
    fn of(settings: &SummarySettings) -> Self {
        Self { tools: settings.tools.clone(), limits: ToolLimits::of(settings) }
    }

    /// The size of a message's entry. `called` are the tools that its results come from.
    fn entry_size(&self, message: &Message, called: Vec<(&CallId, &str)>) -> EntrySize {
        transcript::entry_size(message, called, &self.tools, self.limits)
    }
}

impl MessageIndex {
    /// An index of no messages with the same settings.
    pub(crate) fn without_messages(&self) -> Self {
        Self { settings: self.settings.clone(), ..Self::default() }
    }

    /// Indexes the message at the end of the log. Costs its length, and O(log n) for its calls and results.
    pub(crate) fn push(&mut self, log: &Log) {
        let position = self.notes.len();
        let Some(message) = log.message(position) else { return };
        self.exchanges.push(position..position + 1);
        let is_independent = self.pairer.is_idle();
        let mut called = Vec::new();
        let links = self.pairer.push(position, message);
        self.list_calls(position, message);
        let mut results = message.results().enumerate();
        for link in links {
            match link {
                Link::Answer { call, result } => {
                    self.join(call.message, position);
                    let tool = log.message(call.message).and_then(|asked| self.tool(asked, call));
                    // Links come in the order of the results.
                    let result = results.find(|(part, _)| *part == result.part);
                    called.extend(result.map(|(_, result)| result).zip(tool));
                    // A transcript moves such a result behind its call. Its entries then come in another order
                    // than the notes, which makes other groups and chunks.
                    if self.results_from > call.message + 1 {
                        self.misplaced.push(position);
                    }
                }
                Link::Tied { earlier } => self.join(earlier, position),
            }
        }
        if message.role != Role::Tool {
            self.results_from = position + 1;
        }
        self.entries.push(self.settings.entry_size(message, called));
        self.notes.push(Note { is_independent, ..Note::of(message) });
        self.list(position, message);
    }

    /// Indexes the messages of the log from a position on again; those before it are the same as they were. Linear in these
    /// texts, from the last message before the position that nothing earlier waits for.
    pub(crate) fn renew(&mut self, log: &Log, position: usize) {
        let start = self.independent_start(position.min(self.notes.len()));
        self.notes.truncate(start);
        self.entries.truncate(start);
        let before = self.exchanges.partition_point(|exchange| exchange.start < start);
        self.exchanges.truncate(before);
        for list in [
            &mut self.fixed,
            &mut self.user_requests,
            &mut self.synthetic,
            &mut self.one_line_answers,
            &mut self.misplaced,
        ] {
            let before = list.partition_point(|other| *other < start);
            list.truncate(before);
        }
        self.pairer = Pairer::default();
        let tools = self.notes.iter().rev().take_while(|note| note.role == Role::Tool).count();
        self.results_from = start - tools;
        self.last_calls = (usize::MAX, Vec::new());
        (start..log.len()).for_each(|_| self.push(log));
    }

    /// The last position up to this one at which an exchange begins and nothing before it waits for something behind it.
    fn independent_start(&self, position: usize) -> usize {
        let mut start = position;
        loop {
            let independent = |at: &usize| match self.notes.get(*at) {
                Some(note) => note.is_independent,
                None => self.pairer.is_idle(),
            };
            start = (0..=start).rev().find(independent).unwrap_or(0);
            match exchange_of(&self.exchanges, start) {
                Some(exchange) if exchange.start < start => start = exchange.start,
                _ => return start,
            }
        }
    }

    fn list_calls(&mut self, position: usize, message: &Message) {
        let is_call = |(_, part): &(usize, &Part)| matches!(part, Part::ToolCall { .. });
        let mut calls = message.parts.iter().enumerate().filter(is_call).map(|(at, _)| at);
        if let Some(first) = calls.next() {
            let (of, indices) = &mut self.last_calls;
            *of = position;
            indices.clear();
            indices.push(first);
            indices.extend(calls);
        }
    }

    /// The tool that a message calls. Costs O(1) for the calls of the last message that has some.
    fn tool<'a>(&self, message: &'a Message, call: PartPosition) -> Option<&'a str> {
        let (of, indices) = &self.last_calls;
        if *of != call.message {
            return tool(message, call.part);
        }
        match message.parts.get(*indices.get(call.part)?)? {
            Part::ToolCall { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Indexes a message again after an edit; `before` is how it was. Costs the message's length, or that of
    /// [`Self::renew`] if the edit changes which messages belong together.
    pub(crate) fn edit(&mut self, log: &Log, position: usize, before: &Message) {
        let Some(message) = log.message(position) else { return };
        if !has_same_links(before, message) {
            self.renew(log, position);
            return;
        }
        if self.last_calls.0 == position {
            self.list_calls(position, message);
        }
        let called = self.called(log, position, message);
        let size = self.settings.entry_size(message, called);
        if let Some((note, entry)) =
            self.notes.get_mut(position).zip(self.entries.get_mut(position))
        {
            *note = Note { is_independent: note.is_independent, ..Note::of(message) };
            *entry = size;
        }
        for list in [
            &mut self.fixed,
            &mut self.user_requests,
            &mut self.synthetic,
            &mut self.one_line_answers,
        ] {
            if let Ok(index) = list.binary_search(&position) {
                list.remove(index);
            }
        }
        self.list(position, message);
    }

    /// Indexes every message again if these settings put something else into a transcript. Then it costs
    /// the length of all texts.
    pub(crate) fn index_for(&mut self, log: &Log, settings: &SummarySettings) {
        let settings = IndexSettings::of(settings);
        if settings != self.settings {
            *self = Self::of(log, settings);
        }
    }

    fn of(log: &Log, settings: IndexSettings) -> Self {
        let mut index = Self { settings, ..Self::default() };
        (0..log.len()).for_each(|_| index.push(log));
        index
    }

    /// Makes one exchange of all messages from an earlier one to this position.
    fn join(&mut self, earlier: usize, position: usize) {
        // Everything between the two messages joins too, since an exchange is a run without gaps.
        while self.exchanges.len() > 1
            && self.exchanges.last().is_some_and(|exchange| exchange.start > earlier)
        {
            self.exchanges.pop();
        }
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.end = position + 1;
        }
    }

    fn list(&mut self, position: usize, message: &Message) {
        let insert = |list: &mut Vec<usize>| {
            let index = list.partition_point(|other| *other < position);
            list.insert(index, position);
        };
        if message.pinned || message.role == Role::System {
            insert(&mut self.fixed);
        }
        if message.synthetic.is_some() {
            insert(&mut self.synthetic);
        } else if message.role == Role::User && !message.is_blank() {
            insert(&mut self.user_requests);
        }
        if one_line_answer(message).is_some() {
            insert(&mut self.one_line_answers);
        }
    }

    /// The tools that the results of a message come from, by the names of their calls.
    pub(crate) fn called<'a>(
        &self,
        log: &'a Log,
        position: usize,
        message: &'a Message,
    ) -> Vec<(&'a CallId, &'a str)> {
        // The pairer forgets a call once it is answered, so that the call has to be searched. It is in the same
        // exchange.
        let start =
            exchange_of(&self.exchanges, position).map_or(position, |exchange| exchange.start);
        let tool = |call: &CallId| {
            let mut earlier = (start..position).rev().filter_map(|at| log.message(at));
            earlier.find_map(|asked| {
                let part = asked.calls().position(|other| other == call)?;
                tool(asked, part)
            })
        };
        message.results().filter_map(|call| Some((call, tool(call)?))).collect()
    }

    /// What the message at a position contains.
    pub(crate) fn note(&self, position: usize) -> Option<Note> {
        self.notes.get(position).copied()
    }

    /// True if nothing before the message at a position waits for something behind it, so that the messages from there on can be
    /// paired by themselves.
    pub(crate) fn is_independent(&self, position: usize) -> bool {
        self.note(position).is_some_and(|note| note.is_independent)
    }

    /// True for an exchange with a system message or a pinned message in it, which stays word for word. Costs O(log n).
    pub(crate) fn is_fixed(&self, exchange: &Exchange) -> bool {
        let first = self.fixed.partition_point(|position| *position < exchange.start);
        self.fixed.get(first).is_some_and(|position| *position < exchange.end)
    }

    /// The exchanges, oldest first. Free, unless a result came before its call or without one: then they
    /// are computed from the log.
    pub(crate) fn exchanges<'a>(&'a self, log: &Log) -> Cow<'a, [Exchange]> {
        match self.pairer.is_settled() {
            true => Cow::Borrowed(&self.exchanges),
            false => Cow::Owned(exchanges(log.len(), &Pairing::of(log.messages()))),
        }
    }

    /// True if a call of the message at a position has no result yet. Costs as much as [`Self::exchanges`].
    pub(crate) fn waits(&self, log: &Log, position: usize) -> bool {
        let Some(message) = log.message(position) else { return false };
        if self.pairer.is_settled() {
            return self.pairer.is_open(position, message);
        }
        let pairing = Pairing::of(log.messages());
        let mut calls =
            (0..message.calls().count()).map(|part| PartPosition { message: position, part });
        calls.any(|call| pairing.result_of(call).is_none())
    }

    /// The number of chunks of a transcript of the messages at these positions, all in `range`. `None` if the index does not say:
    /// under other settings, and where repairs add or move messages. Linear in the number of messages.
    pub(crate) fn count_chunks(
        &self,
        read: &[Range<usize>],
        range: Range<usize>,
        settings: &SummarySettings,
    ) -> Option<usize> {
        let repaired = !self.pairer.is_settled()
            || self.pairer.has_unsolicited_approvals()
            || self.pairer.open().any(|at| range.contains(&at))
            || self.misplaced.iter().any(|at| range.contains(at));
        if repaired || self.settings != IndexSettings::of(settings) {
            return None;
        }
        let notes = read.iter().cloned().flatten().rev().filter_map(|at| self.note(at));
        let kept = notes.into_iter().find(|note| !note.blank);
        // A transcript that ends with a result gets one more entry. Without it here, the plan could have one
        // chunk fewer than the compaction.
        let is_result = kept.is_some_and(|note| note.role == Role::Tool);
        let closing = is_result.then(|| chunk::size(&transcript::closing(), true));
        let runs = read.iter().filter_map(|run| self.entries.get(run.clone()));
        let runs: Vec<&[EntrySize]> = runs.chain([closing.as_slice()]).collect();
        Some(chunk::count(&runs, settings))
    }
}

impl Note {
    fn of(message: &Message) -> Self {
        let has = |test: fn(&Part) -> bool| message.parts.iter().any(test);
        Self {
            role: message.role,
            calls: has(|part| matches!(part, Part::ToolCall { .. })),
            results: has(|part| matches!(part, Part::ToolResult { .. })),
            signed_reasoning: message.has_signed_reasoning(),
            blank: message.is_blank() && message.role != Role::System,
            is_independent: false,
        }
    }
}

/// The tool that a message calls with one of its calls.
fn tool(message: &Message, call: usize) -> Option<&str> {
    let mut names = message.parts.iter().filter_map(|part| match part {
        Part::ToolCall { name, .. } => Some(name.as_str()),
        _ => None,
    });
    names.nth(call)
}

/// True if an assistant's message is the answer to a heartbeat; `answer` is what such an answer says, `None`
/// if the app has no heartbeats. Models decorate such answers, so that spaces and punctuation around the words
/// do not count: `**HEARTBEAT_OK.**` is `HEARTBEAT_OK`.
pub(crate) fn is_heartbeat_answer(message: &Message, answer: Option<&str>) -> bool {
    fn words(text: &str) -> Option<&str> {
        let text = text.trim_matches(|character: char| !character.is_alphanumeric());
        Some(text).filter(|text| !text.is_empty())
    }
    let Some(given) = one_line_answer(message) else { return false };
    answer.is_some_and(|answer| match words(answer) {
        Some(expected) => words(given) == Some(expected),
        // An answer such as 👍 consists of nothing else.
        None => given == answer.trim(),
    })
}

/// The text of an assistant's message that has a single short line of text and no tool call: what an answer
/// to a heartbeat can be.
fn one_line_answer(message: &Message) -> Option<&str> {
    if message.role != Role::Assistant {
        return None;
    }
    let mut texts = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } if !is_blank(text) => Some(text.trim()),
        _ => None,
    });
    let text =
        texts.next().filter(|text| text.len() <= MAX_HEARTBEAT_BYTES && !text.contains('\n'))?;
    let alone = texts.next().is_none() && message.calls().next().is_none();
    alone.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Record;
    use crate::message::Entry;
    use crate::test_notation::transcript as messages;

    /// Checks that the notes list the same entries as the transcript that would be written.
    fn check(script: &str) {
        let (mut log, mut index) = (Log::default(), MessageIndex::default());
        for message in messages(script) {
            log.append(Record::Message { message: message.into() }).unwrap();
            index.push(&log);
        }
        let numbered: Vec<(u32, &Message)> = (1..).zip(log.messages()).collect();
        let mut settings = SummarySettings::default();
        let entries = transcript::transcript(&numbered, &settings);
        let is_result = |entry: &Entry| entry.speaker.starts_with("tool");
        let sizes: Vec<EntrySize> =
            entries.iter().map(|entry| chunk::size(entry, is_result(entry))).collect();
        let known: Vec<EntrySize> =
            index.entries.iter().copied().filter(|entry| *entry != EntrySize::NONE).collect();
        assert_eq!(known, sizes[..known.len()], "{script}");
        // With a chunk for each entry but results, one that is missing or too much is another number.
        for characters in [60, 1000] {
            settings.chunk_characters = Some(characters);
            let all = 0..log.len();
            let count =
                index.count_chunks(std::slice::from_ref(&all), all.clone(), &settings).unwrap();
            assert_eq!(count, chunk::chunks(entries.clone(), &settings).len(), "{script}");
        }
    }

    #[test]
    fn notes_tell_what_a_transcript_would() {
        check("u: hello\na: hi");
        check("a: look !one\nt: =one");
        check("a: look !one\nt: =one\nu:");
        check("u: and?\na: look !one\nt: =one\nu:\na:");
        check("a: look !one\nt: =one\ns:");
    }
}
