//! A summary without a model: the sentences that together say most for their tokens, under their speakers.

mod cover;
mod line;
mod sentence;
mod term;

use super::envelope::Envelope;
use crate::meter::Tokenizer;
use cover::{Candidate, Cover, Worth};
use std::collections::BTreeSet;
use term::Term;

/// Pieces that compete with one another; a longer text is covered block by block.
const BLOCK: usize = 1_500;
/// What an identifier is worth beside a word that is as rare.
const IDENTIFIER_WORTH: f32 = 1.0;

/// Summarizes an envelope by quoting it, in at most `target_tokens` as `tokenizer` counts them.
///
/// Every line is a speaker and what they said, in the order of the conversation: `user alice: …`. Each
/// quoted sentence is a piece of the input with only its white space changed. A previous summary is
/// material like the rest, with a share that grows with the messages behind it, so that an extract of
/// an extract stays one. `state` is not quoted, as it is kept elsewhere.
///
/// Empty only if there is no text or if not even one word of it fits. The same input gives the same
/// output. About n log n in the text, and the tokenizer reads each sentence once and the result a few times.
pub fn extract(envelope: &Envelope, target_tokens: u32, tokenizer: &dyn Tokenizer) -> String {
    let material = Material::read(envelope);
    if target_tokens == 0 || material.pieces.is_empty() {
        return String::new();
    }
    let candidates = material.candidates(tokenizer);
    let worth = candidates.worth;
    let mut budget = target_tokens;
    let mut best = String::new();
    // The price of a line's head is only known when the neighbours are, so the budget is corrected twice.
    for _ in 0..3 {
        let mut cover = Cover::new(&worth, material.lines.len());
        let blocks = Blocks { old: &candidates.old, new: &candidates.new };
        blocks.choose(&mut cover, material.old_share, budget);
        let (text, full_tokens) = material.fit(cover.chosen, target_tokens, tokenizer);
        if text.len() > best.len() {
            best = text;
        }
        if full_tokens == 0 || u64::from(full_tokens) * 100 >= u64::from(target_tokens) * 98 {
            break;
        }
        let scaled = u64::from(budget) * u64::from(target_tokens) / u64::from(full_tokens);
        budget = u32::try_from(scaled).unwrap_or(u32::MAX);
    }
    if best.is_empty() { material.shortest(target_tokens, tokenizer) } else { best }
}

/// Everything that can be quoted.
struct Material<'a> {
    /// The speaker of each line.
    lines: Vec<String>,
    pieces: Vec<Piece<'a>>,
    /// How many of `pieces` come from the previous summary.
    old: usize,
    /// The part of the conversation that the previous summary stands for, from 0 to 1.
    old_share: f64,
}

struct Piece<'a> {
    line: usize,
    text: &'a str,
}

struct Candidates {
    old: Vec<Candidate>,
    new: Vec<Candidate>,
    worth: Vec<Worth>,
}

impl<'a> Material<'a> {
    fn read(envelope: &'a Envelope) -> Self {
        let mut material = Self { lines: Vec::new(), pieces: Vec::new(), old: 0, old_share: 0.0 };
        for text in envelope.previous_summary.lines() {
            let (speaker, said) = line::parse(text);
            material.add(speaker, said);
        }
        material.old = material.pieces.len();
        for entry in &envelope.entries {
            material.add(&entry.speaker, &entry.text);
        }
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
        self.pieces.extend(sentence::split(text).into_iter().map(|text| Piece { line, text }));
        if self.pieces.len() > before {
            self.lines.push(line::speaker(speaker));
        }
    }

    fn candidates(&self, tokenizer: &dyn Tokenizer) -> Candidates {
        let mut found: Vec<(Term, u32)> = Vec::new();
        for (index, piece) in (0_u32..).zip(&self.pieces) {
            term::for_each(piece.text, |term| found.push((term, index)));
        }
        found.sort_unstable();
        let mut worth = Vec::new();
        let mut terms: Vec<Vec<u32>> = vec![Vec::new(); self.pieces.len()];
        for (id, same) in (0_u32..).zip(found.chunk_by(|(a, _), (b, _)| a == b)) {
            let mut pieces = 0_u32;
            for group in same.chunk_by(|(_, a), (_, b)| a == b) {
                let index = group.first().map_or(0, |&(_, index)| index as usize);
                if let Some(terms) = terms.get_mut(index) {
                    terms.push(id);
                }
                pieces += 1;
            }
            let rarity = (self.pieces.len() as f32 / pieces.max(1) as f32).max(1.0).ln();
            let identifier =
                same.first().is_some_and(|(term, _)| matches!(term, Term::Identifier(_)));
            let factor = if identifier { IDENTIFIER_WORTH } else { 1.0 };
            let weight = 0.01 + factor * rarity * (same.len() as f32).sqrt();
            worth.push(Worth { weight, identifier });
        }
        let heads: Vec<u32> =
            self.lines.iter().map(|speaker| tokenizer.count(speaker).saturating_add(2)).collect();
        let mut new: Vec<Candidate> = self
            .pieces
            .iter()
            .zip(terms)
            .enumerate()
            .map(|(index, (piece, terms))| Candidate {
                index,
                line: piece.line,
                tokens: tokenizer.count(piece.text),
                head_tokens: heads.get(piece.line).copied().unwrap_or(0),
                terms,
            })
            .collect();
        let old = new.drain(..self.old.min(new.len())).collect();
        Candidates { old, new, worth }
    }

    /// The chosen pieces as text, without the last ones as long as it is too long; and the tokens of all.
    fn fit(&self, mut chosen: Vec<usize>, target: u32, tokenizer: &dyn Tokenizer) -> (String, u32) {
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
        let mut before: Option<&str> = None;
        for &index in &chosen.iter().copied().collect::<BTreeSet<usize>>() {
            let Some(piece) = self.pieces.get(index) else { continue };
            let speaker = self.lines.get(piece.line).map(String::as_str);
            line::write(&mut out, piece.text, speaker.filter(|_| speaker != before));
            before = speaker;
        }
        out
    }

    /// As much of the first piece as fits, when no whole piece does.
    fn shortest(&self, target: u32, tokenizer: &dyn Tokenizer) -> String {
        let Some(piece) = self.pieces.first() else { return String::new() };
        let name = self.lines.get(piece.line).map_or("", String::as_str);
        for speaker in [name, name.split(' ').next().unwrap_or_default()] {
            let mut length = piece.text.chars().count();
            while length > 0 {
                let end =
                    piece.text.char_indices().nth(length).map_or(piece.text.len(), |(at, _)| at);
                let mut out = String::new();
                line::write(&mut out, piece.text.get(..end).unwrap_or_default(), Some(speaker));
                if tokenizer.count(&out) <= target {
                    return out;
                }
                length /= 2;
            }
        }
        String::new()
    }
}

struct Blocks<'a> {
    old: &'a [Candidate],
    new: &'a [Candidate],
}

impl Blocks<'_> {
    /// Covers the previous summary and then each block of what is new, each with its share of the budget.
    fn choose(&self, cover: &mut Cover<'_>, old_share: f64, budget: u32) {
        let new_tokens: u64 = self.new.iter().map(|candidate| u64::from(candidate.tokens)).sum();
        let share = (f64::from(budget) * old_share) as u32;
        let old_budget =
            share.max(budget.saturating_sub(u32::try_from(new_tokens).unwrap_or(u32::MAX)));
        let old_budget = if self.old.is_empty() { 0 } else { old_budget };
        let mut left = u64::from(budget - old_budget + cover.choose(self.old, old_budget));
        let mut tokens_left = new_tokens.max(1);
        let blocks = self.new.len().div_ceil(BLOCK).max(1);
        for block in self.new.chunks(self.new.len().div_ceil(blocks).max(1)) {
            let tokens: u64 = block.iter().map(|candidate| u64::from(candidate.tokens)).sum();
            let share = left * tokens / tokens_left.max(1);
            let unused = cover.choose(block, u32::try_from(share).unwrap_or(u32::MAX));
            left = left - share + u64::from(unused);
            tokens_left = tokens_left.saturating_sub(tokens);
        }
    }
}
