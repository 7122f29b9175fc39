//! What a line of a summary says about the messages that it is from.

use super::receipt::RetainedText;
use super::scan::Facts;
use super::{fact::Mention, lines};
use crate::message::{Entry, Role};
use epitome_text::letters::is_alphanumeric;
use epitome_text::sentence;

/// The most facts of a line that are looked for: each can take a pass over all messages.
const MAX_FACTS: usize = 4;

/// How the messages that a line is from are found.
pub(crate) enum Sources {
    /// The line names them.
    Numbers(Vec<u32>),
    /// They say what the line says.
    Said {
        /// The sentences of the line, without what a summary puts before and between them.
        sentences: Vec<String>,
        /// What is looked for if no message has all of these.
        facts: Vec<SaidFact>,
        /// The things of a list, as in `order: KX-4711, KX-4712 (sent)`, which are looked for if no message has a fact.
        things: Vec<Thing>,
    },
}

/// A fact of a line.
pub(crate) struct SaidFact(Mention);

/// A thing that a line lists behind what it is.
pub(crate) struct Thing(String);

impl Sources {
    /// Reads the first line of a text. Linear in it.
    pub(crate) fn of(text: &str) -> Self {
        let text = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if let Some((numbers, _)) = lines::split_numbers(text) {
            return Self::Numbers(numbers);
        }
        let said = text.trim().trim_start_matches(['-', '*', '•', '>']).trim_start();
        let said = lines::of(said).next().map_or("", |line| without_label(line.text)).trim();
        let pieces = said.split(sentence::SEPARATOR).flat_map(sentence::split);
        let pieces = pieces.map(|piece| piece.trim_end_matches('…').trim());
        let sentences = pieces.filter(|piece| !piece.is_empty()).map(str::to_owned).collect();
        let mut facts = Facts::default();
        facts.read(&[Entry { number: 0, speaker: "user".into(), time: None, text: said.into() }]);
        let facts = facts.into_vec().into_iter().filter(|fact| fact.text != said);
        let things = said.split_once(": ").map_or("", |(_, things)| things).split(", ");
        let things = things.map(|thing| thing.split(" (").next().unwrap_or_default().trim());
        let things = things.filter(|thing| thing.len() >= LEAST_THING).take(MAX_FACTS);
        Self::Said {
            facts: facts.take(MAX_FACTS).map(SaidFact).collect(),
            things: things.map(|thing| Thing(thing.to_owned())).collect(),
            sentences,
        }
    }
}

/// The shortest thing, in bytes: a shorter one is in many messages.
const LEAST_THING: usize = 3;

/// The longest short label of a speaker, in characters.
const LONGEST_LABEL: usize = 4;

/// A line without the label of its speaker: initials that the first line of the quotes explains.
fn without_label(line: &str) -> &str {
    let is_initial = |c: char| c.is_uppercase() || c.is_ascii_digit();
    match line.split_once(": ") {
        Some((label, said))
            if label.chars().count() <= LONGEST_LABEL && label.chars().all(is_initial) =>
        {
            said
        }
        _ => line,
    }
}

impl SaidFact {
    /// True if one of these texts has the fact. Linear in them.
    pub(crate) fn is_in<'a>(&self, texts: impl Iterator<Item = &'a str>, role: Role) -> bool {
        // Most messages do not have it. In one that does, it may be a part of a longer number or word.
        let mut texts = texts.filter(|text| text.contains(&self.0.text));
        texts.any(|text| {
            let mut units = RetainedText::default();
            units.add(text, role);
            units.has(&self.0)
        })
    }
}

impl Thing {
    /// True if a text has it as a word of its own. Linear in the text.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let ends = |c: Option<char>| !c.is_some_and(is_alphanumeric);
        text.match_indices(&self.0).any(|(at, found)| {
            let (before, behind) = (text.get(..at), text.get(at + found.len()..));
            ends(before.and_then(|before| before.chars().next_back()))
                && ends(behind.and_then(|behind| behind.chars().next()))
        })
    }
}
