//! What a line of a summary says about the messages that it is from.

use super::receipt::RetainedText;
use super::scan::Facts;
use super::{fact::Mention, lines};
use crate::message::{Entry, Role};
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
    },
}

/// A fact of a line.
pub(crate) struct SaidFact(Mention);

impl Sources {
    /// Reads the first line of a text. Linear in it.
    pub(crate) fn of(text: &str) -> Self {
        let text = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if let Some((numbers, _)) = lines::split_numbers(text) {
            return Self::Numbers(numbers);
        }
        let said = text.trim().trim_start_matches(['-', '*', '•', '>']).trim_start();
        let said = lines::of(said).next().map_or("", |line| line.text).trim().to_owned();
        let pieces = said.split(sentence::SEPARATOR).flat_map(sentence::split);
        let pieces = pieces.map(|piece| piece.trim_end_matches('…').trim());
        let sentences = pieces.filter(|piece| !piece.is_empty()).map(str::to_owned).collect();
        let mut facts = Facts::default();
        facts.read(&[Entry { number: 0, speaker: "user".into(), time: None, text: said.clone() }]);
        let facts = facts.into_vec().into_iter().filter(|fact| fact.text != said);
        Self::Said { facts: facts.take(MAX_FACTS).map(SaidFact).collect(), sentences }
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
