//! The highest of many numbers, block by block: whoever looks for high ones passes over the rest unseen.

use std::ops::Range;

/// How many numbers are looked at together.
const BLOCK: usize = 64;

/// Numbers by position, and the highest of every block of them.
#[derive(Default)]
pub(super) struct Peaks {
    numbers: Vec<u32>,
    highest: Vec<u32>,
}

impl Peaks {
    /// Adds a number at the end.
    pub(super) fn push(&mut self, number: u32) {
        match self.highest.last_mut().filter(|_| !self.numbers.len().is_multiple_of(BLOCK)) {
            Some(highest) => *highest = number.max(*highest),
            None => self.highest.push(number),
        }
        self.numbers.push(number);
    }

    /// Puts a number in the place of another. Costs a block.
    pub(super) fn replace(&mut self, position: usize, number: u32) {
        let Some(slot) = self.numbers.get_mut(position) else { return };
        *slot = number;
        let block = position / BLOCK;
        let highest = self.numbers.iter().skip(block * BLOCK).take(BLOCK).max();
        if let (Some(slot), Some(highest)) = (self.highest.get_mut(block), highest) {
            *slot = *highest;
        }
    }

    /// Where the numbers of a range are that are higher than `number`, last first. Costs the blocks that
    /// have some, and a little for every other.
    pub(super) fn above(
        &self,
        range: Range<usize>,
        number: u32,
    ) -> impl Iterator<Item = usize> + '_ {
        let is_above =
            move |numbers: &[u32], at: usize| numbers.get(at).is_some_and(|n| *n > number);
        let end = range.end.min(self.numbers.len());
        let blocks = (range.start / BLOCK..end.div_ceil(BLOCK)).rev();
        blocks.filter(move |block| is_above(&self.highest, *block)).flat_map(move |block| {
            let first = range.start.max(block * BLOCK);
            let last = end.min((block + 1) * BLOCK);
            (first..last).rev().filter(move |at| is_above(&self.numbers, *at))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that what is passed over is what is too low.
    fn check(numbers: &[u32], range: Range<usize>, number: u32) {
        let mut peaks = Peaks::default();
        numbers.iter().for_each(|number| peaks.push(*number));
        let above = |numbers: &[u32]| -> Vec<usize> {
            let there = range.clone().filter(|at| numbers.get(*at).is_some_and(|n| *n > number));
            there.rev().collect()
        };
        let found: Vec<usize> = peaks.above(range.clone(), number).collect();
        assert_eq!(found, above(numbers), "{range:?} above {number}");
        let mut changed = numbers.to_vec();
        for position in (0..numbers.len()).step_by(7) {
            changed[position] = number + u32::try_from(position % 2).unwrap();
            peaks.replace(position, changed[position]);
        }
        let found: Vec<usize> = peaks.above(range.clone(), number).collect();
        assert_eq!(found, above(&changed), "{range:?} above {number}, some replaced");
    }

    #[test]
    fn all_high_numbers_are_found_and_no_others() {
        let numbers: Vec<u32> = (0..300).map(|at| at * 7_919 % 1_009).collect();
        for number in [0, 500, 1_000, 1_005, 2_000] {
            for range in [0..300, 10..70, 64..128, 100..101, 5..5, 250..999] {
                check(&numbers, range, number);
            }
        }
        check(&[], 0..10, 0);
    }
}
