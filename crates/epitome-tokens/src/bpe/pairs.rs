//! Which two tokens merge into which, by seat: what counts merge by once there is an index.
//!
//! What a text asks for lies close together (`seats.rs`), and there is nothing to decide on the way to an answer, so
//! nothing that a processor guesses wrong.

use super::halves::Halves;
use super::merges::NONE;
use super::vocabulary::{BYTES, RANK, RANK_BITS, in_stretches};

/// Slots that are looked at for a pair, wherever it is. More make the table smaller, fewer are quicker.
const WINDOW: usize = 4;
/// Slots for every pair that there is room for at first; the vocabularies in use need no more.
const SLOTS_PER_PAIR: f64 = 1.47;
/// Slots that the pairs of one left token may take; those of vocabularies in use take a few.
const MOST_SLOTS_PER_PAIR: usize = 64;
/// No pair has a right token with all these bits.
const EMPTY: u64 = u64::MAX;

/// What two tokens merge into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merged {
    /// Its rank; [`NONE`] where that is nothing.
    pub(super) rank: u32,
    /// Its seat; anything where that is nothing.
    pub(super) seat: u32,
}

/// The merges of a vocabulary, by the seats of tokens.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// By the seat of a left token: where the slots of its pairs start. They end where the next ones start.
    starts: Vec<u32>,
    /// The seat of the right token, that of what they make, and the rank of that, in 24, 20 and 20 bits.
    slots: Vec<u64>,
}

impl Pairs {
    /// The merges of tokens whose halves and seats are given by rank. Nothing where these are such that the table would
    /// be out of proportion.
    pub(super) async fn new(
        halves: &Halves,
        seats: Vec<u32>,
        rest: &mut impl AsyncFnMut(),
    ) -> Option<Self> {
        let Groups { mut starts, pairs } = Groups::new(halves, &seats, rest).await;
        // What takes room for a while makes place for what takes more.
        drop(seats);
        let mut slots = Vec::with_capacity((pairs.len() as f64 * SLOTS_PER_PAIR) as usize);
        let mut is_fine = true;
        in_stretches(0..halves.len(), rest, &mut |lefts| {
            for left in lefts {
                if let Some([start, end]) = starts.get_mut(left..=left + 1) {
                    let group = pairs.get(*start as usize..*end as usize).unwrap_or_default();
                    *start = slots.len() as u32;
                    is_fine = is_fine && push(&mut slots, group);
                }
            }
        })
        .await;
        // There is a token more, which merges with nothing.
        let end = slots.len();
        starts.resize(halves.len(), 0);
        starts.extend([end as u32; 2]);
        slots.resize(end + WINDOW, EMPTY);
        slots.shrink_to_fit();
        is_fine.then_some(Self { starts, slots })
    }

    /// The seat of a token that merges with nothing, behind all others.
    #[inline]
    pub(super) fn nothing(&self) -> u32 {
        self.starts.len().saturating_sub(2) as u32
    }

    /// What the tokens at two seats merge into.
    #[inline]
    pub(super) fn merged(&self, left: u32, right: u32) -> Merged {
        let starts = self.starts.get(left as usize..).and_then(|starts| starts.first_chunk::<2>());
        let &[start, end] = starts.unwrap_or(&[0, 0]);
        let first = start as usize + first_slot(right, end - start);
        let slots = self.slots.get(first..).and_then(|slots| slots.first_chunk::<WINDOW>());
        let slots = slots.unwrap_or(&[EMPTY; WINDOW]).iter().zip(first..);
        let found = slots.fold(EMPTY, |found, (&slot, at)| {
            // Behind the end are the pairs of the next one.
            if right_of(slot) == right && at < end as usize { slot } else { found }
        });
        let rank = if found == EMPTY { NONE } else { found as u32 & RANK };
        Merged { rank, seat: (found >> RANK_BITS) as u32 & RANK }
    }
}

/// Adds the slots of the pairs of one left token. Returns whether it could.
fn push(slots: &mut Vec<u64>, group: &[u64]) -> bool {
    let (start, count) = (slots.len(), group.len());
    // The more there are, the more of them want the same slots. These are about as many as are enough.
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

/// Puts the pairs of one left token into slots, each into one of the few that it is looked for in. Returns whether
/// there was room.
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
            // Those that are looked for further on make way.
            if first(*slot) > first(pair) {
                std::mem::swap(slot, &mut pair);
            }
            at += 1;
        }
        false
    })
}

/// What goes into slots, by the seats of left tokens.
struct Groups {
    /// Where the pairs of a left token start, by its seat, and the end of the last ones.
    starts: Vec<u32>,
    pairs: Vec<u64>,
}

impl Groups {
    async fn new(halves: &Halves, seats: &[u32], rest: &mut impl AsyncFnMut()) -> Self {
        let seat = |rank: u32| seats.get(rank as usize).copied().unwrap_or(0);
        let left = |rank: u32| seat(halves.get(rank).0) as usize;
        let longer = BYTES..halves.len();
        let mut pairs = vec![EMPTY; longer.len()];
        // There is room for one more in the end.
        let mut starts = Vec::with_capacity(halves.len() + 2);
        starts.resize(halves.len() + 1, 0);
        in_stretches(longer.clone(), rest, &mut |ranks| {
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
        // Each is where its group ends by now; filled from there, it is where that starts.
        in_stretches(longer, rest, &mut |ranks| {
            for rank in ranks.start as u32..ranks.end as u32 {
                let [right, made] = [halves.get(rank).1, rank].map(|rank| u64::from(seat(rank)));
                if let Some(start) = starts.get_mut(left(rank)) {
                    *start -= 1;
                    if let Some(slot) = pairs.get_mut(*start as usize) {
                        *slot = right << (2 * RANK_BITS) | made << RANK_BITS | u64::from(rank);
                    }
                }
            }
        })
        .await;
        Self { starts, pairs }
    }
}

/// The seat of the right token of a pair.
#[inline]
fn right_of(pair: u64) -> u32 {
    (pair >> (2 * RANK_BITS)) as u32
}

/// The first of the slots that a right token can have among `length`: the others are behind it.
#[inline]
fn first_slot(right: u32, length: u32) -> usize {
    let firsts = length.saturating_sub(WINDOW as u32 - 1).max(1);
    ((u64::from(right.wrapping_mul(0x9E37_79B1)) * u64::from(firsts)) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::at_once;
    use super::super::dice::dice;
    use super::*;

    #[test]
    fn two_tokens_make_what_was_merged_from_them() {
        let mut below = dice(5);
        // Some left tokens have one pair, and some have hundreds.
        let mut made = BTreeMap::new();
        while made.len() < 5_000 {
            let rank = (BYTES + made.len()) as u32;
            let most = [4, 60, rank][below(3) as usize];
            let pair = (below(most), below(rank));
            made.entry(pair).or_insert(rank);
        }
        let mut pairs: Vec<_> = made.iter().map(|(&pair, &rank)| (rank, pair)).collect();
        pairs.sort_unstable();
        let singles = (0..BYTES as u32).map(|rank| (rank, rank));
        let halves: Halves = singles.chain(pairs.iter().map(|&(_, pair)| pair)).collect();
        let count = halves.len() as u32;
        let seats: Vec<u32> = (0..count).map(|rank| rank * 1_237 % count).collect();
        let table = at_once(Pairs::new(&halves, seats.clone(), &mut async || {})).unwrap();

        let seat = |rank: u32| seats[rank as usize];
        let check = |left: u32, right: u32| {
            let Merged { rank, seat: at } = table.merged(seat(left), seat(right));
            match made.get(&(left, right)) {
                Some(&expected) => assert_eq!((rank, at), (expected, seat(expected))),
                None => assert_eq!(rank, NONE, "{left} {right}"),
            }
        };
        pairs.iter().for_each(|&(_, (left, right))| check(left, right));
        (0..50_000).for_each(|_| check(below(count), below(count)));
        for rank in 0..count {
            assert_eq!(table.merged(table.nothing(), seat(rank)).rank, NONE);
            assert_eq!(table.merged(seat(rank), table.nothing()).rank, NONE);
        }
    }

    #[test]
    fn pairs_that_never_fit_are_given_up() {
        let mut slots = Vec::new();
        assert!(push(&mut slots, &[7 << (2 * RANK_BITS); WINDOW]));
        assert!(!push(&mut slots, &[7 << (2 * RANK_BITS); WINDOW + 1]));
    }
}
