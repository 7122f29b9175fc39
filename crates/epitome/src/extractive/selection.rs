//! Selects pieces so that together they contain as many important terms as possible for their tokens.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The factor of a word's weight for each selected piece that contains it: a repeated word is worth less.
const WORD_DECAY: f32 = 0.35;
/// The same factor for an identifier.
const IDENTIFIER_DECAY: f32 = 0.1;

/// A piece that can be selected.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Its index among all pieces.
    pub(super) index: usize,
    /// Its line. The first piece of a line also costs the tokens of the line's head.
    pub(super) line: usize,
    pub(super) tokens: u32,
    pub(super) head_tokens: u32,
    pub(super) terms: Vec<u32>,
    /// The factor of its words, from 0 to 2.
    pub(super) word_factor: f32,
    /// The factor of its identifiers, from 0 to 1.
    pub(super) identifier_factor: f32,
}

/// The weight of a word or an identifier.
#[derive(Clone, Copy, Debug)]
pub(super) struct TermWeight {
    pub(super) weight: f32,
    pub(super) identifier: bool,
}

/// The pieces selected so far, and the weights that are left of their terms.
#[derive(Debug)]
pub(super) struct Selection<'a> {
    weights: &'a [TermWeight],
    left: Vec<f32>,
    opened: Vec<bool>,
    /// Indices of the selected pieces, best first, for each call of [`Self::select`].
    selected: Vec<Vec<usize>>,
}

impl<'a> Selection<'a> {
    pub(super) fn new(weights: &'a [TermWeight], lines: usize) -> Self {
        let left = weights.iter().map(|term| term.weight).collect();
        Self { weights, left, opened: vec![false; lines], selected: Vec::new() }
    }

    /// Selects from `candidates` as long as they fit `budget`, and returns the tokens that are left.
    ///
    /// Greedy: the piece with the most weight per token is next. Scores only fall when pieces are selected, so a score in
    /// the heap is computed again only when its piece is on top: O(n log n) if few pieces share terms.
    pub(super) fn select(&mut self, candidates: &[Candidate], budget: u32) -> u32 {
        self.selected.push(Vec::new());
        let mut heap: BinaryHeap<Scored> = candidates
            .iter()
            .enumerate()
            .map(|(at, candidate)| Scored { score: self.score(candidate), at })
            .collect();
        let mut left = budget;
        while let Some(top) = heap.pop() {
            let Some(candidate) = candidates.get(top.at) else { continue };
            let cost = self.cost(candidate);
            if cost > left {
                continue;
            }
            let score = self.score(candidate);
            if heap.peek().is_some_and(|next| score < next.score) {
                heap.push(Scored { score, at: top.at });
                continue;
            }
            if score <= 0.0 {
                break;
            }
            left -= cost;
            self.add(candidate);
        }
        left
    }

    /// The indices of all selected pieces, in an order in which removing the last ones takes the same share from each
    /// call of [`Self::select`].
    pub(super) fn into_selected(self) -> Vec<usize> {
        let mut ranked = Vec::new();
        for selected in &self.selected {
            let all = selected.len().max(1) as u64;
            ranked
                // A fraction with 32 binary digits. As an integer it can be sorted, and it is the same on every
                // machine.
                .extend((0_u64..).zip(selected).map(|(rank, &index)| ((rank << 32) / all, index)));
        }
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, index)| index).collect()
    }

    fn cost(&self, candidate: &Candidate) -> u32 {
        let opened = self.opened.get(candidate.line).copied().unwrap_or(false);
        candidate.tokens.saturating_add(if opened { 1 } else { candidate.head_tokens })
    }

    fn score(&self, candidate: &Candidate) -> f32 {
        let (mut words, mut identifiers) = (0.0, 0.0);
        for &term in &candidate.terms {
            let left = self.left.get(term as usize).copied().unwrap_or(0.0);
            match self.weights.get(term as usize) {
                Some(term) if term.identifier => identifiers += left,
                _ => words += left,
            }
        }
        let gain = words * candidate.word_factor + identifiers * candidate.identifier_factor;
        gain / self.cost(candidate).max(1) as f32
    }

    fn add(&mut self, candidate: &Candidate) {
        if let Some(selected) = self.selected.last_mut() {
            selected.push(candidate.index);
        }
        if let Some(opened) = self.opened.get_mut(candidate.line) {
            *opened = true;
        }
        for &term in &candidate.terms {
            let identifier = self.weights.get(term as usize).is_some_and(|term| term.identifier);
            if let Some(left) = self.left.get_mut(term as usize) {
                *left *= if identifier { IDENTIFIER_DECAY } else { WORD_DECAY };
            }
        }
    }
}

struct Scored {
    score: f32,
    at: usize,
}

impl Scored {
    /// A pseudo-random number for equal scores: by their order, pieces at the start would always win.
    fn spread(&self) -> u32 {
        let at = u32::try_from(self.at).unwrap_or(u32::MAX);
        at.wrapping_add(1).wrapping_mul(0x9E37_79B9)
    }
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| self.spread().cmp(&other.spread()))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Scored {}
