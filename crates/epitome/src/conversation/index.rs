//! What planning has to know of every message, noted when it comes: a plan looks at notes, not at texts.

use std::borrow::Cow;
use std::ops::Range;

use crate::history::exchange::exchange_of;
use crate::history::pairing::{Bond, Pairer, Pairing, Place, ties_alike};
use crate::history::{Exchange, Log, exchanges};
use crate::message::Entry;
use crate::message::{CallId, Message, Part, Role};
use crate::policy::{SummarySettings, ToolFilter};
use crate::transcript;
use crate::transcript::chunk::{self, Told};

/// How the messages of a log hang together, and what is in them, by position.
#[derive(Default)]
pub(crate) struct Outline {
    telling: Telling,
    pairer: Pairer<Box<str>>,
    exchanges: Vec<Exchange>,
    notes: Vec<Note>,
    /// System messages and pinned ones.
    pub(crate) fixed: Vec<usize>,
    /// What people said.
    pub(crate) asked: Vec<usize>,
    /// What machines said.
    pub(crate) synthetic: Vec<usize>,
    /// Answers to health checks.
    pub(crate) alive: Vec<usize>,
    /// Results with something else than results between them and their calls.
    misplaced: Vec<usize>,
}

/// What there is in one message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Note {
    pub(crate) role: Role,
    /// It calls tools.
    pub(crate) calls: bool,
    /// It answers calls.
    pub(crate) results: bool,
    /// It has thoughts that are sealed.
    pub(crate) sealed: bool,
    /// There is nothing in it, and a repair leaves it out.
    blank: bool,
    /// Characters of its entry in a transcript; 0 where it has none.
    told: u32,
}

/// What of a message goes into a transcript.
#[derive(Clone, Debug, PartialEq)]
struct Telling {
    tools: ToolFilter,
    max_characters: u32,
}

impl Default for Telling {
    fn default() -> Self {
        Self::of(&SummarySettings::default())
    }
}

impl Telling {
    fn of(settings: &SummarySettings) -> Self {
        Self { tools: settings.tools.clone(), max_characters: settings.tool_result_max_characters }
    }

    /// Characters of a message's entry. `called` are the tools that its results come from.
    fn characters(&self, message: &Message, called: Vec<(&CallId, &str)>) -> u32 {
        let entry = transcript::entry(1, message, called, &self.tools, self.max_characters);
        entry.map_or(0, |entry| characters(&entry))
    }
}

impl Outline {
    /// Notes the message at the end of the log. Costs its length, and O(log n) for its calls and results.
    pub(crate) fn take(&mut self, log: &Log) {
        let position = self.notes.len();
        let Some(message) = log.message(position) else { return };
        self.exchanges.push(position..position + 1);
        let mut called = Vec::new();
        for bond in self.pairer.take(position, message) {
            match bond {
                Bond::Answer { call, result } => {
                    self.join(call.message, position);
                    let tool = log.message(call.message).and_then(|asked| tool(asked, call.part));
                    called.extend(message.results().nth(result.part).zip(tool));
                    let mut between = self.notes.iter().skip(call.message + 1);
                    if between.any(|note| note.role != Role::Tool) {
                        self.misplaced.push(position);
                    }
                }
                Bond::Tie { earlier } => self.join(earlier, position),
            }
        }
        let told = self.telling.characters(message, called);
        self.notes.push(Note::of(message, told));
        self.list(position, message);
    }

    /// Notes another wording of a message, which was `before`. Costs the message's length, or where it
    /// hangs together with others in another way, the length of all.
    pub(crate) fn edit(&mut self, log: &Log, position: usize, before: &Message) {
        let Some(message) = log.message(position) else { return };
        if !ties_alike(before, message) {
            *self = Self::of(log, self.telling.clone());
            return;
        }
        let told = self.telling.characters(message, self.called(log, position, message));
        if let Some(note) = self.notes.get_mut(position) {
            *note = Note::of(message, told);
        }
        for list in [&mut self.fixed, &mut self.asked, &mut self.synthetic, &mut self.alive] {
            if let Ok(index) = list.binary_search(&position) {
                list.remove(index);
            }
        }
        self.list(position, message);
    }

    /// Notes anew what goes into a transcript, where other settings say so. Costs the length of all texts
    /// then.
    pub(crate) fn tell_by(&mut self, log: &Log, settings: &SummarySettings) {
        let telling = Telling::of(settings);
        if telling != self.telling {
            *self = Self::of(log, telling);
        }
    }

    fn of(log: &Log, telling: Telling) -> Self {
        let mut outline = Self { telling, ..Self::default() };
        (0..log.len()).for_each(|_| outline.take(log));
        outline
    }

    fn join(&mut self, earlier: usize, position: usize) {
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
            insert(&mut self.asked);
        }
        if is_alive(message) {
            insert(&mut self.alive);
        }
    }

    /// The tools that the results of a message come from, as far as the names of their calls tell.
    fn called<'a>(
        &self,
        log: &'a Log,
        position: usize,
        message: &'a Message,
    ) -> Vec<(&'a CallId, &'a str)> {
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

    /// What was noted of the message at a position.
    pub(crate) fn note(&self, position: usize) -> Option<Note> {
        self.notes.get(position).copied()
    }

    /// Exchanges, oldest first. Costs nothing, but where a result came before its call or without one:
    /// there they are made anew.
    pub(crate) fn exchanges<'a>(&'a self, log: &Log) -> Cow<'a, [Exchange]> {
        match self.pairer.is_settled() {
            true => Cow::Borrowed(&self.exchanges),
            false => Cow::Owned(exchanges(log.len(), &Pairing::of(log.messages()))),
        }
    }

    /// True where some call of the message at a position has no result so far. Costs as [`Self::exchanges`].
    pub(crate) fn waits(&self, log: &Log, position: usize) -> bool {
        let Some(message) = log.message(position) else { return false };
        if self.pairer.is_settled() {
            return self.pairer.is_open(position, message);
        }
        let pairing = Pairing::of(log.messages());
        let mut calls = (0..message.calls().count()).map(|part| Place { message: position, part });
        calls.any(|call| pairing.answer(call).is_none())
    }

    /// The transcript of these messages under these settings, by its lengths. `None` where the notes do not
    /// tell: under other settings, and where repairs add or move something.
    pub(crate) fn told(
        &self,
        positions: impl DoubleEndedIterator<Item = usize> + Clone,
        range: Range<usize>,
        settings: &SummarySettings,
    ) -> Option<impl Iterator<Item = Told>> {
        let repaired = !self.pairer.is_settled()
            || self.pairer.has_unasked()
            || self.pairer.open().any(|at| range.contains(&at))
            || self.misplaced.iter().any(|at| range.contains(at));
        if repaired || self.telling != Telling::of(settings) {
            return None;
        }
        let kept = positions.clone().rev().filter_map(|at| self.note(at)).find(|note| !note.blank);
        let closing = kept.filter(|note| note.role == Role::Tool).map(|_| transcript::closing());
        let told = positions.filter_map(|at| {
            let note = self.notes.get(at).filter(|note| note.told > 0)?;
            Some(Told { characters: note.told, answers: note.role == Role::Tool })
        });
        Some(
            told.chain(
                closing.map(|entry| Told { characters: characters(&entry), answers: false }),
            ),
        )
    }
}

impl Note {
    fn of(message: &Message, told: u32) -> Self {
        let has = |test: fn(&Part) -> bool| message.parts.iter().any(test);
        Self {
            role: message.role,
            calls: has(|part| matches!(part, Part::ToolCall { .. })),
            results: has(|part| matches!(part, Part::ToolResult { .. })),
            sealed: has(|part| matches!(part, Part::Reasoning { signature: Some(_), .. })),
            blank: message.is_blank() && message.role != Role::System,
            told,
        }
    }
}

fn characters(entry: &Entry) -> u32 {
    u32::try_from(chunk::length(entry)).unwrap_or(u32::MAX)
}

/// The tool that a message calls with one of its calls.
fn tool(message: &Message, call: usize) -> Option<&str> {
    let mut names = message.parts.iter().filter_map(|part| match part {
        Part::ToolCall { name, .. } => Some(name.as_str()),
        _ => None,
    });
    names.nth(call)
}

/// The answer to a health check.
const ALIVE: &str = "HEARTBEAT_OK";

/// True for an assistant's answer to a health check.
pub(crate) fn is_alive(message: &Message) -> bool {
    let mut texts = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.trim()).filter(|text| !text.is_empty()),
        _ => None,
    });
    message.role == Role::Assistant
        && message.calls().next().is_none()
        && texts.next() == Some(ALIVE)
        && texts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Record;
    use crate::test_notation::transcript as messages;

    /// Checks that the notes tell of the same entries as the transcript that would be written.
    fn check(script: &str) {
        let (mut log, mut outline) = (Log::default(), Outline::default());
        for message in messages(script) {
            log.append(Record::Message { message }).unwrap();
            outline.take(&log);
        }
        let (all, settings) = (0..log.len(), SummarySettings::default());
        let told = outline.told(all.clone(), all, &settings).unwrap();
        let numbered: Vec<(u32, &Message)> = (1..).zip(log.messages()).collect();
        let entries = transcript::transcript(&numbered, &settings);
        let told: Vec<u32> = told.map(|entry| entry.characters).collect();
        assert_eq!(told, entries.iter().map(characters).collect::<Vec<_>>(), "{script}");
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
