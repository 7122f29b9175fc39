//! Which token two tokens merge into, by token index: the faster table that the index has.
//!
//! The pairs of one left token are together, and tokens of one script are together (`token_index.rs`), so the lookups
//! of one text touch few cache lines. A lookup always compares the same number of slots, without a branch that depends
//! on what it finds. Whether two tokens merge is nearly random, so a processor would mispredict such a branch often.

use super::batches::in_batches;
use super::merge_sources::MergeSources;
use super::rank::{BYTES, NONE, RANK_BITS, RANK_MASK};

/// Slots that are compared for a pair. With more the table is smaller, with fewer the lookup is faster.
const WINDOW: usize = 4;
/// Slots per pair that are allocated at first. The vocabularies in use need no more.
const SLOTS_PER_PAIR: f64 = 1.47;
/// The most slots per pair of one left token. The vocabularies in use have a few per pair.
const MOST_SLOTS_PER_PAIR: usize = 64;
/// No pair has a right token with all these bits.
const EMPTY: u64 = u64::MAX;

/// The token that two tokens merge into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merged {
    /// [`NONE`] if the two do not merge.
    pub(super) rank: u32,
    /// Any number if the two do not merge.
    pub(super) token_index: u32,
}

/// The merges of a vocabulary, by token index: for each left token a small hash table of its right tokens.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// By the index of a left token, the position of its first slot. The slots end where those of the next token start.
    starts: Vec<u32>,
    /// The index of the right token, the index of the merged token, and its rank, in 24, 20 and 20 bits.
    slots: Vec<u64>,
}

impl Pairs {
    /// The table of a vocabulary. `indexes` has the token indexes by rank. `None` if the pairs of some left token do
    /// not fit into a table of reasonable size; then pieces are merged by rank.
    pub(super) async fn new(
        sources: &MergeSources,
        indexes: Vec<u32>,
        pause: &mut impl AsyncFnMut(),
    ) -> Option<Self> {
        let Groups { mut starts, pairs } = Groups::new(sources, &indexes, pause).await;
        // Freed before the slots are allocated, which lowers the peak of memory.
        drop(indexes);
        let mut slots = Vec::with_capacity((pairs.len() as f64 * SLOTS_PER_PAIR) as usize);
        let mut fits = true;
        in_batches(0..sources.len(), pause, &mut |lefts| {
            for left in lefts {
                if let Some([start, end]) = starts.get_mut(left..=left + 1) {
                    let group = pairs.get(*start as usize..*end as usize).unwrap_or_default();
                    *start = slots.len() as u32;
                    fits = fits && push(&mut slots, group);
                }
            }
        })
        .await;
        // One more token, without slots: it merges with nothing.
        let end = slots.len();
        starts.resize(sources.len(), 0);
        starts.extend([end as u32; 2]);
        slots.resize(end + WINDOW, EMPTY);
        slots.shrink_to_fit();
        fits.then_some(Self { starts, slots })
    }

    /// The index of an additional token that merges with nothing. It comes after all others.
    #[inline]
    pub(super) fn sentinel(&self) -> u32 {
        self.starts.len().saturating_sub(2) as u32
    }

    /// The token that the tokens of two indexes merge into.
    #[inline]
    pub(super) fn merged(&self, left: u32, right: u32) -> Merged {
        let starts = self.starts.get(left as usize..).and_then(|starts| starts.first_chunk::<2>());
        let &[start, end] = starts.unwrap_or(&[0, 0]);
        let first = start as usize + first_slot(right, end - start);
        let slots = self.slots.get(first..).and_then(|slots| slots.first_chunk::<WINDOW>());
        let slots = slots.unwrap_or(&[EMPTY; WINDOW]).iter().zip(first..);
        // A fold over all slots instead of a search that stops: it compiles to conditional moves.
        let found = slots.fold(EMPTY, |found, (&slot, at)| {
            // The window may reach into the slots of the next left token.
            if right_of(slot) == right && at < end as usize { slot } else { found }
        });
        let rank = if found == EMPTY { NONE } else { found as u32 & RANK_MASK };
        Merged { rank, token_index: (found >> RANK_BITS) as u32 & RANK_MASK }
    }
}

/// Adds the slots of one left token. Returns false if its pairs do not fit.
fn push(slots: &mut Vec<u64>, group: &[u64]) -> bool {
    let (start, count) = (slots.len(), group.len());
    // The more pairs there are, the more of them share a first slot. This many slots are usually enough.
    let mut length = count + count * (count.max(4).ilog2() as usize - 2) / 8;
    loop {
        slots.truncate(start);
        slots.resize(start + length, EMPTY);
        if fill(slots.get_mut(start..).unwrap_or_default(), group) {
            return true;
        }
        length += 1 + length / 16;
        if length > count * MOST_SLOTS_PER_PAIR {
            return false;
        }
    }
}

/// Puts each pair of one left token into one of the slots that it is searched in. Returns false if one does not fit.
// Robin Hood hashing: a pair that still has later slots in its window makes way for one that has fewer. Without that,
// more pairs would run out of slots, and `push` would have to make the table larger.
fn fill(slots: &mut [u64], group: &[u64]) -> bool {
    let length = slots.len() as u32;
    let first = |pair: u64| first_slot(right_of(pair), length);
    group.iter().all(|&pair| {
        let (mut pair, mut at) = (pair, first(pair));
        while let Some(slot) = slots.get_mut(at)
            && at < first(pair) + WINDOW
        {
            if *slot == EMPTY {
                *slot = pair;
                return true;
            }
            if first(*slot) > first(pair) {
                std::mem::swap(slot, &mut pair);
            }
            at += 1;
        }
        false
    })
}

/// The pairs as they go into slots, grouped by left token.
struct Groups {
    /// By the index of a left token, the start of its pairs. The last number is the end of all pairs.
    starts: Vec<u32>,
    pairs: Vec<u64>,
}

impl Groups {
    // A counting sort by left token.
    async fn new(sources: &MergeSources, indexes: &[u32], pause: &mut impl AsyncFnMut()) -> Self {
        let index = |rank: u32| indexes.get(rank as usize).copied().unwrap_or(0);
        let left = |rank: u32| index(sources.get(rank).0) as usize;
        let longer = BYTES..sources.len();
        let mut pairs = vec![EMPTY; longer.len()];
        // `Pairs::new` adds one more at the end.
        let mut starts = Vec::with_capacity(sources.len() + 2);
        starts.resize(sources.len() + 1, 0);
        in_batches(longer.clone(), pause, &mut |ranks| {
            for rank in ranks.start as u32..ranks.end as u32 {
                if let Some(count) = starts.get_mut(left(rank)) {
                    *count += 1;
                }
            }
        })
        .await;
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        // Each number is now the end of its group. Filling the group from its end turns it into the start.
        in_batches(longer, pause, &mut |ranks| {
            for rank in ranks.start as u32..ranks.end as u32 {
                let [right, merged] =
                    [sources.get(rank).1, rank].map(|rank| u64::from(index(rank)));
                if let Some(start) = starts.get_mut(left(rank)) {
                    *start -= 1;
                    if let Some(slot) = pairs.get_mut(*start as usize) {
                        *slot = right << (2 * RANK_BITS) | merged << RANK_BITS | u64::from(rank);
                    }
                }
            }
        })
        .await;
        Self { starts, pairs }
    }
}

/// The index of the right token of a pair.
#[inline]
fn right_of(pair: u64) -> u32 {
    (pair >> (2 * RANK_BITS)) as u32
}

/// The first slot that a right token is searched in, of `length` slots.
// So that the window ends with the slots at the latest, if there are enough of them.
#[inline]
fn first_slot(right: u32, length: u32) -> usize {
    let firsts = length.saturating_sub(WINDOW as u32 - 1).max(1);
    ((u64::from(right.wrapping_mul(0x9E37_79B1)) * u64::from(firsts)) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::batches::run_now;
    use super::super::prng::prng;
    use super::*;

    #[test]
    fn two_tokens_merge_into_the_token_whose_sources_they_are() {
        let mut below = prng(5);
        // Some left tokens have one pair, and some have hundreds.
        let mut merged = BTreeMap::new();
        while merged.len() < 5_000 {
            let rank = (BYTES + merged.len()) as u32;
            let most = [4, 60, rank][below(3) as usize];
            let pair = (below(most), below(rank));
            merged.entry(pair).or_insert(rank);
        }
        let mut pairs: Vec<_> = merged.iter().map(|(&pair, &rank)| (rank, pair)).collect();
        pairs.sort_unstable();
        let singles = (0..BYTES as u32).map(|rank| (rank, rank));
        let sources: MergeSources = singles.chain(pairs.iter().map(|&(_, pair)| pair)).collect();
        let count = sources.len() as u32;
        let indexes: Vec<u32> = (0..count).map(|rank| rank * 1_237 % count).collect();
        let table = run_now(Pairs::new(&sources, indexes.clone(), &mut async || {})).unwrap();

        let index = |rank: u32| indexes[rank as usize];
        let check = |left: u32, right: u32| {
            let Merged { rank, token_index } = table.merged(index(left), index(right));
            match merged.get(&(left, right)) {
                Some(&expected) => assert_eq!((rank, token_index), (expected, index(expected))),
                None => assert_eq!(rank, NONE, "{left} {right}"),
            }
        };
        pairs.iter().for_each(|&(_, (left, right))| check(left, right));
        (0..50_000).for_each(|_| check(below(count), below(count)));
        for rank in 0..count {
            assert_eq!(table.merged(table.sentinel(), index(rank)).rank, NONE);
            assert_eq!(table.merged(index(rank), table.sentinel()).rank, NONE);
        }
    }

    #[test]
    fn more_pairs_with_the_same_slots_than_the_window_holds_do_not_fit() {
        let mut slots = Vec::new();
        assert!(push(&mut slots, &[7 << (2 * RANK_BITS); WINDOW]));
        assert!(!push(&mut slots, &[7 << (2 * RANK_BITS); WINDOW + 1]));
    }
}
