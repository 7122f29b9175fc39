//! The pieces of text that an extract can quote, each with its message and its speaker.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher as _};

use super::notes::{Context, Notes};
use crate::state::{Part, parts};
use epitome::facts::{LEDGER, LISTS, boxed};
use epitome::history::ACKNOWLEDGEMENT;
use epitome::message::Entry;
use epitome_text::noise::{is_noise, unnumbered};
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
    /// How often something was said with any numbers, by its hash.
    forms: HashMap<u64, u32, Hashes>,
    /// The hashes of all that was said, with its speaker.
    said: HashSet<u64, Hashes>,
    /// The latest piece with an item of a list, by the hash of the item.
    items: HashMap<u64, usize, Hashes>,
}

/// The same in each run. Nothing depends on the order in a map.
type Hashes = BuildHasherDefault<DefaultHasher>;

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
    pub(super) fn read(&mut self, entry: &Entry) {
        // What the engine puts where an answer is missing was said by nobody.
        if self.noise == Noise::LeftOut && entry.text == ACKNOWLEDGEMENT {
            return;
        }
        let role = entry.speaker.split(' ').next().unwrap_or_default();
        let parts = parts(entry, role);
        let is_json = |text: &str| text.trim_start().starts_with(['{', '[']);
        let is_record =
            parts.iter().any(|part| matches!(part, Part::Result(text) if is_json(text)));
        let texts = parts.into_iter().filter_map(|part| match part {
            Part::Said(text) | Part::Result(text) => Some(text),
            Part::Call { .. } => None,
        });
        let before = self.pieces.len();
        self.add(&entry.speaker, texts, is_record);
        self.retain_new(before);
    }

    /// Ends the reading: leaves out what the state has, what tools say again and again, and the items of lists that are there
    /// again later, done or not. The numbers are those of the first and of the last message. About linear in the number of
    /// pieces.
    pub(super) fn finish(&mut self, state: &str, (first, last): (u32, u32)) {
        self.has_model = self.speakers.iter().any(|speaker| speaker.starts_with("assistant"));
        // If the numbers begin at 1, they do not say how many messages the summary stands for. Half is a guess
        // that loses neither of both.
        self.old_share = match first {
            0 | 1 => 0.5,
            _ => f64::from(first - 1) / f64::from(last.max(first)),
        };
        let stated: BTreeSet<&str> = state.lines().flat_map(stated_sentences).collect();
        let old = std::mem::take(&mut self.old);
        for (at, mut piece) in std::mem::take(&mut self.pieces).into_iter().enumerate() {
            let times = piece.form.and_then(|form| self.forms.get(&form));
            piece.is_repeated = times.is_some_and(|times| *times >= BOILERPLATE);
            let is_noise =
                self.noise == Noise::LeftOut && piece.is_repeated && self.role(&piece) == "tool";
            let is_stated = (piece.is_record && !state.is_empty()) || stated.contains(&*piece.text);
            let latest = boxed(&piece.text).and_then(|item| self.items.get(&hash(item, 0)));
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
            self.add(&speaker, std::iter::once(quoted), false);
            before = speaker;
        }
    }

    fn add<'a>(&mut self, name: &str, texts: impl Iterator<Item = &'a str>, is_record: bool) {
        let message = self.speakers.len();
        let before = self.pieces.len();
        for sentence in unnumbered(texts).flat_map(sentence::split) {
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
        for mut piece in self.pieces.split_off(from) {
            let name = self.speaker(&piece);
            let kind = hash(name, piece.is_record.into());
            if self.role(&piece) == "tool" || piece.text.bytes().any(|byte| byte.is_ascii_digit()) {
                let form = hash(&without_numbers(&piece.text), piece.is_record.into());
                *self.forms.entry(form).or_default() += 1;
                piece.form = Some(form);
            }
            // Of the items of lists, the latest stays and not the first.
            let item = boxed(&piece.text).map(|item| hash(item, 0));
            match item {
                Some(item) => drop(self.items.insert(item, self.pieces.len())),
                None if self.said.insert(hash(&piece.text, kind)) => {}
                None => continue,
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

/// A hash of a text. If two were the same, one of them would not be quoted.
fn hash(text: &str, seed: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u64(seed);
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// The text with a zero for each number.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let digit = character.is_ascii_digit();
        if !digit || !out.ends_with('0') {
            out.push(if digit { '0' } else { character });
        }
    }
    out
}

/// The shortest clause that is a piece of its own, in characters.
const SHORTEST_CLAUSE: usize = 6;

/// The clauses of a sentence in Chinese, where a sentence often has several facts; otherwise the sentence. If several of
/// these clauses in a row are divided again, the result is the same.
fn clauses(sentence: &str) -> Vec<&str> {
    let mut clauses = Vec::new();
    let (mut rest, mut length) = (sentence, 0);
    if !sentence.contains(COMMA) {
        return vec![sentence];
    }
    for part in sentence.split_inclusive(COMMA) {
        length += part.len();
        let Some((clause, after)) = rest.split_at_checked(length) else { break };
        if clause.chars().count() > SHORTEST_CLAUSE {
            clauses.push(clause);
            (rest, length) = (after, 0);
        }
    }
    if !rest.is_empty() {
        clauses.push(rest);
    }
    clauses
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

    #[test]
    fn d10_an_item_that_is_done_later_is_not_quoted_as_open() {
        let said = |number, text: &str| Entry {
            number,
            speaker: "assistant".to_owned(),
            time: None,
            text: text.to_owned(),
        };
        let mut source = Pieces::default();
        source.read(&said(1, "- [ ] ship it\n- [ ] test it"));
        source.read(&said(2, "- [x] ship it"));
        source.finish("", (1, 2));
        let texts: Vec<&str> = source.pieces.iter().map(|piece| piece.text.as_ref()).collect();
        assert_eq!(texts, ["- [ ] test it", "- [x] ship it"]);
    }

    #[test]
    fn d10_clauses_that_follow_each_other_are_the_same_clauses_again() {
        let sentence = "推荐您去这家酒店，地址是北京路11号，好，电话是82291133。";
        let all = clauses(sentence);
        assert_eq!(all.concat(), sentence);
        assert_eq!(all.len(), 3);
        for (from, to) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)] {
            let some = all.get(from..to).unwrap_or_default();
            assert_eq!(clauses(&some.concat()), some);
        }
    }
}
