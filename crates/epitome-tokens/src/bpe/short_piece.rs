//! The tokens of one piece of few parts: all of them are looked at for the next merge.

use super::characters::Characters;
use super::merges::NONE;
use super::pairs::{Merged, Pairs};
use super::vocabulary::RANK_BITS;

/// There are fewer than so many of them. What is kept of each is looked through to find the next merge.
const FEW: usize = 64;
/// Bytes of the longest piece that may start from so few parts: most characters have three.
const LONGEST: usize = 3 * FEW;
/// So many numbers are compared at once.
const AT_ONCE: usize = 16;

/// A number for each of a few parts.
#[derive(Debug)]
struct Each([u32; FEW]);

impl Default for Each {
    fn default() -> Self {
        Self([NONE; FEW])
    }
}

impl Each {
    #[inline]
    fn get(&self, at: usize) -> u32 {
        self.0.get(at % FEW).copied().unwrap_or(NONE)
    }

    #[inline]
    fn set(&mut self, at: usize, number: u32) {
        if let Some(slot) = self.0.get_mut(at % FEW) {
            *slot = number;
        }
    }

    /// The least of the first ones, and maybe of some behind them.
    #[inline]
    fn least(&self, count: usize) -> u32 {
        let (chunks, _) = self.0.as_chunks::<AT_ONCE>();
        let chunks = chunks.iter().take(count.div_ceil(AT_ONCE));
        chunks.flatten().fold(NONE, |least, &number| least.min(number))
    }
}

/// A few parts in a row, between two that merge with nothing: so there is always one before and one behind, and
/// nothing to decide but which merge is the next.
#[derive(Debug, Default)]
pub(super) struct Few {
    /// How many there were at first, and the one in front of them.
    count: usize,
    /// A bit for each that is left, and for the two around them.
    left: u64,
    /// The seats of the tokens so far; of a part that is gone, anything.
    parts: Each,
    /// What each part makes with the one behind it: the rank, and below that which part it is. [`NONE`] where that is
    /// nothing.
    made: Each,
    /// The seat of what it makes.
    into: Each,
}

const PART_BITS: u32 = FEW.trailing_zeros();
const _: () = assert!(RANK_BITS + PART_BITS < u32::BITS);

impl Few {
    /// How many tokens `piece` has, where it starts from few parts.
    #[inline]
    pub(super) fn count(
        &mut self,
        pairs: &Pairs,
        characters: &Characters,
        piece: &[u8],
    ) -> Option<usize> {
        if piece.len() > LONGEST {
            return None;
        }
        self.count = 1;
        characters.starts(piece, |seat| self.push(seat));
        self.merge(pairs)
    }

    #[inline]
    fn push(&mut self, seat: u32) {
        self.parts.set(self.count, seat);
        self.count += 1;
    }

    /// Merges them; returns how many parts are left. Nothing where there are more than a few.
    #[inline]
    fn merge(&mut self, pairs: &Pairs) -> Option<usize> {
        if self.count >= FEW {
            return None;
        }
        self.parts.set(0, pairs.nothing());
        self.parts.set(self.count, pairs.nothing());
        self.left = u64::MAX >> (FEW - 1 - self.count);
        self.made = Each::default();
        for at in 2..self.count {
            self.note(pairs, at - 1, at);
        }
        loop {
            let first = self.made.least(self.count);
            if first == NONE {
                return Some(self.left.count_ones() as usize - 2);
            }
            self.merge_at(pairs, first as usize % FEW);
        }
    }

    /// Merges the part at `at` with the one behind it.
    #[inline]
    fn merge_at(&mut self, pairs: &Pairs, at: usize) {
        let before = self.left & !(u64::MAX << at);
        let behind = self.left & (u64::MAX << 1 << at);
        let gone = behind.trailing_zeros() as usize;
        let behind = behind & behind.wrapping_sub(1);
        self.left &= !(1 << gone);
        self.made.set(gone, NONE);
        self.parts.set(at, self.into.get(at));
        self.note(pairs, at, behind.trailing_zeros() as usize);
        self.note(pairs, (u64::BITS - 1 - before.leading_zeros()) as usize, at);
    }

    /// Notes what two neighbours make.
    #[inline]
    fn note(&mut self, pairs: &Pairs, left: usize, right: usize) {
        let Merged { rank, seat } = pairs.merged(self.parts.get(left), self.parts.get(right));
        let made = rank << PART_BITS | left as u32;
        self.made.set(left, if rank == NONE { NONE } else { made });
        self.into.set(left, seat);
    }
}
