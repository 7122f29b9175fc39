//! Merge sources: the two tokens that each token was merged from, in five bytes per token.

use super::rank::{BYTES, RANK_BITS, RANK_MASK};

/// Planes of a packed vocabulary: the low, middle and high bytes of the left ranks, then those of the right ranks.
pub(super) const PLANES: usize = 6;

/// The two ranks that each token was merged from, by its rank. A single byte is its own source, twice.
#[derive(Clone, Debug, Default)]
pub(super) struct MergeSources {
    /// The left rank, and above it the lowest 12 bits of the right rank.
    low: Vec<u32>,
    /// The other 8 bits of the right rank.
    high: Vec<u8>,
}

impl MergeSources {
    /// How many tokens the vocabulary has.
    pub(super) fn len(&self) -> usize {
        self.low.len()
    }

    /// The left and the right rank that a token was merged from.
    #[inline]
    pub(super) fn get(&self, rank: u32) -> (u32, u32) {
        let low = self.low.get(rank as usize).copied().unwrap_or(0);
        let high = self.high.get(rank as usize).copied().unwrap_or(0);
        (low & RANK_MASK, low >> RANK_BITS | u32::from(high) << (u32::BITS - RANK_BITS))
    }
}

impl MergeSources {
    /// The single bytes, followed by the tokens whose source ranks are in `planes`. Ranks are below 2^20; higher bits
    /// are lost.
    // A JavaScript engine runs these loops once, in the code of its quick first compilation. So they contain only loads
    // and shifts, and the function contains nothing else, because the engine may recompile the whole function while it
    // runs.
    #[inline(never)]
    pub(super) fn from_planes(planes: [&[u8]; PLANES]) -> Self {
        let mut sources: Self = (0..BYTES as u32).map(|rank| (rank, rank)).collect();
        let [left, left_middle, left_high, right, right_middle, right_high] = planes;
        let lefts = left.iter().zip(left_middle).zip(left_high);
        let pairs = lefts.zip(right.iter().zip(right_middle));
        sources.low.reserve_exact(left.len());
        sources.low.extend(pairs.map(|(((&low, &middle), &high), (&right, &right_middle))| {
            let left = u32::from_le_bytes([low, middle, high, 0]);
            left & RANK_MASK
                | u32::from(right) << RANK_BITS
                | u32::from(right_middle) << (RANK_BITS + 8)
        }));
        let high = |(middle, high): (&u8, &u8)| {
            middle >> (u32::BITS - RANK_BITS - 8) | high << (RANK_BITS - 16)
        };
        sources.high.reserve_exact(left.len());
        sources.high.extend(right_middle.iter().zip(right_high).map(high));
        sources
    }
}

impl FromIterator<(u32, u32)> for MergeSources {
    /// Ranks are below 2^20; higher bits are lost.
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter();
        let (least, _) = pairs.size_hint();
        let mut sources = Self { low: Vec::with_capacity(least), high: Vec::with_capacity(least) };
        for (left, right) in pairs {
            sources.low.push(left & RANK_MASK | right << RANK_BITS);
            sources.high.push((right >> (u32::BITS - RANK_BITS)) as u8);
        }
        sources
    }
}

#[cfg(test)]
mod tests {
    use super::super::rank::MOST_TOKENS;
    use super::*;

    fn pairs() -> Vec<(u32, u32)> {
        let ranks = [0, 1, 0x12, 0x345, 0xFFF, 0x1000, 0x1_0000, 0xA_BCDE, MOST_TOKENS as u32 - 1];
        ranks.iter().flat_map(|left| ranks.map(|right| (*left, right))).collect()
    }

    #[test]
    fn ranks_are_read_as_they_were_written() {
        let sources: MergeSources = pairs().into_iter().collect();
        assert_eq!(sources.len(), pairs().len());
        for (rank, pair) in (0_u32..).zip(pairs()) {
            assert_eq!(sources.get(rank), pair);
        }
    }

    #[test]
    fn ranks_are_read_from_planes_after_the_single_bytes() {
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
        let sources = MergeSources::from_planes(planes.each_ref().map(Vec::as_slice));
        let singles = (0..BYTES as u32).map(|rank| (rank, rank));
        assert_eq!(sources.len(), BYTES + pairs().len());
        for (rank, pair) in (0_u32..).zip(singles.chain(pairs())) {
            assert_eq!(sources.get(rank), pair, "{rank}");
        }
    }
}
