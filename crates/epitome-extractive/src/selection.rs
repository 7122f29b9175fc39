//! Selects pieces so that together they contain as many important terms as possible for their tokens.

use std::collections::BinaryHeap;

use super::block::{Block, Candidate};

/// The factor of a term's weight for each selected piece that contains it: a repeated word is worth less.
const DECAY: f32 = 0.4;

/// What a piece is worth without any term, so that all pieces are selected if there is space.
const LEAST: f32 = 0.02;

/// Calls `each` for the pieces of a block, the best first, with the share of `stands_for` tokens from which on each is
/// selected, up to the first one with a share above `most`.
///
/// Greedy: the piece with the most weight per token is next. Scores only fall when pieces are selected, so a score in
/// the heap is computed again only when its piece is on top: O(n log n) if few pieces share terms.
pub(super) fn order(
    block: &Block,
    stands_for: f64,
    most: f32,
    mut each: impl FnMut(&Candidate, f32),
) {
    let mut weights = block.weights.clone();
    let scored = block.candidates.iter().enumerate();
    let mut heap: BinaryHeap<Scored> =
        scored.map(|(at, candidate)| Scored::new(score(candidate, &weights), at)).collect();
    let mut used = 0.0;
    while let Some(top) = heap.pop() {
        let Some(candidate) = block.candidates.get(top.at) else { continue };
        let scored = Scored::new(score(candidate, &weights), top.at);
        if heap.peek().is_some_and(|next| scored.score() < next.score()) {
            heap.push(scored);
            continue;
        }
        let tokens = f64::from(candidate.tokens);
        let share = ((used + tokens / 2.0) / stands_for.max(1.0)) as f32;
        each(candidate, share);
        if share > most {
            return;
        }
        used += tokens;
        for &term in &candidate.terms {
            if let Some(weight) = weights.get_mut(term as usize) {
                *weight *= DECAY;
            }
        }
    }
}

/// Decides between pieces that are equally good, by a pseudo-random number: by their order, pieces at the start would always
/// win.
pub(super) fn spread(index: usize) -> u32 {
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    index.wrapping_add(1).wrapping_mul(0x9E37_79B9)
}

fn score(candidate: &Candidate, weights: &[f32]) -> f32 {
    let of_term = |term: &u32| weights.get(*term as usize).copied().unwrap_or(0.0);
    let gain = candidate.terms.iter().fold(LEAST, |sum, term| sum + of_term(term));
    gain * candidate.factor / candidate.cost as f32
}

/// A piece and its score, ordered by the score and then by [`spread`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Scored {
    /// Both in one number, since a heap compares a lot: the bits of numbers from 0 on are ordered as they are.
    key: u64,
    at: usize,
}

impl Scored {
    fn new(score: f32, at: usize) -> Self {
        Self { key: (u64::from(score.to_bits()) << 32) | u64::from(spread(at)), at }
    }

    /// The bits of the score.
    fn score(self) -> u32 {
        (self.key >> 32) as u32
    }
}
