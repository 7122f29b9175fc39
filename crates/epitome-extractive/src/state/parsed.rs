//! A message in its parts, which all that reads it shares: to cut a long text into sentences takes a good part of the time.

use epitome::message::{ANSWERS, CALLS, Entry};
use epitome_text::noise::unnumbered;
use epitome_text::sentence;

/// A message, or a part of one.
#[derive(Debug)]
pub(crate) struct ParsedEntry<'a> {
    pub(crate) entry: &'a Entry,
    /// The first word of its speaker.
    pub(crate) role: &'a str,
    /// In order.
    pub(crate) parts: Vec<Part<'a>>,
    /// The sentences of what is said, as [`sentences`] finds them.
    pub(crate) sentences: Vec<&'a str>,
}

/// A part of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// A call with its arguments.
    Call { tool: &'a str, arguments: &'a str },
    /// A result.
    Result(&'a str),
    /// A line that somebody said.
    Said(&'a str),
}

impl<'a> ParsedEntry<'a> {
    /// Linear in the message.
    pub(crate) fn of(entry: &'a Entry) -> Self {
        let role = entry.speaker.split(' ').next().unwrap_or_default();
        let parts = parts(entry, role);
        let said = parts.iter().filter_map(|part| match part {
            Part::Said(line) => Some(*line),
            Part::Call { .. } | Part::Result(_) => None,
        });
        let sentences = sentences(said);
        Self { entry, role, parts, sentences }
    }

    /// True for a message of the model that says something besides questions and announcements.
    pub(super) fn answers(&self) -> bool {
        self.role == "assistant" && !self.sentences.iter().all(|sentence| self.is_open(sentence))
    }

    /// True for a question, and for what the model announces: neither answers anything.
    pub(super) fn is_open(&self, sentence: &str) -> bool {
        asks(sentence) || (self.role == "assistant" && super::cue::promises(sentence))
    }
}

/// The sentences of texts, without the numbers of lines in a listing.
pub(crate) fn sentences<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut sentences = Vec::new();
    unnumbered(texts)
        .for_each(|line| sentence::for_each(line, &mut |sentence| sentences.push(sentence)));
    sentences
}

/// True for a question.
pub(super) fn asks(sentence: &str) -> bool {
    sentence.ends_with(['?', '？', '؟'])
}

fn parts<'a>(entry: &'a Entry, role: &str) -> Vec<Part<'a>> {
    if role == "tool" {
        let text = entry.text.as_str();
        let result = text.split_once(ANSWERS).filter(|(tool, _)| !tool.contains('\n'));
        return vec![Part::Result(result.map_or(text, |(_, result)| result))];
    }
    let lines = entry.text.split('\n').map(|line| {
        let call = line.strip_prefix(CALLS).and_then(|call| call.split_once(' '));
        match call.filter(|(_, arguments)| role == "assistant" && arguments.starts_with('{')) {
            Some((tool, arguments)) => Part::Call { tool, arguments },
            None => Part::Said(line),
        }
    });
    lines.collect()
}
