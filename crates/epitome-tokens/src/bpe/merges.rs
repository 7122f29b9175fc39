//! Which two tokens merge into which, by rank: what a vocabulary can be counted by as soon as it is read.

use super::halves::Halves;
use super::vocabulary::{BYTES, RANK, RANK_BITS, STRETCH};

/// Slots for every token: more are quicker, fewer are smaller.
const SLOTS_PER_TOKEN: f64 = 1.3;
const EMPTY: u32 = u32::MAX;
/// Bits of the filter for every token, an eighth of which are then set.
const BITS_PER_TOKEN: usize = 8;
/// The rank of no token.
pub(super) const NONE: u32 = u32::MAX;

/// The merges of a vocabulary, by rank.
#[derive(Clone, Debug)]
pub(super) struct Merges {
    /// What each token was merged from; a single byte is its own half.
    halves: Halves,
    /// The ranks of tokens by the hash of their halves, each below some bits of that.
    slots: Vec<u32>,
    /// A bit for every hash that a pair of halves has. Few pairs that are asked for merge at all, and these bits lie
    /// nearer to the processor than the slots.
    filter: Vec<u64>,
    /// Where merges do not come in the order of ranks; empty where they do.
    order: Vec<u32>,
}

impl Merges {
    /// The merges of tokens whose halves are given, single bytes first. Fails with the rank of a token that
    /// is not made of earlier ones.
    pub(super) fn new(halves: Halves) -> Result<Self, u32> {
        let length = (halves.len() as f64 * SLOTS_PER_TOKEN) as usize + 1;
        let slots = vec![EMPTY; length];
        let filter = vec![0_u64; (halves.len() * BITS_PER_TOKEN).div_ceil(64)];
        let mut merges = Self { halves, slots, filter, order: Vec::new() };
        let count = merges.halves.len();
        for first in (BYTES..count).step_by(STRETCH) {
            merges.note(first, count.min(first + STRETCH))?;
        }
        Ok(merges)
    }

    // A function of its own: an engine compiles it well once it was called a few times.
    #[inline(never)]
    fn note(&mut self, first: usize, end: usize) -> Result<(), u32> {
        let Self { halves, slots, filter, .. } = self;
        for rank in first as u32..end as u32 {
            let (left, right) = halves.get(rank);
            if left >= rank || right >= rank {
                return Err(rank);
            }
            let hash = hash(left, right);
            let (word, bit) = filter_bit(hash, filter.len());
            if let Some(bits) = filter.get_mut(word) {
                *bits |= bit;
            }
            let mut at = slot(hash, slots.len());
            loop {
                match slots.get_mut(at) {
                    Some(slot) if *slot == EMPTY => {
                        *slot = tag(hash) | rank;
                        break;
                    }
                    Some(_) => at += 1,
                    None => at = 0,
                }
            }
        }
        Ok(())
    }

    /// What each token was merged from, by rank.
    pub(super) fn halves(&self) -> &Halves {
        &self.halves
    }

    /// Whether a token of a lower rank is always merged before one of a higher rank.
    #[inline]
    pub(super) fn are_in_order_of_ranks(&self) -> bool {
        self.order.is_empty()
    }

    /// The place of a token's merge in the order of merges.
    #[inline]
    pub(super) fn place(&self, rank: u32) -> u32 {
        self.order.get(rank as usize).copied().unwrap_or(rank)
    }

    /// Lets merges come in another order than that of ranks: by rank, the lowest number first. Tokens that no
    /// token of a later merge is part of must be in the same order as before.
    pub(super) fn in_order(mut self, places: Vec<u32>) -> Self {
        let place = |rank: u32| places.get(rank as usize).copied().unwrap_or(u32::MAX);
        let mut late = vec![false; BYTES];
        for rank in BYTES as u32..self.halves.len() as u32 {
            let (left, right) = self.halves.get(rank);
            let is_late = |half: u32| {
                late.get(half as usize).is_none_or(|late| *late)
                    || half >= BYTES as u32 && place(half) > place(rank)
            };
            let is_late = is_late(left) || is_late(right);
            late.push(is_late);
        }
        if late.contains(&true) {
            self.order = places;
        }
        self
    }

    /// What two tokens merge into.
    #[inline]
    pub(super) fn merged(&self, left: u32, right: u32) -> Option<u32> {
        let hash = hash(left, right);
        let (word, bit) = filter_bit(hash, self.filter.len());
        if self.filter.get(word).is_none_or(|bits| bits & bit == 0) {
            return None;
        }
        let mut at = slot(hash, self.slots.len());
        loop {
            match self.slots.get(at) {
                Some(&EMPTY) => return None,
                // Most of those that are something else are not looked at: they are far away in memory.
                Some(&slot)
                    if slot & !RANK == tag(hash)
                        && self.halves.get(slot & RANK) == (left, right) =>
                {
                    return Some(slot & RANK);
                }
                Some(_) => at += 1,
                None => at = 0,
            }
        }
    }
}

/// 32 bits that depend on both tokens.
#[inline]
fn hash(left: u32, right: u32) -> u64 {
    let left = u64::from(left).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let right = u64::from(right).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    left.wrapping_add(right) >> 32
}

/// Where the search for a hash starts in a table of `length` slots.
#[inline]
fn slot(hash: u64, length: usize) -> usize {
    ((hash * length as u64) >> 32) as usize
}

/// The bits of a hash that are kept above a rank.
#[inline]
fn tag(hash: u64) -> u32 {
    (hash as u32) << RANK_BITS
}

/// The bit of a hash in a filter of `length` words.
#[inline]
fn filter_bit(hash: u64, length: usize) -> (usize, u64) {
    (slot(hash, length), 1 << (hash & 63))
}
