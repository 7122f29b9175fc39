//! Which two tokens merge into which, and whether two tokens can stand side by side in an encoding.

use super::halves::Halves;
use super::vocabulary::{BYTES, MOST, STRETCH};

/// Slots for every token: more are quicker, fewer are smaller.
const SLOTS_PER_TOKEN: f64 = 1.3;
/// No slot is this one: a rank in it is that of a longer token.
const EMPTY: u64 = 0;
/// The rank of no token.
pub(super) const NONE: u32 = u32::MAX;
/// Bits of the filter for every token, an eighth of which are then set.
const BITS_PER_TOKEN: usize = 8;
const RANK_BITS: u32 = MOST.trailing_zeros();
const RANK: u32 = (1 << RANK_BITS) - 1;

/// The merges of a vocabulary, by rank.
#[derive(Clone, Debug)]
pub(super) struct Merges {
    /// What each token was merged from; a single byte is its own half.
    halves: Halves,
    /// The halves of a token, and below them its rank; of those that have a half of several bytes.
    slots: Vec<u64>,
    /// A bit for every hash that a pair of halves has. Few pairs that are asked for merge at all, and
    /// these bits lie nearer to the processor than the slots.
    filter: Vec<u64>,
    /// What tokens of a single byte merge into, by the two: those that stand side by side in a text lie close
    /// together.
    doubles: Vec<u32>,
    /// Where merges do not come in the order of ranks; empty where they do.
    order: Vec<u32>,
    /// By rank: whether making a token takes a merge that comes later in the order than its own.
    late: Vec<bool>,
}

impl Merges {
    /// The merges of tokens whose halves are given, single bytes first. Fails with the rank of a token that
    /// is not made of earlier ones.
    pub(super) fn new(halves: Halves) -> Result<Self, u32> {
        let length = (halves.len() as f64 * SLOTS_PER_TOKEN) as usize + 1;
        let slots = vec![EMPTY; length];
        let filter = vec![0_u64; (halves.len() * BITS_PER_TOKEN).div_ceil(64)];
        let doubles = vec![NONE; BYTES * BYTES];
        let (order, late) = (Vec::new(), Vec::new());
        let mut merges = Self { halves, slots, filter, doubles, order, late };
        let count = merges.halves.len();
        for first in (BYTES..count).step_by(STRETCH) {
            merges.note(first, count.min(first + STRETCH))?;
        }
        Ok(merges)
    }

    // A function of its own: an engine compiles it well once it was called a few times.
    #[inline(never)]
    fn note(&mut self, first: usize, end: usize) -> Result<(), u32> {
        let Self { halves, slots, filter, doubles, .. } = self;
        let length = slots.len();
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
            if left.max(right) < BYTES as u32 {
                if let Some(double) = doubles.get_mut(double(left, right)) {
                    *double = rank;
                }
                continue;
            }
            let mut at = slot(hash, length);
            loop {
                match slots.get_mut(at) {
                    Some(slot) if *slot == EMPTY => {
                        *slot = packed(left, right) | u64::from(rank);
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
    pub(super) fn in_order(mut self, order: Vec<u32>) -> Self {
        let place = |rank: u32| order.get(rank as usize).copied().unwrap_or(u32::MAX);
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
            (self.order, self.late) = (order, late);
        }
        self
    }

    /// Whether an encoding can have the token of rank `left` right before the one of rank `right`.
    ///
    /// It can unless a merge across their border would have come before the merges that made them. Those
    /// are undone from the last to the first; at each step the two tokens at the border stood there until
    /// one of them was merged away, and a merge of the two must not have come before that. An encoding is
    /// the one that merging leads to exactly if this holds for all its neighbours.
    ///
    /// Takes as many steps as the two tokens have halves at the border, and of a late one the square of its
    /// bytes.
    pub(super) fn can_meet(&self, mut left: u32, mut right: u32) -> bool {
        if self.is_late(left) || self.is_late(right) {
            return self.come_out(left, right);
        }
        // Of equal ranks the leftmost merges first: the border before what lies right of it, and after
        // what lies left of it.
        let mut until = u32::MAX;
        loop {
            // A late merge goes before everything as soon as both of its halves are there.
            let across = self.merged(left, right);
            if across.is_some_and(|across| across < until || self.is_late(across)) {
                return false;
            }
            if left > right && left >= BYTES as u32 {
                until = left;
                left = self.halves.get(left).1;
            } else if right >= BYTES as u32 {
                until = right + 1;
                right = self.halves.get(right).0;
            } else {
                return true;
            }
        }
    }

    #[inline]
    fn is_late(&self, rank: u32) -> bool {
        self.late.get(rank as usize).is_some_and(|late| *late)
    }

    /// Whether merging the bytes of two tokens leads to these two.
    #[cold]
    fn come_out(&self, left: u32, right: u32) -> bool {
        let (mut parts, mut whole) = (Vec::new(), vec![right, left]);
        while let Some(rank) = whole.pop() {
            if rank < BYTES as u32 {
                parts.push(rank);
            } else {
                let (left, right) = self.halves.get(rank);
                whole.extend([right, left]);
            }
        }
        merge(&mut parts, |left, right| {
            let rank = self.merged(left, right)?;
            Some((self.place(rank), rank))
        });
        parts == [left, right]
    }

    /// What two tokens merge into.
    #[inline]
    pub(super) fn merged(&self, left: u32, right: u32) -> Option<u32> {
        if left.max(right) < BYTES as u32 {
            let rank = self.doubles.get(double(left, right)).copied()?;
            return (rank != NONE).then_some(rank);
        }
        let hash = hash(left, right);
        let (word, bit) = filter_bit(hash, self.filter.len());
        if self.filter.get(word).is_none_or(|bits| bits & bit == 0) {
            return None;
        }
        let (mut at, wanted) = (slot(hash, self.slots.len()), packed(left, right));
        loop {
            match self.slots.get(at) {
                Some(&EMPTY) => return None,
                Some(slot) if slot ^ wanted <= u64::from(RANK) => return Some(*slot as u32 & RANK),
                Some(_) => at += 1,
                None => at = 0,
            }
        }
    }
}

/// Merges neighbours until none make a token: of all pairs the one whose token comes first in the order, and of
/// equals the leftmost. `merged` is the place in the order, and the token. Returns the place of the last merge.
pub(super) fn merge(
    parts: &mut Vec<u32>,
    merged: impl Fn(u32, u32) -> Option<(u32, u32)>,
) -> Option<u32> {
    let mut last = None;
    loop {
        let pairs = parts.iter().zip(parts.iter().skip(1)).enumerate();
        let found = pairs.filter_map(|(at, (&left, &right))| {
            let (place, token) = merged(left, right)?;
            Some((place, at, token))
        });
        let Some((place, at, token)) = found.min() else { return last };
        last = Some(place);
        parts.splice(at..at + 2, [token]);
    }
}

#[inline]
fn double(left: u32, right: u32) -> usize {
    left as usize * BYTES + right as usize
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

/// Two ranks, above room for a third.
#[inline]
fn packed(left: u32, right: u32) -> u64 {
    u64::from(left) << (2 * RANK_BITS) | u64::from(right) << RANK_BITS
}

/// The bit of a hash in a filter of `length` words.
#[inline]
fn filter_bit(hash: u64, length: usize) -> (usize, u64) {
    (slot(hash, length), 1 << (hash & 63))
}
