//! Finds the numbers above a limit in a long list without reading all of it.
//!
//! A plan asks which messages have a part above a size limit, in conversations of up to 100,000 messages of
//! which few do. The maximum of each block is stored, so that a block whose maximum is not above the limit
//! costs one comparison.

use std::ops::Range;

/// How many numbers share one maximum.
const BLOCK: usize = 64;

/// A list of numbers with the maximum of each block.
#[derive(Default)]
pub(super) struct BlockMaxima {
    numbers: Vec<u32>,
    maxima: Vec<u32>,
}

impl BlockMaxima {
    /// Appends a number. Constant time.
    pub(super) fn push(&mut self, number: u32) {
        match self.maxima.last_mut().filter(|_| !self.numbers.len().is_multiple_of(BLOCK)) {
            Some(maximum) => *maximum = number.max(*maximum),
            None => self.maxima.push(number),
        }
        self.numbers.push(number);
    }

    /// Keeps the first numbers only. Linear in a block, and in the numbers that are removed.
    pub(super) fn truncate(&mut self, len: usize) {
        self.numbers.truncate(len);
        self.maxima.truncate(self.numbers.len().div_ceil(BLOCK));
        self.renew_maximum(len.saturating_sub(1));
    }

    /// Replaces a number. Linear in a block, since the old number may have been its maximum.
    pub(super) fn replace(&mut self, position: usize, number: u32) {
        let Some(slot) = self.numbers.get_mut(position) else { return };
        *slot = number;
        self.renew_maximum(position);
    }

    /// Finds the maximum of a position's block again.
    fn renew_maximum(&mut self, position: usize) {
        let block = position / BLOCK;
        let maximum = self.numbers.iter().skip(block * BLOCK).take(BLOCK).max();
        if let (Some(slot), Some(maximum)) = (self.maxima.get_mut(block), maximum) {
            *slot = *maximum;
        }
    }

    /// The positions in a range whose numbers are above `limit`, last first. Linear in the number of blocks,
    /// and in the numbers of those blocks that have one above the limit.
    pub(super) fn above(
        &self,
        range: Range<usize>,
        limit: u32,
    ) -> impl Iterator<Item = usize> + '_ {
        let is_above =
            move |numbers: &[u32], at: usize| numbers.get(at).is_some_and(|n| *n > limit);
        let end = range.end.min(self.numbers.len());
        let blocks = (range.start / BLOCK..end.div_ceil(BLOCK)).rev();
        blocks.filter(move |block| is_above(&self.maxima, *block)).flat_map(move |block| {
            // The first and the last block can reach beyond the range, so that their maxima may be of numbers
            // outside of it.
            let first = range.start.max(block * BLOCK);
            let last = end.min((block + 1) * BLOCK);
            (first..last).rev().filter(move |at| is_above(&self.numbers, *at))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with a search that reads every number, before and after some are replaced.
    fn check(numbers: &[u32], range: Range<usize>, limit: u32) {
        let mut maxima = BlockMaxima::default();
        numbers.iter().for_each(|number| maxima.push(*number));
        let above = |numbers: &[u32]| -> Vec<usize> {
            let above = range.clone().filter(|at| numbers.get(*at).is_some_and(|n| *n > limit));
            above.rev().collect()
        };
        let found: Vec<usize> = maxima.above(range.clone(), limit).collect();
        assert_eq!(found, above(numbers), "{range:?} above {limit}");
        let mut changed = numbers.to_vec();
        for position in (0..numbers.len()).step_by(7) {
            changed[position] = limit + u32::try_from(position % 2).unwrap();
            maxima.replace(position, changed[position]);
        }
        changed.truncate(changed.len() * 2 / 3);
        maxima.truncate(changed.len());
        let found: Vec<usize> = maxima.above(range.clone(), limit).collect();
        assert_eq!(found, above(&changed), "{range:?} above {limit}, some replaced and removed");
    }

    #[test]
    fn exactly_the_numbers_above_the_limit_are_found() {
        let numbers: Vec<u32> = (0..300).map(|at| at * 7_919 % 1_009).collect();
        for limit in [0, 500, 1_000, 1_005, 2_000] {
            for range in [0..300, 10..70, 64..128, 100..101, 5..5, 250..999] {
                check(&numbers, range, limit);
            }
        }
        check(&[], 0..10, 0);
    }
}
