//! A part of a conversation from which one selection is made: its pieces with their tokens, terms and weights.

use std::ops::Range;

use super::notes::Context;
use super::pieces::Pieces;
use super::term::{self, Term};
use crate::state::cue;
use epitome::tokens::Tokenizer;
use epitome_text::letters::{is_alphanumeric, is_unspaced};
use epitome_text::stop_words::StopWords;

/// The weight of an identifier compared with a word that is as rare.
const IDENTIFIER_FACTOR: f64 = 4.0;
/// The factor of a question that is asked in a conversation with a model: the answer says more.
const QUESTION_FACTOR: f32 = 0.75;
/// The factor of what a model announces: what it has done then says more.
const PROMISE_FACTOR: f32 = 0.5;
/// The factor of terms in tool results: they are long, and the tool can be called again.
const TOOL_FACTOR: f32 = 0.5;

/// The factor of what is said again and again, with other numbers at most.
const REPEATED_FACTOR: f32 = 0.5;

/// What a piece costs besides its tokens.
const OVERHEAD: u32 = 6;
/// The same in a script without spaces, in which few tokens are a clause.
const UNSPACED_OVERHEAD: u32 = 2;

/// A piece that can be selected.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Its index among all pieces.
    pub(super) index: usize,
    pub(super) tokens: u32,
    /// What it costs to select it: its tokens and a few more, so that pieces of one or two words are not preferred. Who said
    /// it is not counted: long names must not steer the choice.
    pub(super) cost: u32,
    /// The indices of its terms in the block.
    pub(super) terms: Vec<u32>,
    /// The factor of its terms, from 0 to 1.
    pub(super) factor: f32,
}

/// Pieces that are weighed against each other.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) candidates: Vec<Candidate>,
    /// The weight of each term.
    pub(super) weights: Vec<f32>,
}

impl Block {
    /// The block of a range of pieces. Sorts the terms once, and counts each piece once.
    pub(super) fn new(
        source: &Pieces,
        range: Range<usize>,
        context: &Context,
        stop_words: &StopWords,
        tokenizer: &dyn Tokenizer,
    ) -> Self {
        let start = range.start;
        let pieces = source.pieces.get(range).unwrap_or_default();
        let new = pieces.iter().filter(|piece| piece.share.is_none()).count();
        let (mut found, mut behind): (Vec<(Term, u32)>, _) = (Vec::new(), Vec::new());
        let mut terms: Vec<Vec<u32>> = Vec::with_capacity(pieces.len());
        for (index, piece) in (0_u32..).zip(pieces) {
            let before = found.len();
            term::for_each(&piece.text, stop_words, |term| found.push((term, index)));
            term::for_each_identifier(&piece.text, |identifier, word| {
                found.push((identifier, index));
                behind.push((word, identifier));
            });
            terms.push(Vec::with_capacity(found.len() - before));
        }
        found.sort_unstable();
        let series = series(behind, &found);
        let mut first_found = 0;
        let mut weights = Vec::new();
        let mut rarity = Rarity { pieces: new as f64 + f64::from(context.pieces), last: None };
        for (id, same) in (0_u32..).zip(found.chunk_by(|(a, _), (b, _)| a == b)) {
            let first = u32::try_from(pieces.len() - new).unwrap_or(0);
            let series = series.get(first_found).copied().unwrap_or_default();
            first_found += same.len();
            weights.push(weight(same, context, &mut rarity, first) * series_factor(series));
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
        let candidates = pieces.iter().zip(terms).enumerate().map(|(at, (piece, terms))| {
            let mut factor = letters(&piece.text);
            if source.role(piece) == "tool" {
                factor *= TOOL_FACTOR;
            }
            if piece.is_repeated {
                factor *= REPEATED_FACTOR;
            }
            if source.role(piece) == "assistant" && cue::promises(&piece.text) {
                factor *= PROMISE_FACTOR;
            }
            if source.has_model && piece.text.ends_with(['?', '？', '؟']) {
                factor *= QUESTION_FACTOR;
            }
            let tokens = tokenizer.count(&piece.text);
            let unspaced = !piece.text.is_ascii() && piece.text.contains(is_unspaced);
            let overhead = if unspaced { UNSPACED_OVERHEAD } else { OVERHEAD };
            let cost = tokens.saturating_add(overhead);
            Candidate { index: start + at, tokens, cost, terms, factor }
        });
        let candidates: Vec<Candidate> = candidates.collect();
        Self { candidates, weights }
    }

    /// The tokens of the pieces from this index on.
    pub(super) fn tokens_from(&self, index: usize) -> u64 {
        let from = self.candidates.iter().filter(|candidate| candidate.index >= index);
        from.map(|candidate| u64::from(candidate.tokens)).sum()
    }
}

/// The weight of a term, from all its occurrences in a block and in the pieces before. Those from `first` on are new.
fn weight(same: &[(Term, u32)], context: &Context, rarity: &mut Rarity, first: u32) -> f32 {
    let before = same.first().map_or(0.0, |(term, _)| context.count(*term));
    let fresh = same.iter().filter(|(_, index)| *index >= first);
    // The occurrences in one piece follow each other.
    let (mut often, mut within, mut last) = (0_u32, 0_u32, None);
    for (_, index) in fresh {
        often += 1;
        within += u32::from(last != Some(*index));
        last = Some(*index);
    }
    let [often, within] = [often, within].map(|count| f64::from(count) + f64::from(before));
    let is_identifier = same.first().is_some_and(|(term, _)| term.is_identifier());
    let factor = if is_identifier { IDENTIFIER_FACTOR } else { 1.0 };
    (factor * rarity.of(within) * often.sqrt()) as f32
}

/// How rare a term is that is in so many of the pieces.
struct Rarity {
    pieces: f64,
    /// The last number of pieces, and what it came to: most terms are in one piece only, and so many roots take time.
    last: Option<(f64, f64)>,
}

impl Rarity {
    fn of(&mut self, within: f64) -> f64 {
        if let Some((_, rarity)) = self.last.filter(|(last, _)| last.to_bits() == within.to_bits())
        {
            return rarity;
        }
        let rare = logarithm((self.pieces / within.max(1.0)).max(1.0));
        // The 0.75th power, by square roots only for the same reason as in `logarithm`.
        let rarity = rare.sqrt() * rare.sqrt().sqrt();
        self.last = Some((within, rarity));
        rarity
    }
}

/// The identifiers up to which each of a series counts whole.
const SHORT_SERIES: f32 = 4.0;

/// For each occurrence of a term in `found`, which is sorted: at its first one the identifiers in the longest series of it, and
/// 0 elsewhere. What is numbered through, such as rounds or pages, identifies little. `behind` are the words before identifiers.
fn series(mut behind: Vec<(Term, Term)>, found: &[(Term, u32)]) -> Vec<u32> {
    behind.sort_unstable();
    behind.dedup();
    let mut sizes = vec![0; found.len()];
    for series in behind.chunk_by(|(a, _), (b, _)| a == b) {
        for (_, identifier) in series {
            let first = found.partition_point(|(term, _)| term < identifier);
            if let Some(size) = sizes.get_mut(first) {
                *size = (*size).max(u32::try_from(series.len()).unwrap_or(u32::MAX));
            }
        }
    }
    sizes
}

/// The factor of a term in a series of this many.
fn series_factor(size: u32) -> f32 {
    (SHORT_SERIES / (size as f32).max(SHORT_SERIES)).sqrt()
}

/// The natural logarithm, by square roots only: unlike `ln`, they give the same bits on every machine, and so the same
/// extract.
fn logarithm(value: f64) -> f64 {
    let root = (0..10).fold(value, |root, _| root.sqrt());
    (root - 1.0) * 1024.0
}

/// The share of letters and digits: near 1 in prose, and lower in code and markup.
fn letters(text: &str) -> f32 {
    let (letters, blanks, all) = match text.is_ascii() {
        true => {
            let letters = text.bytes().filter(u8::is_ascii_alphanumeric).count();
            (
                letters,
                text.bytes().filter(|byte| matches!(byte, b'\t'..=b'\r' | b' ')).count(),
                text.len(),
            )
        }
        false => text.chars().fold((0, 0, 0), |(letters, blanks, all), character| {
            let letter = usize::from(is_alphanumeric(character));
            (letters + letter, blanks + usize::from(character.is_whitespace()), all + 1)
        }),
    };
    letters as f32 / (all - blanks).max(1) as f32
}
