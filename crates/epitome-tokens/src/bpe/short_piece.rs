//! The tokens of a short piece: for the next merge, all parts are compared.
//!
//! A piece that starts from fewer than 64 parts is merged in fixed arrays, without a heap and without a linked list. To
//! find the lowest rank among at most 64 numbers takes a few vector instructions. That is less work than one operation
//! of a heap, and no branch depends on the numbers.

use super::characters::Characters;
use super::pairs::{Merged, Pairs};
use super::rank::{NONE, RANK_BITS};

/// A piece has fewer parts than this, with the two sentinels: one bit of a `u64` for each.
const PARTS: usize = 64;
/// Bytes of the longest piece that may start from so few parts: most characters outside ASCII have three bytes.
const LONGEST: usize = 3 * PARTS;
/// Numbers that are compared at once.
const LANES: usize = 16;

/// A number for each part.
#[derive(Debug)]
struct PerPart([u32; PARTS]);

impl Default for PerPart {
    fn default() -> Self {
        Self([NONE; PARTS])
    }
}

// `% PARTS` never changes a position. It shows the compiler that no check of the bounds is needed.
impl PerPart {
    #[inline]
    fn get(&self, at: usize) -> u32 {
        self.0.get(at % PARTS).copied().unwrap_or(NONE)
    }

    #[inline]
    fn set(&mut self, at: usize, number: u32) {
        if let Some(slot) = self.0.get_mut(at % PARTS) {
            *slot = number;
        }
    }

    /// The lowest of the first `count` numbers, and of those after them up to a multiple of [`LANES`].
    // Whole chunks only, so that the loop is vectorized. The numbers after `count` are `NONE`.
    #[inline]
    fn lowest(&self, count: usize) -> u32 {
        let (chunks, _) = self.0.as_chunks::<LANES>();
        let chunks = chunks.iter().take(count.div_ceil(LANES));
        chunks.flatten().fold(NONE, |lowest, &number| lowest.min(number))
    }
}

/// The state of the merge of a short piece.
// A sentinel before and after the parts merges with nothing. So each part always has a previous and a next one, and
// `merge_at` needs no branch for the ends of the piece.
#[derive(Debug, Default)]
pub(super) struct ShortPiece {
    /// How many parts the piece starts from, and the sentinel before them.
    count: usize,
    /// A bit for each part that is left, and for both sentinels.
    left: u64,
    /// The index of each part's token. Unused for parts that were merged into the one before.
    parts: PerPart,
    /// For each part, the rank of the token that it and the next part merge into, above the part's own position.
    /// [`NONE`] if they do not merge.
    // With the position in the low bits, the lowest number is the next merge: the lowest rank, and of equal ranks the
    // leftmost, as the encoding defines. The position also says where to merge, without a
    // second search.
    merged: PerPart,
    /// The index of that token.
    merged_index: PerPart,
}

const PART_BITS: u32 = PARTS.trailing_zeros();
const _: () = assert!(RANK_BITS + PART_BITS < u32::BITS);

impl ShortPiece {
    /// How many tokens `piece` has; `None` if it starts from too many parts.
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
        characters.starts(piece, |token_index| self.push(token_index));
        self.merge(pairs)
    }

    /// Adds a part. Positions wrap if there are too many, and `merge` then returns `None`.
    #[inline]
    fn push(&mut self, token_index: u32) {
        self.parts.set(self.count, token_index);
        self.count += 1;
    }

    /// Merges the parts, and returns how many are left.
    #[inline]
    fn merge(&mut self, pairs: &Pairs) -> Option<usize> {
        if self.count >= PARTS {
            return None;
        }
        self.parts.set(0, pairs.sentinel());
        self.parts.set(self.count, pairs.sentinel());
        // The bits from 0, the first sentinel, to `count`, the last one.
        self.left = u64::MAX >> (PARTS - 1 - self.count);
        self.merged = PerPart::default();
        for at in 2..self.count {
            self.look_up(pairs, at - 1, at);
        }
        loop {
            let next = self.merged.lowest(self.count);
            if next == NONE {
                return Some(self.left.count_ones() as usize - 2);
            }
            self.merge_at(pairs, next as usize % PARTS);
        }
    }

    /// Merges the part at `at` with the next part that is left.
    #[inline]
    fn merge_at(&mut self, pairs: &Pairs, at: usize) {
        // The neighbours are found in the bits of the parts that are left: the highest bit below `at`, and the two
        // lowest bits above it. `u64::MAX << 1 << at` instead of `<< (at + 1)`: a shift by 64 is not defined.
        let before = self.left & !(u64::MAX << at);
        let after = self.left & (u64::MAX << 1 << at);
        let removed = after.trailing_zeros() as usize;
        // Clears the lowest bit, that of the removed part. The lowest one is then the next part, or the sentinel.
        let after = after & after.wrapping_sub(1);
        self.left &= !(1 << removed);
        // Without this the removed part would be merged once more with the part that it had as its next.
        self.merged.set(removed, NONE);
        self.parts.set(at, self.merged_index.get(at));
        self.look_up(pairs, at, after.trailing_zeros() as usize);
        self.look_up(pairs, (u64::BITS - 1 - before.leading_zeros()) as usize, at);
    }

    /// Looks up what two neighbours merge into.
    #[inline]
    fn look_up(&mut self, pairs: &Pairs, left: usize, right: usize) {
        let Merged { rank, token_index } =
            pairs.merged(self.parts.get(left), self.parts.get(right));
        let merged = rank << PART_BITS | left as u32;
        self.merged.set(left, if rank == NONE { NONE } else { merged });
        self.merged_index.set(left, token_index);
    }
}
