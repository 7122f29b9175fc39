//! Three sums in one number: weights, characters and pieces.
//!
//! Each character changes all three sums. In one packed number, this costs one addition and one value to store.

/// The sums over consecutive characters: pieces in the highest 6 bits, characters in the next 6, weights below.
#[derive(Clone, Copy)]
pub(super) struct PackedSum(u64);

/// Bits of the number of characters, and of the number of pieces.
const COUNT_BITS: u32 = 6;
const WEIGHT_BITS: u32 = u64::BITS - 2 * COUNT_BITS;
const CHARACTER: u64 = 1 << WEIGHT_BITS;
const PIECE: u64 = CHARACTER << COUNT_BITS;

impl PackedSum {
    /// The sums before the first character. The weights start in the middle of their range, since a negative sum would borrow
    /// from the number of characters.
    pub(super) const START: Self = Self(CHARACTER / 2);
    /// The most characters of a sum: as many as fit, in multiples of eight.
    pub(super) const CAPACITY: usize = Self::COUNTS - 8;
    /// The values that [`PackedSum::pieces`] can have.
    pub(super) const COUNTS: usize = 1 << COUNT_BITS;

    /// What a character with this weight adds, for [`PackedSum::plus`]. `begins` is true if a piece begins with the
    /// character.
    pub(super) const fn step(weight: i32, begins: bool) -> u64 {
        let piece = if begins { PIECE } else { 0 };
        (weight as u64).wrapping_add(CHARACTER).wrapping_add(piece)
    }

    /// The sum after a step, with `weight` added as well.
    #[inline(always)]
    pub(super) fn plus(self, step: u64, weight: i32) -> Self {
        Self(self.0.wrapping_add(step).wrapping_add(weight as u64))
    }

    /// The number of pieces that have begun.
    #[inline(always)]
    pub(super) fn pieces(self) -> usize {
        (self.0 >> (u64::BITS - COUNT_BITS)) as usize
    }

    /// The number of characters.
    #[inline(always)]
    pub(super) fn characters(self) -> usize {
        (self.0 >> WEIGHT_BITS) as usize % Self::COUNTS
    }

    /// The sum of the weights since an earlier sum.
    #[inline(always)]
    pub(super) fn weight_since(self, earlier: Self) -> i32 {
        (self.0 as u32).wrapping_sub(earlier.0 as u32) as i32
    }
}
