//! Chooses pieces so that together they name as much as possible for their tokens.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What is left of a word's worth each time a chosen piece has named it.
const DECAY: f32 = 0.35;
/// The same for an identifier.
const IDENTIFIER_DECAY: f32 = 0.1;

/// A piece that can be chosen.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Its place among all pieces.
    pub(super) index: usize,
    /// The line it stands on: the first piece of a line pays for the line's head.
    pub(super) line: usize,
    pub(super) tokens: u32,
    pub(super) head_tokens: u32,
    pub(super) terms: Vec<u32>,
    /// How far its words count, from 0 to 2.
    pub(super) word_factor: f32,
    /// How far its identifiers count, from 0 to 1.
    pub(super) identifier_factor: f32,
}

/// A word or identifier that pieces share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    pub(super) weight: f32,
    pub(super) identifier: bool,
}

/// What was chosen so far, and what that says.
#[derive(Debug)]
pub(super) struct Cover<'a> {
    worth: &'a [Worth],
    left: Vec<f32>,
    opened: Vec<bool>,
    /// Places of the chosen pieces, best first, for each time of choosing.
    chosen: Vec<Vec<usize>>,
}

impl<'a> Cover<'a> {
    pub(super) fn new(worth: &'a [Worth], lines: usize) -> Self {
        let left = worth.iter().map(|worth| worth.weight).collect();
        Self { worth, left, opened: vec![false; lines], chosen: Vec::new() }
    }

    /// Chooses from `candidates` while they fit into `budget`, and returns the tokens that are left.
    ///
    /// Greedy with stale scores: O(n log n) as long as choosing one piece changes few others.
    pub(super) fn choose(&mut self, candidates: &[Candidate], budget: u32) -> u32 {
        self.chosen.push(Vec::new());
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
            self.take(candidate);
        }
        left
    }

    /// The places of all chosen pieces, ordered so that leaving out the last ones takes as large a part
    /// from each time of choosing.
    pub(super) fn into_chosen(self) -> Vec<usize> {
        let mut ranked = Vec::new();
        for chosen in &self.chosen {
            let all = chosen.len().max(1) as u64;
            ranked.extend((0_u64..).zip(chosen).map(|(rank, &index)| ((rank << 32) / all, index)));
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
            match self.worth.get(term as usize) {
                Some(worth) if worth.identifier => identifiers += left,
                _ => words += left,
            }
        }
        let gain = words * candidate.word_factor + identifiers * candidate.identifier_factor;
        gain / self.cost(candidate).max(1) as f32
    }

    fn take(&mut self, candidate: &Candidate) {
        if let Some(chosen) = self.chosen.last_mut() {
            chosen.push(candidate.index);
        }
        if let Some(opened) = self.opened.get_mut(candidate.line) {
            *opened = true;
        }
        for &term in &candidate.terms {
            let identifier = self.worth.get(term as usize).is_some_and(|worth| worth.identifier);
            if let Some(left) = self.left.get_mut(term as usize) {
                *left *= if identifier { IDENTIFIER_DECAY } else { DECAY };
            }
        }
    }
}

struct Scored {
    score: f32,
    at: usize,
}

impl Scored {
    /// Breaks ties all over the conversation: by order they would always favour its start.
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
