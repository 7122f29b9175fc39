//! What an extract can quote: the pieces of the previous summary and of the messages, under their speakers.

use super::cover::{Candidate, Worth};
use super::line;
use super::term::{self, Term};
use crate::text::sentence;
use crate::tokens::Tokenizer;
use crate::transcript::Envelope;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The share of pieces from which on a word says nothing about any of them.
const COMMON_SHARE: f64 = 0.1;
/// The same in pieces, for texts too short to tell common words by their share.
const COMMON_LEAST: f64 = 4.0;
/// What any term is worth, so that with room to spare everything is taken.
const LEAST_WORTH: f64 = 0.02;
/// What an identifier is worth beside a word as rare; twice that if a person or the model spoke of it.
const IDENTIFIER_WORTH: f64 = 5.0;
/// How far the words of a person count: what they ask for is short and cannot be found elsewhere.
const USER_FACTOR: f32 = 2.0;
/// How far the output of a tool counts: it is long, and can be asked for again.
const TOOL_FACTOR: f32 = 0.5;

/// Everything that can be quoted.
pub(super) struct Material<'a> {
    /// The speaker of each line.
    pub(super) lines: Vec<String>,
    pub(super) pieces: Vec<Piece<'a>>,
    /// How many of `pieces` come from the previous summary.
    old: usize,
    /// The part of the conversation that the previous summary stands for, from 0 to 1.
    pub(super) old_share: f64,
}

/// A quotable piece, with every run of white space as one space.
pub(super) struct Piece<'a> {
    line: usize,
    pub(super) text: Cow<'a, str>,
}

/// The same pieces, weighed.
pub(super) struct Candidates {
    pub(super) old: Vec<Candidate>,
    pub(super) new: Vec<Candidate>,
    /// What each term is worth.
    pub(super) worth: Vec<Worth>,
}

impl<'a> Material<'a> {
    pub(super) fn read(envelope: &'a Envelope) -> Self {
        let mut material = Self { lines: Vec::new(), pieces: Vec::new(), old: 0, old_share: 0.0 };
        for text in envelope.previous_summary.lines() {
            let (speaker, said) = line::parse(text);
            material.add(speaker, said);
        }
        material.old = material.pieces.len();
        for entry in &envelope.entries {
            material.add(&entry.speaker, &entry.text);
        }
        material.forget_repeats();
        let first = envelope.entries.first().map_or(0, |entry| entry.number);
        let last = envelope.entries.iter().map(|entry| entry.number).max().unwrap_or(0);
        material.old_share = match first {
            0 | 1 => 0.5,
            _ => f64::from(first - 1) / f64::from(last.max(first)),
        };
        material
    }

    fn add(&mut self, speaker: &str, text: &'a str) {
        let line = self.lines.len();
        let before = self.pieces.len();
        let pieces = sentence::split(text).into_iter();
        self.pieces.extend(pieces.map(|text| Piece { line, text: collapse(text) }));
        if self.pieces.len() > before {
            self.lines.push(line::speaker(speaker));
        }
    }

    /// Leaves out what the same speaker has said before in the same words.
    fn forget_repeats(&mut self) {
        let mut seen = BTreeSet::new();
        let fresh: Vec<bool> = self
            .pieces
            .iter()
            .map(|piece| seen.insert((self.lines.get(piece.line), &piece.text)))
            .collect();
        self.old = fresh.iter().take(self.old).filter(|&&fresh| fresh).count();
        let mut fresh = fresh.into_iter();
        self.pieces.retain(|_| fresh.next().unwrap_or(true));
    }

    /// Weighs every piece. Sorts all terms once; asks the tokenizer for each piece.
    pub(super) fn candidates(&self, tokenizer: &dyn Tokenizer) -> Candidates {
        let mut found: Vec<(Term, u32)> = Vec::new();
        for (index, piece) in (0_u32..).zip(&self.pieces) {
            term::for_each(&piece.text, |term| found.push((term, index)));
        }
        found.sort_unstable();
        let mut worth = Vec::new();
        let mut terms: Vec<Vec<u32>> = vec![Vec::new(); self.pieces.len()];
        for (id, same) in (0_u32..).zip(found.chunk_by(|(a, _), (b, _)| a == b)) {
            worth.push(self.worth(same));
            let mut before = None;
            for &(_, index) in same {
                if before != Some(index)
                    && let Some(terms) = terms.get_mut(index as usize)
                {
                    terms.push(id);
                }
                before = Some(index);
            }
        }
        let heads: Vec<u32> =
            self.lines.iter().map(|speaker| tokenizer.count(speaker).saturating_add(2)).collect();
        let mut new = Vec::with_capacity(self.pieces.len());
        for (index, (piece, terms)) in self.pieces.iter().zip(terms).enumerate() {
            let (word_factor, identifier_factor) = match self.role(piece) {
                "user" => (USER_FACTOR, 1.0),
                "tool" => (TOOL_FACTOR, TOOL_FACTOR),
                _ => (1.0, 1.0),
            };
            new.push(Candidate {
                index,
                line: piece.line,
                tokens: tokenizer.count(&piece.text),
                head_tokens: heads.get(piece.line).copied().unwrap_or(0),
                terms,
                word_factor: word_factor * letters(&piece.text),
                identifier_factor,
            });
        }
        let old = new.drain(..self.old.min(new.len())).collect();
        Candidates { old, new, worth }
    }

    fn role(&self, piece: &Piece<'_>) -> &str {
        let speaker = self.lines.get(piece.line).map_or("", String::as_str);
        speaker.split(' ').next().unwrap_or_default()
    }

    /// What naming a term is worth, from all its places.
    fn worth(&self, same: &[(Term, u32)]) -> Worth {
        let all = self.pieces.len() as f64;
        let pieces = same.chunk_by(|(_, a), (_, b)| a == b).count().max(1) as f64;
        let times = same.len() as f64;
        if matches!(same.first(), Some((Term::Identifier(_), _))) {
            let mut places = same.iter().filter_map(|&(_, index)| self.pieces.get(index as usize));
            let spoken = places.any(|piece| self.role(piece) != "tool");
            let factor = if spoken { 2.0 * IDENTIFIER_WORTH } else { IDENTIFIER_WORTH };
            let weight = factor * logarithm(1.0 + all / pieces) * times;
            return Worth { weight: weight as f32, identifier: true };
        }
        let common = (all * COMMON_SHARE).max(COMMON_LEAST);
        let weight = logarithm((common / pieces).max(1.0)) * times.sqrt() * times.sqrt().sqrt();
        Worth { weight: (LEAST_WORTH + weight) as f32, identifier: false }
    }

    /// The chosen pieces as text, without the last ones as long as it is too long; and the tokens of all.
    pub(super) fn fit(
        &self,
        mut chosen: Vec<usize>,
        target: u32,
        tokenizer: &dyn Tokenizer,
    ) -> (String, u32) {
        let mut first = None;
        loop {
            let text = self.render(&chosen);
            let tokens = tokenizer.count(&text);
            let full = *first.get_or_insert(tokens);
            if tokens <= target || chosen.is_empty() {
                return (text, full);
            }
            let over = (tokens - target) as usize;
            let each = (tokens as usize / chosen.len()).max(1);
            chosen.truncate(chosen.len().saturating_sub((over / each).max(1)));
            if chosen.is_empty() {
                return (String::new(), full);
            }
        }
    }

    fn render(&self, chosen: &[usize]) -> String {
        let mut out = String::new();
        let mut before: Option<(&str, &str)> = None;
        for index in chosen.iter().copied().collect::<BTreeSet<usize>>() {
            let Some(piece) = self.pieces.get(index) else { continue };
            let speaker = self.lines.get(piece.line).map_or("", String::as_str);
            match before.filter(|(same, _)| *same == speaker) {
                Some((_, said)) => line::join(&mut out, said, &piece.text),
                None => line::open(&mut out, speaker, &piece.text),
            }
            before = Some((speaker, &piece.text));
        }
        out
    }

    /// As much of the first piece as fits, when no whole piece does.
    pub(super) fn shortest(&self, target: u32, tokenizer: &dyn Tokenizer) -> String {
        let Some(piece) = self.pieces.first() else { return String::new() };
        let name = self.lines.get(piece.line).map_or("", String::as_str);
        for speaker in [name, name.split(' ').next().unwrap_or_default()] {
            let mut length = piece.text.chars().count();
            while length > 0 {
                let end =
                    piece.text.char_indices().nth(length).map_or(piece.text.len(), |(at, _)| at);
                let mut out = String::new();
                line::open(&mut out, speaker, piece.text.get(..end).unwrap_or_default());
                if tokenizer.count(&out) <= target {
                    return out;
                }
                length /= 2;
            }
        }
        String::new()
    }
}

/// The natural logarithm by square roots alone, as those give the same bits on every machine.
fn logarithm(value: f64) -> f64 {
    let root = (0..10).fold(value, |root, _| root.sqrt());
    (root - 1.0) * 1024.0
}

/// The share of letters and digits: near 1 in prose, lower the more a line is code or markup.
fn letters(text: &str) -> f32 {
    let (mut letters, mut all) = (0_u16, 0_u16);
    for character in text.chars().filter(|character| !character.is_whitespace()) {
        all = all.saturating_add(1);
        letters = letters.saturating_add(u16::from(character.is_alphanumeric()));
    }
    f32::from(letters) / f32::from(all.max(1))
}

/// A text with every run of white space as one space.
fn collapse(text: &str) -> Cow<'_, str> {
    let mut blank = false;
    let tidy = text.chars().all(|character| {
        let before = std::mem::replace(&mut blank, character.is_whitespace());
        !blank || (character == ' ' && !before)
    });
    if tidy {
        Cow::Borrowed(text)
    } else {
        text.split_whitespace().collect::<Vec<_>>().join(" ").into()
    }
}
