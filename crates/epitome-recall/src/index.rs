//! Which message has which terms.

use std::collections::BTreeMap;

use epitome::message::{Entry, UnixTime};

use crate::cut::cut;
use crate::portable::logarithm;
use crate::postings::Postings;
use crate::terms::{TermId, Terms};

/// An index of messages, which it knows by their positions in the conversation. It holds no text.
#[derive(Debug, Default)]
pub struct Index {
    pub(crate) postings: BTreeMap<TermId, Postings>,
    pub(crate) units: Vec<Unit>,
    pub(crate) messages: Vec<Message>,
    pub(crate) speakers: Vec<String>,
    /// The terms of all units together.
    pub(crate) length: u64,
    reader: Terms,
}

/// A message, or a part of a long one, as the index knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) message: u32,
    /// How many terms it has.
    pub(crate) length: u32,
}

/// A message of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) first_unit: u32,
    /// Its place in the list of speakers.
    pub(crate) speaker: u32,
}

impl Index {
    /// Adds a message at the end. Linear in its text: a caller that has to stay responsive adds a few at a time.
    pub fn append(&mut self, entry: &Entry) {
        let message = self.messages.len() as u32;
        let speaker = self.speaker(&entry.speaker);
        self.messages.push(Message { first_unit: self.units.len() as u32, speaker });
        for unit in cut(&entry.text, &mut self.reader) {
            let number = self.units.len() as u32;
            let mut terms: Vec<TermId> =
                unit.sentences.into_iter().flat_map(|sentence| sentence.terms).collect();
            if let Some(time) = entry.time {
                self.reader.for_each(&date(time), |term| terms.push(term));
            }
            terms.sort_unstable();
            for same in terms.chunk_by(|a, b| a == b) {
                if let Some(term) = same.first() {
                    self.postings.entry(*term).or_default().push(number, same.len() as u32);
                }
            }
            self.length += unit.length as u64;
            self.units.push(Unit { message, length: unit.length as u32 });
        }
    }

    fn speaker(&mut self, name: &str) -> u32 {
        let known = self.speakers.iter().rposition(|known| known == name);
        let place = known.unwrap_or_else(|| {
            self.speakers.push(name.to_owned());
            self.speakers.len() - 1
        });
        place as u32
    }

    /// Removes all messages from this position on. Linear in the index.
    pub fn truncate(&mut self, messages: usize) {
        let Some(first) = self.messages.get(messages).map(|message| message.first_unit) else {
            return;
        };
        self.messages.truncate(messages);
        let removed = self.units.split_off(first as usize);
        self.length -= removed.iter().map(|unit| u64::from(unit.length)).sum::<u64>();
        self.postings.retain(|_, postings| {
            postings.truncate(first);
            postings.units() > 0
        });
    }

    /// Who wrote a message; empty if there is none at this position.
    #[must_use]
    pub fn speaker_of(&self, message: usize) -> &str {
        let speaker = self.messages.get(message).map(|message| message.speaker as usize);
        speaker.and_then(|speaker| self.speakers.get(speaker)).map_or("", String::as_str)
    }

    /// How many messages it has.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.messages.len()
    }

    /// How much it says that a unit has a term.
    pub(crate) fn rarity(&self, term: TermId) -> f32 {
        let with = self.postings.get(&term).map_or(0, Postings::units) as f32;
        logarithm(1.0 + (self.units.len() as f32 - with + 0.5).max(0.0) / (with + 0.5))
    }
}

/// The date of a message as people write it in a question: its month and its year.
fn date(time: UnixTime) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let Some(text) = time.to_text() else { return String::new() };
    let mut parts = text.split('-');
    let year = parts.next().unwrap_or_default();
    let month = parts.next().and_then(|month| month.parse::<usize>().ok()).unwrap_or_default();
    let month = MONTHS.get(month.saturating_sub(1)).copied().unwrap_or_default();
    format!("{year} {month}")
}
