//! Which message has which terms.

use std::collections::BTreeMap;
use std::ops::Range;

use epitome::message::{Entry, UnixTime};

use crate::cut::{cut, step_end};
use crate::neighbourhood::{self, RADII};
use crate::portable::logarithm;
use crate::postings::Postings;
use crate::said::{Part, Said, said_in};
use crate::terms::{TermId, Terms};

/// An index of messages, which it knows by their positions in the conversation. It holds no text.
#[derive(Debug, Default)]
pub struct Index {
    pub(crate) postings: BTreeMap<TermId, Postings>,
    pub(crate) units: Vec<Unit>,
    pub(crate) messages: Vec<Message>,
    pub(crate) speakers: Vec<String>,
    /// What users have said that holds for all turns to come, in its order.
    pub(crate) lasting: Vec<Said>,
    /// The terms of all units together.
    pub(crate) length: u64,
    /// For each radius, the share of an occurrence in the unit before that counts in each unit.
    pub(crate) near: [Vec<f32>; RADII.len()],
    reader: Terms,
}

/// A message, or a part of a long one, as the index knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) message: u32,
    /// Where it begins in the text of its message, in bytes. It ends where the next one begins.
    pub(crate) start: u32,
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
    /// Adds a message at the end. Linear in its text: a caller that has to stay responsive adds a few at a time, and a long one
    /// by [`Self::append_from`].
    pub fn append(&mut self, entry: &Entry) {
        let mut offset = self.append_from(entry, 0);
        while offset < entry.text.len() {
            offset = self.append_from(entry, offset);
        }
    }

    /// Adds a part of a message: with the offset 0 its first part, and otherwise the next part of the message that was added
    /// last, from where the last call has returned. Returns the offset at which the next part begins, which is the length of the
    /// text once all of it was added. A part takes some milliseconds.
    pub fn append_from(&mut self, entry: &Entry, offset: usize) -> usize {
        if offset == 0 {
            let speaker = self.speaker(&entry.speaker);
            self.messages.push(Message { first_unit: self.units.len() as u32, speaker });
        }
        let message = self.messages.len().saturating_sub(1) as u32;
        let end = step_end(&entry.text, offset);
        let units = cut(entry.text.get(offset..end).unwrap_or_default(), &mut self.reader);
        if entry.speaker.starts_with("user") {
            let part = Part { is_first: offset == 0, is_last: end >= entry.text.len() };
            self.lasting.extend(said_in(&units, self.units.len() as u32, part));
        }
        for unit in units {
            let number = self.units.len() as u32;
            let start = (offset + unit.start) as u32;
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
            self.push(Unit { message, start, length: unit.length as u32 });
        }
        end
    }

    /// The message of a unit, and what of its text the unit has.
    pub(crate) fn part(&self, unit: usize) -> Option<(usize, Range<usize>)> {
        let Unit { message, start, .. } = *self.units.get(unit)?;
        let next = self.units.get(unit + 1).filter(|next| next.message == message);
        let end = next.map_or(usize::MAX, |next| next.start as usize);
        Some((message as usize, start as usize..end))
    }

    /// Adds a unit whose terms are known.
    pub(crate) fn push(&mut self, unit: Unit) {
        let before = self.units.last().map(|before| before.length);
        for (near, share) in self.near.iter_mut().zip(neighbourhood::shares(before, unit.length)) {
            near.push(share);
        }
        self.length += u64::from(unit.length);
        self.units.push(unit);
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
        self.near.iter_mut().for_each(|near| near.truncate(first as usize));
        self.length -= removed.iter().map(|unit| u64::from(unit.length)).sum::<u64>();
        self.lasting.retain(|said| said.unit < first);
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

#[cfg(test)]
pub(crate) mod tests {
    use epitome::tokens::CharactersPer;

    use super::*;
    use crate::StoredError;
    use crate::cut::sentences;

    pub(crate) fn entry(speaker: &str, text: &str) -> Entry {
        Entry { number: 1, speaker: speaker.into(), time: None, text: text.into() }
    }

    pub(crate) fn indexed(said: &[(&str, &str)]) -> Index {
        let mut index = Index::default();
        said.iter().for_each(|(speaker, text)| index.append(&entry(speaker, text)));
        index
    }

    const TALK: [(&str, &str); 4] = [
        ("user alice", "The gate code is 4711, and parseDate lives in src/dates.rs."),
        ("user bob", "Bob waters the roses on Monday."),
        ("assistant", "水やりは月曜日です。門の暗証番号は四七一一です。"),
        ("user alice", "รหัสประตูคือสี่เจ็ดหนึ่งหนึ่ง"),
    ];

    fn best(question: &str) -> Option<usize> {
        let index = indexed(&TALK);
        index.search(question, |_| true).ranked(&index).first().copied()
    }

    #[test]
    fn l1_words_are_found_in_other_forms_and_names_by_their_parts() {
        for question in ["gates", "date parsing", "dates.rs", "parse_date", "4711"] {
            assert_eq!(best(question), Some(0), "{question}");
        }
        assert_eq!(best("When did they water the rose?"), Some(1));
        assert_eq!(best("the of and"), None);
    }

    #[test]
    fn l1_scripts_without_spaces_are_searched() {
        assert_eq!(best("暗証番号は？"), Some(2));
        assert_eq!(best("ประตู"), Some(3));
    }

    #[test]
    fn l1_the_month_and_the_year_of_a_message_are_searched() {
        let mut index = indexed(&TALK);
        let time = Some(UnixTime(1_683_500_000_000));
        index.append(&Entry { time, ..entry("user bob", "We met at the pier.") });
        let ranked = index.search("What happened in May 2023?", |_| true).ranked(&index);
        assert_eq!(ranked.first(), Some(&4));
    }

    #[test]
    fn l1_an_index_that_is_cut_and_continued_is_the_same_as_a_new_one() {
        let long = "The ferry leaves pier three at nine. ".repeat(80);
        let mut index = indexed(&TALK);
        index.append(&entry("user carol", &long));
        index.append(&entry("user bob", "The gate is shut."));
        index.truncate(2);
        TALK.iter().skip(2).for_each(|(speaker, text)| index.append(&entry(speaker, text)));
        let whole = indexed(&TALK);
        assert_eq!((&index.postings, &index.units), (&whole.postings, &whole.units));
        assert_eq!((&index.messages, index.length), (&whole.messages, whole.length));
        assert_eq!(index.near, whole.near);
    }

    /// A text of 300,000 bytes, in lines of several sentences.
    fn long_text() -> String {
        let sentence =
            |at: usize| format!("Bed {at} has roses, e.g. No. {} of Dr. Miller.", at % 7);
        let line = |at: usize| (0..at % 9 + 1).map(sentence).collect::<Vec<_>>().join(" ");
        (0..1_500).map(|at| format!("{}. {} {}\n", at % 5, at, line(at))).collect()
    }

    #[test]
    fn l5_a_long_message_is_added_in_parts_and_found_by_what_is_in_one() {
        let mut text = long_text();
        let middle = text.floor_char_boundary(text.len() / 2);
        text.insert_str(middle, "\nThe lighthouse keeper is called Ingeborg.\n");
        let mut index = indexed(&TALK);
        let long = entry("assistant", &text);
        let mut ends = vec![index.append_from(&long, 0)];
        while let Some(end) = ends.last().copied().filter(|end| *end < text.len()) {
            ends.push(index.append_from(&long, end));
        }
        assert!(
            ends.len() > 4 && ends.iter().all(|end| text.split_at(*end).0.ends_with('\n')),
            "{ends:?}"
        );
        // A unit is what its part of the text says.
        let mut reader = Terms::default();
        for unit in 0..index.units.len() {
            let (message, part) = index.part(unit).unwrap();
            let text = if message == TALK.len() { text.as_str() } else { TALK[message].1 };
            let own = text.get(part.start..part.end.min(text.len())).unwrap();
            let own = sentences(own, &mut reader);
            let terms: usize = own.iter().map(|sentence| sentence.terms.len()).sum();
            assert_eq!(terms, index.units[unit].length as usize, "{own:?}");
        }
        let texts = |at: usize| TALK.get(at).map_or_else(|| text.clone(), |said| said.1.to_owned());
        let mut search = index.search("Who is the keeper of the lighthouse?", |_| true);
        search.widen(&index, texts);
        let passages = search.passages(&index, texts, 12, "", &CharactersPer(4));
        let [passage] = &passages[..] else { panic!("{passages:?}") };
        assert_eq!(passage.quotes[0].text, "The lighthouse keeper is called Ingeborg.");
        assert_eq!(index.messages(), TALK.len() + 1);
        index.truncate(TALK.len());
        assert_eq!(index.units, indexed(&TALK).units);
    }

    #[test]
    fn l5_a_stored_index_is_the_same_and_damage_is_an_error() {
        let index = indexed(&TALK);
        let bytes = index.to_bytes();
        let read = Index::from_bytes(&bytes).unwrap();
        assert_eq!(read.to_bytes(), bytes);
        assert_eq!((&read.postings, &read.units), (&index.postings, &index.units));
        assert_eq!((read.length, &read.messages), (index.length, &index.messages));
        assert_eq!(read.near, index.near);
        for end in 4..bytes.len() {
            assert_eq!(Index::from_bytes(&bytes[..end]).unwrap_err(), StoredError::Damaged);
        }
        assert_eq!(Index::from_bytes(b"abc").unwrap_err(), StoredError::NotAnIndex);
        assert_eq!(Index::from_bytes(b"epr\x07").unwrap_err(), StoredError::OtherVersion(7));
        // Any byte may have changed: what still reads like an index works like one.
        for at in 4..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            if let Ok(index) = Index::from_bytes(&changed) {
                let search = index.search("gate code 4711 roses", |_| true);
                let _ = search.passages(&index, |_| "Roses.".into(), 50, "", &CharactersPer(4));
            }
        }
    }

    #[test]
    fn l5_an_index_takes_less_than_a_third_of_its_text() {
        let mut index = Index::default();
        let mut bytes = 0;
        for turn in 0..2_000_u32 {
            let numbers = [turn % 7, turn % 31, turn % 211, turn];
            let text = numbers
                .map(|number| format!("The bed {number} has plant{number} in it."))
                .join(" ");
            bytes += text.len();
            index.append(&entry("user", &text));
        }
        let stored = index.to_bytes().len();
        assert!(stored * 10 < bytes * 3, "{stored} of {bytes}");
    }
}
