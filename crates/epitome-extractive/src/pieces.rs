//! The pieces of text that an extract can quote, each with its message and its speaker.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::notes::{Context, Notes};
use crate::state::{Part, parts};
use epitome::facts::{LEDGER, LISTS, boxed};
use epitome::history::ACKNOWLEDGEMENT;
use epitome::transcript::Envelope;
use epitome_text::noise::{is_noise, unnumbered};
use epitome_text::sentence::{self, cleaned};
use epitome_text::speaker::{Labels, UNKNOWN, speaker};

/// Pieces in the order of the conversation.
#[derive(Debug, Default)]
pub(super) struct Pieces<'a> {
    /// The speaker of each message.
    pub(super) speakers: Vec<String>,
    pub(super) pieces: Vec<Piece<'a>>,
    /// Number of `pieces` from the previous summary, which are the first ones.
    pub(super) old: usize,
    /// The terms of the messages before the new ones.
    pub(super) context: Context,
    /// True if a model takes part.
    pub(super) has_model: bool,
    /// The share of the conversation that the previous summary stands for, from 0 to 1.
    pub(super) old_share: f64,
    noise: Noise,
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
pub(super) struct Piece<'a> {
    /// Its message, or its line of the previous summary.
    pub(super) message: usize,
    /// The place of the next clause of the same sentence is one more; that of the next sentence is two more or greater.
    place: usize,
    pub(super) text: Cow<'a, str>,
    /// The share from which on it is selected, if an earlier extract noted it.
    pub(super) share: Option<f32>,
    /// True if it is said again and again, with other numbers at most.
    pub(super) is_repeated: bool,
}

impl<'a> Pieces<'a> {
    pub(super) fn read(
        envelope: &'a Envelope,
        earlier: &'a str,
        state: &str,
        noise: Noise,
    ) -> Self {
        let mut source = Self { noise, ..Self::default() };
        source.add_quotes(earlier);
        source.old = source.pieces.len();
        let notes = Notes::read(&envelope.notes, source.old);
        for (piece, share) in source.pieces.iter_mut().zip(notes.shares) {
            piece.share = Some(share);
        }
        source.context = notes.context;
        for entry in &envelope.entries {
            // What the engine puts where an answer is missing was said by nobody.
            if noise == Noise::LeftOut && entry.text == ACKNOWLEDGEMENT {
                continue;
            }
            let role = entry.speaker.split(' ').next().unwrap_or_default();
            let is_json = |text: &str| text.trim_start().starts_with(['{', '[']);
            let parts = parts(entry, role).into_iter().filter_map(|part| match part {
                Part::Said(text) => Some(text),
                // The state has what calls and records are about.
                Part::Result(text) => (state.is_empty() || !is_json(text)).then_some(text),
                Part::Call { .. } => None,
            });
            source.add(&entry.speaker, parts);
        }
        let is_model = |speaker: &String| speaker.starts_with("assistant");
        source.has_model = source.speakers.iter().any(is_model);
        source.remove_repeats(state);
        let first = envelope.entries.first().map_or(0, |entry| entry.number);
        let last = envelope.entries.iter().map(|entry| entry.number).max().unwrap_or(0);
        // If the numbers begin at 1, they do not say how many messages the summary stands for. Half is a guess
        // that loses neither of both.
        source.old_share = match first {
            0 | 1 => 0.5,
            _ => f64::from(first - 1) / f64::from(last.max(first)),
        };
        source
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
    fn add_quotes(&mut self, earlier: &'a str) {
        let mut labels = Labels::default();
        let mut before = UNKNOWN.to_owned();
        // Facts that were appended to the summary will be again, as far as this one lacks them.
        for line in earlier.lines().take_while(|line| *line != LEDGER && *line != LISTS) {
            if let Some(read) = Labels::parse(line) {
                labels = read;
                continue;
            }
            let (speaker, quoted) = labels.split(line, &before);
            self.add(&speaker, std::iter::once(quoted));
            before = speaker;
        }
    }

    fn add(&mut self, name: &str, texts: impl Iterator<Item = &'a str>) {
        let message = self.speakers.len();
        let before = self.pieces.len();
        let mut place = self.pieces.last().map_or(0, |piece| piece.place);
        for sentence in unnumbered(texts).flat_map(sentence::split) {
            place += 1;
            for clause in clauses(sentence) {
                place += 1;
                let text = cleaned(clause);
                let is_noise = self.noise == Noise::LeftOut && is_noise(&text);
                if !text.is_empty() && !is_noise {
                    self.pieces.push(Piece {
                        message,
                        place,
                        text,
                        share: None,
                        is_repeated: false,
                    });
                }
            }
        }
        if self.pieces.len() > before {
            self.speakers.push(speaker(name));
        }
    }

    /// Removes pieces that the same speaker has said before, those that the state has, and the items of lists that are there again
    /// later, done or not.
    fn remove_repeats(&mut self, state: &str) {
        let mut seen = BTreeSet::new();
        let stated: BTreeSet<&str> = state.lines().flat_map(stated_sentences).collect();
        let repeated = self.boilerplate();
        for (piece, repeated) in self.pieces.iter_mut().zip(&repeated) {
            piece.is_repeated = *repeated;
        }
        let mut listed = BTreeSet::new();
        let latest = self.pieces.iter().rev();
        let mut latest: Vec<bool> =
            latest.map(|piece| boxed(&piece.text).is_none_or(|item| listed.insert(item))).collect();
        latest.reverse();
        let fresh: Vec<bool> = self
            .pieces
            .iter()
            .zip(repeated)
            .zip(latest)
            .map(|((piece, repeated), is_latest)| {
                is_latest
                    && !(repeated && self.noise == Noise::LeftOut && self.role(piece) == "tool")
                    && seen.insert((self.speakers.get(piece.message), &piece.text))
                    && !stated.contains(piece.text.as_ref())
            })
            .collect();
        self.old = fresh.iter().take(self.old).filter(|&&fresh| fresh).count();
        let mut fresh = fresh.into_iter();
        self.pieces.retain(|_| fresh.next().unwrap_or(true));
    }

    /// Which pieces are said again and again, with other numbers at most.
    fn boilerplate(&self) -> Vec<bool> {
        let form = |piece: &Piece<'_>| {
            let may_repeat =
                self.role(piece) == "tool" || piece.text.bytes().any(|byte| byte.is_ascii_digit());
            may_repeat.then(|| without_numbers(&piece.text))
        };
        let forms: Vec<Option<String>> = self.pieces.iter().map(form).collect();
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for form in forms.iter().flatten() {
            *counts.entry(form).or_default() += 1;
        }
        let is_repeated = |form: &Option<String>| {
            let count = form.as_ref().and_then(|form| counts.get(form.as_str()));
            count.is_some_and(|count| *count >= BOILERPLATE)
        };
        forms.iter().map(is_repeated).collect()
    }

    pub(super) fn speaker(&self, piece: &Piece<'_>) -> &str {
        self.speakers.get(piece.message).map_or("", String::as_str)
    }

    pub(super) fn role(&self, piece: &Piece<'_>) -> &str {
        self.speaker(piece).split(' ').next().unwrap_or_default()
    }
}

impl Piece<'_> {
    /// True for the next clause of the same sentence.
    pub(super) fn continues(&self, before: &Self) -> bool {
        self.place == before.place + 1
    }
}

/// How often something has to be said, with other numbers at most, for it to say little; of a tool, to say nothing.
const BOILERPLATE: u32 = 3;

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

    use epitome::message::Entry;

    #[test]
    fn d10_an_item_that_is_done_later_is_not_quoted_as_open() {
        let said = |number, text: &str| Entry {
            number,
            speaker: "assistant".to_owned(),
            time: None,
            text: text.to_owned(),
        };
        let entries = vec![said(1, "- [ ] ship it\n- [ ] test it"), said(2, "- [x] ship it")];
        let envelope = Envelope { entries, ..Envelope::default() };
        let pieces = Pieces::read(&envelope, "", "", Noise::LeftOut).pieces;
        let texts: Vec<&str> = pieces.iter().map(|piece| piece.text.as_ref()).collect();
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
