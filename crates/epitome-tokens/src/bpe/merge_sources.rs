//! What each token was merged from, in five bytes a token.

use super::packed::PLANES;
use super::vocabulary::{BYTES, RANK, RANK_BITS};

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
        (low & RANK, low >> RANK_BITS | u32::from(high) << (u32::BITS - RANK_BITS))
    }
}

impl Halves {
    /// The halves of the single bytes, and behind them those whose ranks lie in planes: the low, middle and high
    /// bytes of all left ranks, then of all right ones. Ranks are below 2^20; higher bits are lost.
    // An engine runs these loops once, as it has compiled them in passing: there is nothing but loads and shifts in
    // them, and nothing else in the function, for it may well compile that anew meanwhile.
    #[inline(never)]
    pub(super) fn of_planes(planes: [&[u8]; PLANES]) -> Self {
        let mut halves: Self = (0..BYTES as u32).map(|rank| (rank, rank)).collect();
        let [left, left_middle, left_high, right, right_middle, right_high] = planes;
        let lefts = left.iter().zip(left_middle).zip(left_high);
        let pairs = lefts.zip(right.iter().zip(right_middle));
        halves.low.reserve_exact(left.len());
        halves.low.extend(pairs.map(|(((&low, &middle), &high), (&right, &right_middle))| {
            let left = u32::from_le_bytes([low, middle, high, 0]);
            left & RANK | u32::from(right) << RANK_BITS | u32::from(right_middle) << (RANK_BITS + 8)
        }));
        let high = |(middle, high): (&u8, &u8)| {
            middle >> (u32::BITS - RANK_BITS - 8) | high << (RANK_BITS - 16)
        };
        halves.high.reserve_exact(left.len());
        halves.high.extend(right_middle.iter().zip(right_high).map(high));
        halves
    }
}

impl FromIterator<(u32, u32)> for Halves {
    /// Ranks are below 2^20; higher bits are lost.
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter();
        let (least, _) = pairs.size_hint();
        let mut halves = Self { low: Vec::with_capacity(least), high: Vec::with_capacity(least) };
        for (left, right) in pairs {
            halves.low.push(left & RANK | right << RANK_BITS);
            halves.high.push((right >> (u32::BITS - RANK_BITS)) as u8);
        }
        halves
    }
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::MOST;
    use super::*;

    fn pairs() -> Vec<(u32, u32)> {
        let ranks = [0, 1, 0x12, 0x345, 0xFFF, 0x1000, 0x1_0000, 0xA_BCDE, MOST as u32 - 1];
        ranks.iter().flat_map(|left| ranks.map(|right| (*left, right))).collect()
    }

    #[test]
    fn ranks_come_back_as_they_were() {
        let halves: Halves = pairs().into_iter().collect();
        assert_eq!(halves.len(), pairs().len());
        for (rank, pair) in (0_u32..).zip(pairs()) {
            assert_eq!(halves.get(rank), pair);
        }
    }

    #[test]
    fn ranks_come_back_from_planes_behind_the_single_bytes() {
        let plane = |byte: fn((u32, u32)) -> u32| -> Vec<u8> {
            pairs().into_iter().map(|pair| byte(pair) as u8).collect()
        };
        let planes = [
            plane(|(left, _)| left),
            plane(|(left, _)| left >> 8),
            plane(|(left, _)| left >> 16),
            plane(|(_, right)| right),
            plane(|(_, right)| right >> 8),
            plane(|(_, right)| right >> 16),
        ];
        let halves = Halves::of_planes(planes.each_ref().map(Vec::as_slice));
        let singles = (0..BYTES as u32).map(|rank| (rank, rank));
        assert_eq!(halves.len(), BYTES + pairs().len());
        for (rank, pair) in (0_u32..).zip(singles.chain(pairs())) {
            assert_eq!(halves.get(rank), pair, "{rank}");
        }
    }
}
