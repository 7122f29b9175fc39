//! Which token two tokens merge into, by rank: the table that a vocabulary can count by as soon as it is loaded.

use super::batches::BATCH;
use super::hash::MULTIPLIER;
use super::merge_sources::MergeSources;
use super::rank::{BYTES, RANK_BITS, RANK_MASK};

/// Slots per token: with more the search is faster, with fewer the table is smaller.
const SLOTS_PER_TOKEN: f64 = 1.3;
const EMPTY: u32 = u32::MAX;
/// Bits of the filter per token. An eighth of them are set.
const BITS_PER_TOKEN: usize = 8;

/// The merges of a vocabulary, by rank: a hash table with linear probing.
#[derive(Clone, Debug)]
pub(super) struct Merges {
    sources: MergeSources,
    /// The ranks of tokens by the hash of their sources. The bits above a rank are a tag: bits of that hash.
    slots: Vec<u32>,
    /// One bit for the hash of each pair that merges.
    // Most pairs that are looked up do not merge. The filter is a fifth of the size of the slots, so it stays in a
    // faster cache, and it answers most lookups alone.
    filter: Vec<u64>,
    /// By rank, the position of the merge in the order of merges. Empty if that order is the order of ranks.
    order: Vec<u32>,
}

impl Merges {
    /// The merges of a vocabulary. Fails with the rank of a token whose sources are not two earlier tokens.
    pub(super) fn new(sources: MergeSources) -> Result<Self, u32> {
        let length = (sources.len() as f64 * SLOTS_PER_TOKEN) as usize + 1;
        let slots = vec![EMPTY; length];
        let filter = vec![0_u64; (sources.len() * BITS_PER_TOKEN).div_ceil(64)];
        let mut merges = Self { sources, slots, filter, order: Vec::new() };
        let count = merges.sources.len();
        for first in (BYTES..count).step_by(BATCH) {
            merges.insert(first, count.min(first + BATCH))?;
        }
        Ok(merges)
    }

    /// Adds the tokens of the ranks from `first` to before `end`.
    // Not inlined, and called per batch: a JavaScript engine optimizes a wasm function after it was called a few times.
    #[inline(never)]
    fn insert(&mut self, first: usize, end: usize) -> Result<(), u32> {
        let Self { sources, slots, filter, .. } = self;
        for rank in first as u32..end as u32 {
            let (left, right) = sources.get(rank);
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

    /// The two tokens that each token was merged from.
    pub(super) fn sources(&self) -> &MergeSources {
        &self.sources
    }

    /// Whether a token of a lower rank is always merged before one of a higher rank.
    #[inline]
    pub(super) fn are_in_order_of_ranks(&self) -> bool {
        self.order.is_empty()
    }

    /// The position of a token's merge in the order of merges.
    #[inline]
    pub(super) fn position(&self, rank: u32) -> u32 {
        self.order.get(rank as usize).copied().unwrap_or(rank)
    }

    /// Applies the merges in another order than that of ranks: `positions` has the position of each rank's merge. Among
    /// tokens whose sources are all merged before them, positions must ascend with ranks.
    pub(super) fn in_order(mut self, positions: Vec<u32>) -> Self {
        let position = |rank: u32| positions.get(rank as usize).copied().unwrap_or(u32::MAX);
        let mut late = vec![false; BYTES];
        for rank in BYTES as u32..self.sources.len() as u32 {
            let (left, right) = self.sources.get(rank);
            let is_late = |source: u32| {
                late.get(source as usize).is_none_or(|late| *late)
                    || source >= BYTES as u32 && position(source) > position(rank)
            };
            let is_late = is_late(left) || is_late(right);
            late.push(is_late);
        }
        // Without such a token the order of ranks gives the same result, and the faster tables rely on it.
        if late.contains(&true) {
            self.order = positions;
        }
        self
    }

    /// The rank of the token that two tokens merge into; `None` if they do not merge.
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
                // The tag is compared first: the sources are in another, larger table, and reading them for every slot
                // with another pair would be a cache miss each.
                Some(&slot)
                    if slot & !RANK_MASK == tag(hash)
                        && self.sources.get(slot & RANK_MASK) == (left, right) =>
                {
                    return Some(slot & RANK_MASK);
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
    // Two different multipliers: with one, (left, right) and (right, left) would have the same hash.
    let left = u64::from(left).wrapping_mul(MULTIPLIER);
    let right = u64::from(right).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    left.wrapping_add(right) >> 32
}

/// The slot where the search for a hash starts, in a table of `length` slots.
#[inline]
fn slot(hash: u64, length: usize) -> usize {
    // Scales a number below 2^32 to one below `length`: much cheaper than a remainder.
    ((hash * length as u64) >> 32) as usize
}

/// The bits of a hash that are stored above a rank.
#[inline]
fn tag(hash: u64) -> u32 {
    (hash as u32) << RANK_BITS
}

/// The word and the bit of a hash in a filter of `length` words.
#[inline]
fn filter_bit(hash: u64, length: usize) -> (usize, u64) {
    (slot(hash, length), 1 << (hash & 63))
}
