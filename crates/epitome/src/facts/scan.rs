//! Finds the facts of a transcript.

use std::collections::BTreeMap;

use super::fact::{Fact, Mention};
use super::{Kind, token};
use crate::message::CALLS;
use crate::message::Entry;
use crate::message::MessageId;
use crate::text::excerpt::without_note;
use crate::text::sentence;

/// The facts found so far, each text once, in the order of their first mention.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    mentions: Vec<Mention>,
    indices: BTreeMap<String, usize>,
}

impl Facts {
    /// Adds the facts of these entries. Costs O(n log n) in their text.
    pub(crate) fn read(&mut self, entries: &[Entry]) {
        for entry in entries {
            let is_speech = !entry.speaker.starts_with("tool");
            for line in entry.text.lines() {
                let line = without_note(line);
                // The arguments of a call are not sentences, and all of their keys are in quotation marks.
                let is_speech = is_speech && !line.starts_with(CALLS);
                self.line(line, is_speech, entry);
            }
        }
    }

    /// The facts of an earlier summary and of its ledger. `number` finds the number of a message by its id.
    pub(crate) fn of_summary(
        summary: &str,
        ledger: &[Fact],
        number: &dyn Fn(&MessageId) -> Option<u32>,
    ) -> Self {
        let mut facts = Self::default();
        // The ledger comes first, since only the first mention of a text decides: here its kind, speaker and
        // sources are known.
        for Fact { kind, text, speaker, sources } in ledger {
            let (kind, text, speaker) = (*kind, text.clone(), speaker.clone());
            let numbers = sources.iter().filter_map(number).collect();
            facts.indices.insert(text.clone(), facts.mentions.len());
            facts.mentions.push(Mention { kind, text, speaker, numbers });
        }
        let speaker = "earlier".to_owned();
        // No message has the number 0, so that facts known only from the summary get no source.
        facts.read(&[Entry { number: 0, speaker, time: None, text: summary.to_owned() }]);
        facts
    }

    /// True if this text is a fact or a part of one. Costs O(log n) if it is a fact, and is linear in all facts if not.
    pub(super) fn contain(&self, text: &str) -> bool {
        self.indices.contains_key(text)
            || self.mentions.iter().any(|mention| mention.text.contains(text))
    }

    pub(super) fn into_vec(self) -> Vec<Mention> {
        self.mentions
    }

    fn line(&mut self, line: &str, is_speech: bool, entry: &Entry) {
        if is_checklist(line) {
            self.add(Kind::Checklist, line.trim(), entry);
        }
        token::for_each(line, |kind, text| self.add(kind, text, entry));
        if is_speech {
            quotes(line, |text| self.add(Kind::Quote, text, entry));
            for sentence in sentence::split(line) {
                if let Some(kind) = decision_or_negation(sentence) {
                    self.add(kind, sentence, entry);
                }
            }
        }
    }

    fn add(&mut self, kind: Kind, text: &str, entry: &Entry) {
        match self.indices.get(text).and_then(|index| self.mentions.get_mut(*index)) {
            Some(mention) => {
                if mention.numbers.last() != Some(&entry.number) {
                    mention.numbers.push(entry.number);
                }
            }
            None => {
                self.indices.insert(text.to_owned(), self.mentions.len());
                let speaker = entry.speaker.clone();
                let numbers = vec![entry.number];
                self.mentions.push(Mention { kind, text: text.to_owned(), speaker, numbers });
            }
        }
    }
}

pub(super) fn is_checklist(line: &str) -> bool {
    let line = line.trim_start();
    let item = line.strip_prefix(['-', '*', '+']).map_or(line, str::trim_start);
    ["[ ]", "[x]", "[X]", "☐", "☑", "✅"].iter().any(|mark| item.starts_with(mark))
}

/// The longest sentence that counts as a decision or a negation, in bytes.
const MAX_SENTENCE: usize = 240;

/// Words of decisions and requirements.
const DECISION_WORDS: [&str; 12] = [
    "decided",
    "decision",
    "agreed",
    "must",
    "requirement",
    "requirements",
    "required",
    "acceptance",
    "instead",
    "prefer",
    "preferred",
    "chose",
];

/// Words of negations.
const NEGATION_WORDS: [&str; 12] = [
    "never",
    "avoid",
    "without",
    "don't",
    "don’t",
    "mustn't",
    "mustn’t",
    "shouldn't",
    "shouldn’t",
    "cannot",
    "can't",
    "can’t",
];

/// Words before a `not` that make a sentence a negation.
const BEFORE_NOT: [&str; 6] = ["do", "must", "should", "may", "are", "is"];

fn decision_or_negation(sentence: &str) -> Option<Kind> {
    // One or two words, such as "Not required", say nothing without the sentences around them.
    if sentence.len() > MAX_SENTENCE || sentence.split_whitespace().nth(2).is_none() {
        return None;
    }
    let one_of = |words: &[&str], word: &str| words.iter().any(|w| w.eq_ignore_ascii_case(word));
    let mut decides = false;
    let mut before = "";
    for word in sentence.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’') {
        // Some sentences are both, as "it must not fail". A negation is returned at once, since its meaning
        // turns around if the `not` is lost.
        let not = word.eq_ignore_ascii_case("not") && one_of(&BEFORE_NOT, before);
        if not || one_of(&NEGATION_WORDS, word) {
            return Some(Kind::Negation);
        }
        decides |= one_of(&DECISION_WORDS, word);
        if !word.is_empty() {
            before = word;
        }
    }
    decides.then_some(Kind::Decision)
}

/// Texts of 4 to 120 bytes between quotation marks of the same kind.
pub(super) fn quotes<'a>(line: &'a str, mut each: impl FnMut(&'a str)) {
    // Most lines have no quotation marks; this check is faster than five searches.
    if !line.bytes().any(|byte| matches!(byte, b'"' | b'`') || !byte.is_ascii()) {
        return;
    }
    for (open, close) in [('"', '"'), ('“', '”'), ('«', '»'), ('「', '」'), ('`', '`')] {
        let mut rest = line;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((inside, after_quote)) = after.split_once(close) else { break };
            if (4..=120).contains(&inside.len()) && inside.trim() == inside {
                each(inside);
            }
            rest = after_quote;
        }
    }
}
