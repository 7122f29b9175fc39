//! A radix heap: a priority queue of the pending merges, the earliest merge first.
//!
//! A merge mostly creates merges that come later, so a number that is pushed is rarely below the last one that was
//! popped. Such numbers need no sorting. Each waits in a bucket, chosen by the highest digit in which it differs from
//! the last popped number. When the buckets of all lower digits are empty, the numbers of the next bucket are moved to
//! the buckets of lower digits. A number moves at most once per digit, so the total time is linear in the number of
//! pushes.
//!
//! A binary heap would take logarithmic time per merge, and more branches that a processor mispredicts. The length of a
//! piece is not limited, so it is the worst case that counts here.

/// Bits of a digit.
const BITS: u32 = 4;
/// Values of a digit.
const VALUES: usize = 1 << BITS;
/// Digits of a number.
const DIGITS: usize = (u64::BITS / BITS) as usize;

/// The pending merges as numbers: the lowest number is popped first.
#[derive(Debug)]
pub(super) struct RadixHeap {
    /// The last number that was popped from a bucket.
    last: u64,
    /// The numbers from `last` on, by the highest digit in which they differ from `last`, and its value.
    buckets: [[Vec<u64>; VALUES]; DIGITS],
    /// By digit, one bit for each value whose bucket is not empty.
    filled: [u16; DIGITS],
    /// The numbers below `last`, in descending order.
    // Only a `tokenizer.json` has such merges: it may list a merge before the one that makes one of its sources.
    // Without this list such a merge would come too late.
    early: Vec<u64>,
    /// Takes the numbers of one bucket while they move to others, so that no memory is allocated.
    moving: Vec<u64>,
}

impl Default for RadixHeap {
    fn default() -> Self {
        let buckets = std::array::from_fn(|_| std::array::from_fn(|_| Vec::new()));
        Self { last: 0, buckets, filled: [0; DIGITS], early: Vec::new(), moving: Vec::new() }
    }
}

impl RadixHeap {
    /// Prepares an empty heap for the next piece. Without this call, the numbers of that piece that are below the last
    /// one of the previous piece would all be early, which is slow.
    pub(super) fn restart(&mut self) {
        self.last = 0;
    }

    /// Adds a number. Takes constant time, or time linear in the early numbers if it is early itself.
    pub(super) fn push(&mut self, number: u64) {
        if number < self.last {
            let before = self.early.partition_point(|&other| other > number);
            self.early.insert(before, number);
            return;
        }
        let digit = (number ^ self.last).checked_ilog2().unwrap_or(0) / BITS;
        let value = (number >> (digit * BITS)) as usize % VALUES;
        let digit = digit as usize % DIGITS;
        if let (Some(buckets), Some(filled)) =
            (self.buckets.get_mut(digit), self.filled.get_mut(digit))
            && let Some(bucket) = buckets.get_mut(value)
        {
            bucket.push(number);
            *filled |= 1 << value;
        }
    }

    /// Removes the lowest number.
    pub(super) fn pop(&mut self) -> Option<u64> {
        if let Some(first) = self.early.pop() {
            return Some(first);
        }
        loop {
            let mut digits = self.buckets.iter_mut().zip(&mut self.filled).enumerate();
            let (digit, (buckets, filled)) = digits.find(|(_, (_, filled))| **filled != 0)?;
            let bucket = buckets.get_mut(filled.trailing_zeros() as usize)?;
            // Numbers that differ from `last` in the lowest digit only, and have the same value there, are equal.
            if digit == 0 || bucket.len() == 1 {
                self.last = bucket.pop()?;
                if bucket.is_empty() {
                    *filled &= *filled - 1;
                }
                return Some(self.last);
            }
            // The lowest number becomes `last`, so all numbers of the bucket now agree with it in this digit, and
            // `push` puts each into a bucket of a lower digit. That is what makes this loop end.
            *filled &= *filled - 1;
            std::mem::swap(bucket, &mut self.moving);
            self.last = self.moving.iter().copied().min()?;
            while let Some(number) = self.moving.pop() {
                self.push(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::prng::prng;
    use super::*;

    #[test]
    fn numbers_are_popped_in_order_whenever_they_are_pushed() {
        let (mut heap, mut below) = (RadixHeap::default(), prng(5));
        for round in 0..200 {
            heap.restart();
            let mut waiting: Vec<u64> = Vec::new();
            // In every other round, early numbers are pushed as well.
            let mut last = 0;
            for _ in 0..below(300) {
                if below(3) > 0 {
                    let least = if round % 2 == 0 { last } else { 0 };
                    let bits = below(40);
                    let number = (least + u64::from(below(1 << (bits % 20)))) << (bits / 20 * 30);
                    heap.push(number);
                    waiting.push(number);
                } else {
                    waiting.sort_unstable_by(|one, other| other.cmp(one));
                    let taken = heap.pop();
                    assert_eq!(taken, waiting.pop(), "round {round}");
                    last = taken.unwrap_or(last);
                }
            }
            waiting.sort_unstable();
            let left: Vec<u64> = std::iter::from_fn(|| heap.pop()).collect();
            assert_eq!(left, waiting, "round {round}");
        }
    }
}
