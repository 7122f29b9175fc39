//! The facts of a transcript.

use std::collections::BTreeMap;

use super::fact::{Fact, Mention};
use super::{Kind, token};
use crate::message::CALLS;
use crate::message::Entry;
use crate::message::MessageId;
use crate::text::excerpt::without_note;
use crate::text::sentence;

/// The facts found so far, each wording once, in the order of their first mention.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    mentions: Vec<Mention>,
    places: BTreeMap<String, usize>,
}

impl Facts {
    /// Adds the facts of these entries. Costs O(n log n) in their text.
    pub(crate) fn read(&mut self, entries: &[Entry]) {
        for entry in entries {
            let said = !entry.speaker.starts_with("tool");
            for line in entry.text.lines() {
                let line = without_note(line);
                // The arguments of a call are nobody's sentence either, and hold names in quotes.
                let said = said && !line.starts_with(CALLS);
                self.line(line, said, entry);
            }
        }
    }

    /// The facts of an earlier summary, whoever said them, and those of its ledger. `number` tells a
    /// message's number by its name.
    pub(crate) fn of_summary(
        summary: &str,
        ledger: &[Fact],
        number: &dyn Fn(&MessageId) -> Option<u32>,
    ) -> Self {
        let mut facts = Self::default();
        for Fact { kind, text, speaker, sources } in ledger {
            let (kind, text, speaker) = (*kind, text.clone(), speaker.clone());
            let numbers = sources.iter().filter_map(number).collect();
            facts.places.insert(text.clone(), facts.mentions.len());
            facts.mentions.push(Mention { kind, text, speaker, numbers });
        }
        let speaker = "earlier".to_owned();
        facts.read(&[Entry { number: 0, speaker, time: None, text: summary.to_owned() }]);
        facts
    }

    /// True where this was found, or is a piece of something that was. Costs O(log n) where it is there,
    /// and the length of all facts where it is not.
    pub(super) fn support(&self, text: &str) -> bool {
        self.places.contains_key(text)
            || self.mentions.iter().any(|mention| mention.text.contains(text))
    }

    pub(super) fn into_vec(self) -> Vec<Mention> {
        self.mentions
    }

    fn line(&mut self, line: &str, said: bool, entry: &Entry) {
        if is_checklist(line) {
            self.add(Kind::Checklist, line.trim(), entry);
        }
        token::for_each(line, |kind, text| self.add(kind, text, entry));
        if said {
            quotes(line, |text| self.add(Kind::Quote, text, entry));
            for sentence in sentence::split(line) {
                if let Some(kind) = stance(sentence) {
                    self.add(kind, sentence, entry);
                }
            }
        }
    }

    fn add(&mut self, kind: Kind, text: &str, entry: &Entry) {
        match self.places.get(text).and_then(|place| self.mentions.get_mut(*place)) {
            Some(mention) => {
                if mention.numbers.last() != Some(&entry.number) {
                    mention.numbers.push(entry.number);
                }
            }
            None => {
                self.places.insert(text.to_owned(), self.mentions.len());
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

/// Longest sentence that is taken as a decision or a negation, in bytes.
const LONGEST_SENTENCE: usize = 240;

/// Words that settle something.
const SETTLES: [&str; 12] = [
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

/// Words that rule something out.
const RULES_OUT: [&str; 12] = [
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

/// Words before a `not` that rules something out.
const BEFORE_NOT: [&str; 6] = ["do", "must", "should", "may", "are", "is"];

fn stance(sentence: &str) -> Option<Kind> {
    if sentence.len() > LONGEST_SENTENCE || sentence.split_whitespace().nth(2).is_none() {
        return None;
    }
    let one_of = |words: &[&str], word: &str| words.iter().any(|w| w.eq_ignore_ascii_case(word));
    let mut settles = false;
    let mut before = "";
    for word in sentence.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’') {
        let not = word.eq_ignore_ascii_case("not") && one_of(&BEFORE_NOT, before);
        if not || one_of(&RULES_OUT, word) {
            return Some(Kind::Negation);
        }
        settles |= one_of(&SETTLES, word);
        if !word.is_empty() {
            before = word;
        }
    }
    settles.then_some(Kind::Decision)
}

/// Wording between quotation marks of one kind, of 4 to 120 bytes.
pub(super) fn quotes<'a>(line: &'a str, mut each: impl FnMut(&'a str)) {
    // Most lines quote nothing, and one look tells.
    if !line.bytes().any(|byte| matches!(byte, b'"' | b'`') || !byte.is_ascii()) {
        return;
    }
    for (open, close) in [('"', '"'), ('“', '”'), ('«', '»'), ('「', '」'), ('`', '`')] {
        let mut rest = line;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((inside, behind)) = after.split_once(close) else { break };
            if (4..=120).contains(&inside.len()) && inside.trim() == inside {
                each(inside);
            }
            rest = behind;
        }
    }
}
