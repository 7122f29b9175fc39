//! What each token was merged from, in five bytes a token.

use super::vocabulary::MOST;

const BITS: u32 = MOST.trailing_zeros();
const RANK: u32 = (1 << BITS) - 1;

/// The two ranks that each token is made of, by rank; a single byte is its own half.
#[derive(Clone, Debug, Default)]
pub(super) struct Halves {
    /// The left rank, and above it as many bits of the right one as there is room for.
    low: Vec<u32>,
    /// The other bits of the right one.
    high: Vec<u8>,
}

impl Halves {
    /// How many tokens there are.
    pub(super) fn len(&self) -> usize {
        self.low.len()
    }

    /// The halves of the token of a rank.
    #[inline]
    pub(super) fn get(&self, rank: u32) -> (u32, u32) {
        let low = self.low.get(rank as usize).copied().unwrap_or(0);
        let high = self.high.get(rank as usize).copied().unwrap_or(0);
        (low & RANK, low >> BITS | u32::from(high) << (u32::BITS - BITS))
    }
}

impl FromIterator<(u32, u32)> for Halves {
    /// Ranks are below 2^20; higher bits are lost.
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter();
        let (least, _) = pairs.size_hint();
        let mut halves = Self { low: Vec::with_capacity(least), high: Vec::with_capacity(least) };
        for (left, right) in pairs {
            halves.low.push(left & RANK | right << BITS);
            halves.high.push((right >> (u32::BITS - BITS)) as u8);
        }
        halves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_come_back_as_they_were() {
        let ranks = [0, 1, 0xFFF, 0x1000, 0x1_0000, MOST as u32 - 1];
        let pairs: Vec<(u32, u32)> =
            ranks.iter().flat_map(|left| ranks.map(|right| (*left, right))).collect();
        let halves: Halves = pairs.iter().copied().collect();
        assert_eq!(halves.len(), pairs.len());
        for (rank, pair) in (0_u32..).zip(pairs) {
            assert_eq!(halves.get(rank), pair);
        }
    }
}
