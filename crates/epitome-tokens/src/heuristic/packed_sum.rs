//! Weights added up along a text, and how many characters and pieces they are of: three sums in one word.

/// What some characters in a row have come to: the number of pieces highest, that of characters below it, then the
/// prices.
#[derive(Clone, Copy)]
pub(super) struct PackedSum(u64);

/// Bits of the number of characters, and of that of pieces.
const NUMBER_BITS: u32 = 6;
const PRICE_BITS: u32 = u64::BITS - 2 * NUMBER_BITS;
const CHARACTER: u64 = 1 << PRICE_BITS;
const PIECE: u64 = CHARACTER << NUMBER_BITS;

impl PackedSum {
    /// Nothing yet. Weights begin in the middle of what they may be, so that none takes anything from the numbers above.
    pub(super) const START: Self = Self(CHARACTER / 2);
    /// Most characters it may be of: as many as fit that make up whole words of ASCII.
    pub(super) const MOST: usize = Self::NUMBERS - 8;
    /// Numbers that [`PackedSum::pieces`] may be.
    pub(super) const NUMBERS: usize = 1 << NUMBER_BITS;

    /// A character of this price, and with it a piece where one begins: what [`PackedSum::plus`] adds.
    pub(super) const fn step(price: i32, begins: bool) -> u64 {
        let piece = if begins { PIECE } else { 0 };
        (price as u64).wrapping_add(CHARACTER).wrapping_add(piece)
    }

    /// With a step behind it, and with what is added to its price.
    #[inline(always)]
    pub(super) fn plus(self, step: u64, price: i32) -> Self {
        Self(self.0.wrapping_add(step).wrapping_add(price as u64))
    }

    /// How many pieces have begun.
    #[inline(always)]
    pub(super) fn pieces(self) -> usize {
        (self.0 >> (u64::BITS - NUMBER_BITS)) as usize
    }

    /// How many characters there were.
    #[inline(always)]
    pub(super) fn characters(self) -> usize {
        (self.0 >> PRICE_BITS) as usize % Self::NUMBERS
    }

    /// The prices since an earlier point.
    #[inline(always)]
    pub(super) fn price_since(self, earlier: Self) -> i32 {
        (self.0 as u32).wrapping_sub(earlier.0 as u32) as i32
    }
}
