//! Merges that are to come, the first one in front.
//!
//! What a merge makes is merged later, so one that is put in is hardly ever before the last one that was taken. Then
//! they need not be sorted: they wait by the highest digit in which they differ from the last one. Each time that none
//! is left with a lower digit, those of the next one are told apart by the digits below it. So no merge moves more
//! often than it has digits, and all of this takes time linear in what is put in.

/// Bits of a digit.
const BITS: u32 = 4;
/// Values that a digit has.
const VALUES: usize = 1 << BITS;
/// Digits of a number.
const DIGITS: usize = (u64::BITS / BITS) as usize;

/// The merges, as numbers: what is less comes first.
#[derive(Debug)]
pub(super) struct Queue {
    /// The last one that was taken, but for early ones.
    last: u64,
    /// Those that are not before it, by the highest digit in which they differ from it, and its value.
    later: [[Vec<u64>; VALUES]; DIGITS],
    /// By digit: a bit for each value that some wait with.
    values: [u16; DIGITS],
    /// Those before it, the first one last.
    early: Vec<u64>,
    /// Room to tell some apart.
    moving: Vec<u64>,
}

impl Default for Queue {
    fn default() -> Self {
        let later = std::array::from_fn(|_| std::array::from_fn(|_| Vec::new()));
        Self { last: 0, later, values: [0; DIGITS], early: Vec::new(), moving: Vec::new() }
    }
}

impl Queue {
    /// Begins anew, when nothing is left in it: whatever is put in is not early.
    pub(super) fn begin(&mut self) {
        self.last = 0;
    }

    /// Puts one in. Takes longer for one that is early, by what is early as well.
    pub(super) fn push(&mut self, due: u64) {
        if due < self.last {
            let before = self.early.partition_point(|&other| other > due);
            self.early.insert(before, due);
            return;
        }
        let digit = (due ^ self.last).checked_ilog2().unwrap_or(0) / BITS;
        let value = (due >> (digit * BITS)) as usize % VALUES;
        let digit = digit as usize % DIGITS;
        if let (Some(later), Some(values)) = (self.later.get_mut(digit), self.values.get_mut(digit))
            && let Some(waiting) = later.get_mut(value)
        {
            waiting.push(due);
            *values |= 1 << value;
        }
    }

    /// Takes the first one out.
    pub(super) fn pop(&mut self) -> Option<u64> {
        if let Some(first) = self.early.pop() {
            return Some(first);
        }
        loop {
            let mut digits = self.later.iter_mut().zip(&mut self.values).enumerate();
            let (digit, (later, values)) = digits.find(|(_, (_, values))| **values != 0)?;
            let waiting = later.get_mut(values.trailing_zeros() as usize)?;
            // Those that differ in no more than the lowest digit are equal.
            if digit == 0 || waiting.len() == 1 {
                self.last = waiting.pop()?;
                if waiting.is_empty() {
                    *values &= *values - 1;
                }
                return Some(self.last);
            }
            *values &= *values - 1;
            std::mem::swap(waiting, &mut self.moving);
            self.last = self.moving.iter().copied().min()?;
            while let Some(due) = self.moving.pop() {
                self.push(due);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dice::dice;
    use super::*;

    #[test]
    fn merges_come_in_order_whenever_they_are_put_in() {
        let (mut queue, mut below) = (Queue::default(), dice(5));
        for round in 0..200 {
            queue.begin();
            let mut waiting: Vec<u64> = Vec::new();
            // Early ones are put in as well in every other round.
            let mut last = 0;
            for _ in 0..below(300) {
                if below(3) > 0 {
                    let least = if round % 2 == 0 { last } else { 0 };
                    let bits = below(40);
                    let due = (least + u64::from(below(1 << (bits % 20)))) << (bits / 20 * 30);
                    queue.push(due);
                    waiting.push(due);
                } else {
                    waiting.sort_unstable_by(|one, other| other.cmp(one));
                    let taken = queue.pop();
                    assert_eq!(taken, waiting.pop(), "round {round}");
                    last = taken.unwrap_or(last);
                }
            }
            waiting.sort_unstable();
            let left: Vec<u64> = std::iter::from_fn(|| queue.pop()).collect();
            assert_eq!(left, waiting, "round {round}");
        }
    }
}
