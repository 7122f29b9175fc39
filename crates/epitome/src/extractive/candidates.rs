//! The pieces that an extract can quote, from the previous summary and the messages, and their weights.

use super::line;
use super::selection::{Candidate, TermWeight};
use super::term::{self, Term};
use crate::text::letters::is_alphanumeric;
use crate::text::sentence;
use crate::tokens::Tokenizer;
use crate::transcript::Envelope;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A word in this share of all pieces, or more, has only [`MIN_WEIGHT`]: it distinguishes none of them.
const COMMON_SHARE: f64 = 0.1;
/// The same limit as a number of pieces, for texts with few pieces.
const MIN_COMMON_PIECES: f64 = 4.0;
/// The least weight of a term, so that every piece is selected if there is space.
const MIN_WEIGHT: f64 = 0.02;
/// The weight of an identifier compared with a word that is as rare. It is doubled if a message that is not of a tool
/// contains it.
const IDENTIFIER_FACTOR: f64 = 5.0;
/// The factor of words in user messages: requests are short, and cannot be found elsewhere.
const USER_FACTOR: f32 = 2.0;
/// The factor of terms in tool results: they are long, and the tool can be called again.
const TOOL_FACTOR: f32 = 0.5;

/// All pieces that can be quoted.
pub(super) struct SourceText<'a> {
    /// The speaker of each line.
    pub(super) lines: Vec<String>,
    pub(super) pieces: Vec<Piece<'a>>,
    /// Number of `pieces` from the previous summary, which are the first ones.
    old: usize,
    /// The share of the conversation that the previous summary stands for, from 0 to 1.
    pub(super) old_share: f64,
}

/// A piece with every run of white space as one space.
pub(super) struct Piece<'a> {
    line: usize,
    pub(super) text: Cow<'a, str>,
}

/// The pieces with their tokens and weights.
pub(super) struct Candidates {
    pub(super) old: Vec<Candidate>,
    pub(super) new: Vec<Candidate>,
    /// The weight of each term.
    pub(super) weights: Vec<TermWeight>,
}

impl<'a> SourceText<'a> {
    pub(super) fn read(envelope: &'a Envelope) -> Self {
        let mut source = Self { lines: Vec::new(), pieces: Vec::new(), old: 0, old_share: 0.0 };
        for text in envelope.previous_summary.lines() {
            let (speaker, quoted) = line::parse(text);
            source.add(speaker, quoted);
        }
        source.old = source.pieces.len();
        for entry in &envelope.entries {
            source.add(&entry.speaker, &entry.text);
        }
        source.remove_repeats();
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

    fn add(&mut self, speaker: &str, text: &'a str) {
        let line = self.lines.len();
        let before = self.pieces.len();
        let pieces = sentence::split(text).into_iter();
        self.pieces.extend(pieces.map(|text| Piece { line, text: collapse(text) }));
        if self.pieces.len() > before {
            self.lines.push(line::speaker(speaker));
        }
    }

    /// Removes pieces that the same speaker has said before.
    fn remove_repeats(&mut self) {
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

    /// Computes the tokens and weights of every piece. Sorts all terms once, and counts each piece once.
    pub(super) fn candidates(&self, tokenizer: &dyn Tokenizer) -> Candidates {
        let mut found: Vec<(Term, u32)> = Vec::new();
        for (index, piece) in (0_u32..).zip(&self.pieces) {
            term::for_each(&piece.text, |term| found.push((term, index)));
        }
        found.sort_unstable();
        let mut weights = Vec::new();
        let mut terms: Vec<Vec<u32>> = vec![Vec::new(); self.pieces.len()];
        for (id, same) in (0_u32..).zip(found.chunk_by(|(a, _), (b, _)| a == b)) {
            weights.push(self.weight(same));
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
        Candidates { old, new, weights }
    }

    fn role(&self, piece: &Piece<'_>) -> &str {
        let speaker = self.lines.get(piece.line).map_or("", String::as_str);
        speaker.split(' ').next().unwrap_or_default()
    }

    /// The weight of a term, from all its occurrences.
    fn weight(&self, same: &[(Term, u32)]) -> TermWeight {
        let all = self.pieces.len() as f64;
        let pieces = same.chunk_by(|(_, a), (_, b)| a == b).count().max(1) as f64;
        let times = same.len() as f64;
        if matches!(same.first(), Some((Term::Identifier(_), _))) {
            let mut occurrences =
                same.iter().filter_map(|&(_, index)| self.pieces.get(index as usize));
            let spoken = occurrences.any(|piece| self.role(piece) != "tool");
            let factor = if spoken { 2.0 * IDENTIFIER_FACTOR } else { IDENTIFIER_FACTOR };
            let weight = factor * logarithm(1.0 + all / pieces) * times;
            return TermWeight { weight: weight as f32, identifier: true };
        }
        let common = (all * COMMON_SHARE).max(MIN_COMMON_PIECES);
        // The 0.75th power of `times`, by square roots only for the same reason as in `logarithm`.
        let weight = logarithm((common / pieces).max(1.0)) * times.sqrt() * times.sqrt().sqrt();
        TermWeight { weight: (MIN_WEIGHT + weight) as f32, identifier: false }
    }

    /// The selected pieces as text, without the last ones if it is too long; and the tokens with all of them.
    pub(super) fn fit(
        &self,
        mut selected: Vec<usize>,
        target: u32,
        tokenizer: &dyn Tokenizer,
    ) -> (String, u32) {
        let mut first = None;
        loop {
            let text = self.render(&selected);
            let tokens = tokenizer.count(&text);
            let full = *first.get_or_insert(tokens);
            if tokens <= target || selected.is_empty() {
                return (text, full);
            }
            let over = (tokens - target) as usize;
            let each = (tokens as usize / selected.len()).max(1);
            // The pieces are in the order of their value, so that the last ones are the smallest loss. Several
            // at once: the tokenizer reads the whole text for each attempt.
            selected.truncate(selected.len().saturating_sub((over / each).max(1)));
            if selected.is_empty() {
                return (String::new(), full);
            }
        }
    }

    fn render(&self, selected: &[usize]) -> String {
        let mut out = String::new();
        let mut before: Option<(&str, &str)> = None;
        for index in selected.iter().copied().collect::<BTreeSet<usize>>() {
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

    /// As much of the first piece as fits, for a target that is too small for every piece.
    pub(super) fn shortest(&self, target: u32, tokenizer: &dyn Tokenizer) -> String {
        let Some(piece) = self.pieces.first() else { return String::new() };
        let name = self.lines.get(piece.line).map_or("", String::as_str);
        // With the full name there may be no token left for the text; the role alone is shorter.
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

/// The natural logarithm, by square roots only: unlike `ln`, they give the same bits on every machine, and so the same
/// extract.
fn logarithm(value: f64) -> f64 {
    let root = (0..10).fold(value, |root, _| root.sqrt());
    (root - 1.0) * 1024.0
}

/// The share of letters and digits: near 1 in prose, and lower in code and markup.
fn letters(text: &str) -> f32 {
    let (mut letters, mut all) = (0_u16, 0_u16);
    for character in text.chars().filter(|character| !character.is_whitespace()) {
        all = all.saturating_add(1);
        letters = letters.saturating_add(u16::from(is_alphanumeric(character)));
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
