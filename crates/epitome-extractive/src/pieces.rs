//! The pieces of text that an extract can quote, each with its message and its speaker.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use epitome_columns::SortedSet;

use super::notes::{Context, Notes};
use super::term::{SEED, hash_with};
use crate::state::{ParsedEntry, Part, sentences};
use epitome::facts::{LEDGER, LISTS, boxed};
use epitome::history::ACKNOWLEDGEMENT;
use epitome_text::noise::is_noise;
use epitome_text::sentence::{self, cleaned};
use epitome_text::speaker::{Labels, UNKNOWN, speaker};

/// Pieces in the order of the conversation.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// The speaker of each message.
    pub(super) speakers: Vec<String>,
    pub(super) pieces: Vec<Piece>,
    /// Number of `pieces` from the previous summary, which are the first ones.
    pub(super) old: usize,
    /// The terms of the messages before the new ones.
    pub(super) context: Context,
    /// True if a model takes part.
    pub(super) has_model: bool,
    /// The share of the conversation that the previous summary stands for, from 0 to 1.
    pub(super) old_share: f64,
    noise: Noise,
    /// The place of the last piece that was read.
    place: usize,
    /// What was said with any numbers, by its hash.
    forms: HashMap<u64, Form, Hashes>,
    /// The hashes of all that was said, with its speaker.
    said: HashSet<u64, Hashes>,
    /// The latest piece with an item of a list, by the hash of the item.
    items: HashMap<u64, usize, Hashes>,
}

/// A text with any numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Form {
    /// How often it was said.
    times: u32,
    /// How many of `pieces` have it.
    pieces: u32,
}

/// What is a hash already is not hashed again. Nothing depends on the order in a map.
type Hashes = BuildHasherDefault<Hashed>;

#[derive(Clone, Copy, Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, bytes: &[u8]) {
        // The keys are numbers, which are not written here.
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }
}

/// What is done with what says nothing: acknowledgements of the engine, notes of cuts, what tools repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Noise {
    #[default]
    LeftOut,
    /// It is quoted like the rest.
    Quoted,
}

/// A piece with every run of white space as one space, and without the noise of a transcript.
#[derive(Debug)]
pub(super) struct Piece {
    /// Its message, or its line of the previous summary.
    pub(super) message: usize,
    /// The place of the next clause of the same sentence is one more; that of the next sentence is two more or greater.
    place: usize,
    pub(super) text: Box<str>,
    /// The share from which on it is selected, if an earlier extract noted it.
    pub(super) share: Option<f32>,
    /// True if it is said again and again, with other numbers at most. Not known before all is read.
    pub(super) is_repeated: bool,
    /// The hash of its text with any numbers, if it is one that may be repeated.
    form: Option<u64>,
    /// True for a part of a record, which is what a tool answers with as JSON.
    is_record: bool,
}

impl Pieces {
    /// The quotes of an earlier extract, without its state, or the sentences of any other summary, with its notes.
    pub(super) fn of_summary(earlier: &str, notes: &str, noise: Noise) -> Self {
        let mut source = Self { noise, ..Self::default() };
        source.add_quotes(earlier);
        let notes = Notes::read(notes, source.pieces.len());
        for (piece, share) in source.pieces.iter_mut().zip(notes.shares) {
            piece.share = Some(share);
        }
        source.context = notes.context;
        source.retain_new(0);
        source.old = source.pieces.len();
        source
    }

    /// Reads a message, or a part of one. Linear in it.
    pub(super) fn read(&mut self, parsed: &ParsedEntry<'_>) {
        let ParsedEntry { entry, parts, sentences: said, .. } = parsed;
        // What the engine puts where an answer is missing was said by nobody.
        if self.noise == Noise::LeftOut && entry.text == ACKNOWLEDGEMENT {
            return;
        }
        let is_json = |text: &str| text.trim_start().starts_with(['{', '[']);
        let before = self.pieces.len();
        // A message either is a result or has none.
        match parts.as_slice() {
            [Part::Result(text)] => {
                let found = sentences(std::iter::once(*text));
                self.add(&entry.speaker, &found, is_json(text));
            }
            _ => self.add(&entry.speaker, said, false),
        }
        self.retain_new(before);
    }

    /// Ends the reading: leaves out what the state has, what tools say again and again, all but the latest of what a long text
    /// says again and again with other numbers, and the items of lists that are there again later, done or not. The numbers are
    /// those of the first and of the last message. About linear in the number of pieces.
    pub(super) fn finish(&mut self, state: &str, (first, last): (u32, u32)) {
        self.has_model = self.speakers.iter().any(|speaker| speaker.starts_with("assistant"));
        // If the numbers begin at 1, they do not say how many messages the summary stands for. Half is a guess
        // that loses neither of both.
        self.old_share = match first {
            0 | 1 => 0.5,
            _ => f64::from(first - 1) / f64::from(last.max(first)),
        };
        let stated = SortedSet::from_iter(state.lines().flat_map(stated_sentences));
        let old = std::mem::take(&mut self.old);
        let length: usize = self.pieces.iter().map(|piece| piece.text.len()).sum();
        let most = if length < LONG { u32::MAX } else { MOST_OF_FORM };
        for (at, mut piece) in std::mem::take(&mut self.pieces).into_iter().enumerate() {
            let mut is_old = false;
            if let Some(form) = piece.form.and_then(|form| self.forms.get_mut(&form)) {
                piece.is_repeated = form.times >= BOILERPLATE;
                form.pieces = form.pieces.saturating_sub(1);
                is_old = form.pieces >= most;
            }
            let is_noise = self.noise == Noise::LeftOut
                && (is_old || (piece.is_repeated && self.role(&piece) == "tool"));
            let is_stated = (piece.is_record && !state.is_empty()) || stated.contains(&*piece.text);
            let latest = boxed(&piece.text).and_then(|item| self.items.get(&hash(item.bytes(), 0)));
            if !is_noise && !is_stated && latest.is_none_or(|latest| *latest == at) {
                self.old += usize::from(at < old);
                self.pieces.push(piece);
            }
        }
    }

    /// True if it is known how early each quote of the previous summary is selected.
    pub(super) fn has_shares(&self) -> bool {
        self.pieces.first().is_some_and(|piece| piece.share.is_some())
    }

    /// The number of quotes in an extract, without its state.
    pub(super) fn quotes(extract: &str) -> usize {
        let mut source = Pieces::default();
        source.add_quotes(extract);
        source.pieces.len()
    }

    /// Adds the quotes of an earlier extract, without its state, or the sentences of any other summary.
    fn add_quotes(&mut self, earlier: &str) {
        let mut labels = Labels::default();
        let mut before = UNKNOWN.to_owned();
        // Facts that were appended to the summary will be again, as far as this one lacks them.
        for line in earlier.lines().take_while(|line| *line != LEDGER && *line != LISTS) {
            if let Some(read) = Labels::parse(line) {
                labels = read;
                continue;
            }
            let (speaker, quoted) = labels.split(line, &before);
            self.add(&speaker, &sentences(std::iter::once(quoted)), false);
            before = speaker;
        }
    }

    /// Adds the pieces of sentences.
    fn add(&mut self, name: &str, sentences: &[&str], is_record: bool) {
        let message = self.speakers.len();
        let before = self.pieces.len();
        for sentence in sentences {
            self.place += 1;
            for clause in clauses(sentence) {
                self.place += 1;
                let text = cleaned(clause);
                let is_noise = self.noise == Noise::LeftOut && is_noise(&text);
                if !text.is_empty() && !is_noise {
                    let (place, text) = (self.place, text.into());
                    let (share, form, is_repeated) = (None, None, false);
                    self.pieces.push(Piece {
                        message,
                        place,
                        text,
                        share,
                        is_repeated,
                        form,
                        is_record,
                    });
                }
            }
        }
        if self.pieces.len() > before {
            self.speakers.push(speaker(name));
        }
    }

    /// Removes the pieces from this one on that their speakers have said before, and notes what must be known of the others when
    /// all is read.
    fn retain_new(&mut self, from: usize) {
        let mut own = None;
        for mut piece in self.pieces.split_off(from) {
            let of_message = |&(message, ..): &(usize, bool, u64)| message == piece.message;
            let (_, is_tool, name) = own.filter(of_message).unwrap_or_else(|| {
                let name = self.speaker(&piece).bytes();
                (piece.message, self.role(&piece) == "tool", hash(name, 0))
            });
            own = Some((piece.message, is_tool, name));
            let kind = u64::from(piece.is_record);
            if is_tool || piece.text.bytes().any(|byte| byte.is_ascii_digit()) {
                let form = hash(without_numbers(&piece.text), kind);
                self.forms.entry(form).or_default().times += 1;
                piece.form = Some(form);
            }
            // Of the items of lists, the latest stays and not the first.
            let item = boxed(&piece.text).map(|item| hash(item.bytes(), 0));
            match item {
                Some(item) => drop(self.items.insert(item, self.pieces.len())),
                None if self.said.insert(hash(piece.text.bytes(), name ^ kind)) => {}
                None => continue,
            }
            if let Some(form) = piece.form.and_then(|form| self.forms.get_mut(&form)) {
                form.pieces += 1;
            }
            self.pieces.push(piece);
        }
    }

    pub(super) fn speaker(&self, piece: &Piece) -> &str {
        self.speakers.get(piece.message).map_or("", String::as_str)
    }

    pub(super) fn role(&self, piece: &Piece) -> &str {
        self.speaker(piece).split(' ').next().unwrap_or_default()
    }
}

impl Piece {
    /// True for the next clause of the same sentence.
    pub(super) fn continues(&self, before: &Self) -> bool {
        self.place == before.place + 1
    }
}

/// How often something has to be said, with other numbers at most, for it to say little; of a tool, to say nothing.
const BOILERPLATE: u32 = 3;
/// Of what a long text says more often than this with other numbers, such as the lines of a log, only the latest may be quoted. To
/// rank all would be half of the time that such a text takes.
const MOST_OF_FORM: u32 = 32;
/// The bytes of a long text: no summary quotes a large part of so many.
const LONG: usize = 500_000;

/// A hash of a text. If two were the same, one of them would not be quoted.
fn hash(text: impl Iterator<Item = u8>, seed: u64) -> u64 {
    text.fold(hash_with(SEED, seed), |hash, byte| hash_with(hash, byte.into()))
}

/// The bytes of a text with a zero for each number.
fn without_numbers(text: &str) -> impl Iterator<Item = u8> {
    let mut in_number = false;
    text.bytes().filter_map(move |byte| {
        let before = std::mem::replace(&mut in_number, byte.is_ascii_digit());
        match (before, in_number) {
            (true, true) => None,
            (false, true) => Some(b'0'),
            _ => Some(byte),
        }
    })
}

/// The shortest clause that is a piece of its own, in characters.
const SHORTEST_CLAUSE: usize = 6;

/// The clauses of a sentence in Chinese, where a sentence often has several facts; otherwise the sentence. If several of
/// these clauses in a row are divided again, the result is the same.
fn clauses(sentence: &str) -> impl Iterator<Item = &str> {
    let mut rest = sentence;
    std::iter::from_fn(move || {
        let mut end = 0;
        for part in rest.split_inclusive(COMMA) {
            end += part.len();
            let (clause, after) = rest.split_at_checked(end)?;
            if clause.chars().nth(SHORTEST_CLAUSE).is_some() {
                rest = after;
                return Some(clause);
            }
        }
        Some(std::mem::take(&mut rest)).filter(|last| !last.is_empty())
    })
}

/// The comma of Chinese.
const COMMA: char = '，';

/// The sentences in a line of a state, behind its mark and its number.
fn stated_sentences(line: &str) -> Vec<&str> {
    let text = line.strip_prefix("- ").unwrap_or(line);
    let numbered = text.strip_prefix('[').and_then(|text| text.split_once("] "));
    let sentences = sentence::split(numbered.map_or(text, |(_, text)| text));
    sentences.into_iter().flat_map(clauses).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::message::Entry;

    #[test]
    fn d10_an_item_that_is_done_later_is_not_quoted_as_open() {
        let said = |number, text: &str| Entry {
            number,
            speaker: "assistant".to_owned(),
            time: None,
            text: text.to_owned(),
        };
        let mut source = Pieces::default();
        source.read(&ParsedEntry::of(&said(1, "- [ ] ship it\n- [ ] test it")));
        source.read(&ParsedEntry::of(&said(2, "- [x] ship it")));
        source.finish("", (1, 2));
        let texts: Vec<&str> = source.pieces.iter().map(|piece| piece.text.as_ref()).collect();
        assert_eq!(texts, ["- [ ] test it", "- [x] ship it"]);
    }

    #[test]
    fn d10_of_many_lines_with_other_numbers_only_the_latest_are_quoted() {
        let read = |lines: std::ops::Range<usize>| {
            let text: String = lines.map(|line| format!("- [ ] water bed {line}\n")).collect();
            let speaker = "assistant".to_owned();
            let mut source = Pieces::default();
            source.read(&ParsedEntry::of(&Entry { number: 1, speaker, time: None, text }));
            source.finish("", (1, 1));
            source.pieces.into_iter().map(|piece| piece.text.into_string()).collect::<Vec<_>>()
        };
        // Lines of 21 bytes.
        let lines = LONG.div_ceil(21);
        let latest = read(10_000..10_000 + lines);
        assert_eq!(latest.len(), MOST_OF_FORM as usize);
        assert_eq!(*latest.last().unwrap(), format!("- [ ] water bed {}", 9_999 + lines));
        assert_eq!(read(10_000..9_999 + lines).len(), lines - 1, "all, of a shorter text");
    }

    #[test]
    fn d10_clauses_that_follow_each_other_are_the_same_clauses_again() {
        let sentence = "推荐您去这家酒店，地址是北京路11号，好，电话是82291133。";
        let all: Vec<&str> = clauses(sentence).collect();
        assert_eq!(all.concat(), sentence);
        assert_eq!(all.len(), 3);
        for (from, to) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)] {
            let some = all.get(from..to).unwrap_or_default();
            assert_eq!(clauses(&some.concat()).collect::<Vec<_>>(), some);
        }
    }
}
