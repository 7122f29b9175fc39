//! Loops over columns of numbers and over bytes that run after every message. The engine is compiled for size, which leaves out
//! vector instructions; this crate is compiled for speed. And a sort, a map and a set
//! whose code is there once for all types.

mod map;
mod order;
mod set;

pub use map::{Entries, Entry, SortedMap};
pub use order::{sort, sort_by, sort_by_key};
pub use set::{Items, SortedSet};

/// Rows that are compared at once.
const BLOCK: usize = 64;

/// Writes the positions at which a row differs from the one before, and of new rows, in order. Both tables have three columns of
/// equal length, one behind the other. Linear; reads 64 rows at once where nothing differs.
pub fn compare(now: &[u32], previous: &[u32], changed: &mut Vec<u32>) {
    let (count, previous_count) = (now.len() / 3, previous.len() / 3);
    let both = count.min(previous_count);
    let columns = || {
        // `chunks_exact` panics for a size of 0.
        now.chunks_exact(count.max(1)).zip(previous.chunks_exact(previous_count.max(1)))
    };
    changed.clear();
    for first in (0..both).step_by(BLOCK) {
        let block = first..both.min(first + BLOCK);
        let differ = |now: &[u32], previous: &[u32]| {
            let blocks = now.get(block.clone()).zip(previous.get(block.clone()));
            blocks.is_none_or(|(now, previous)| differ(now, previous))
        };
        if columns().any(|(now, previous)| differ(now, previous)) {
            let differs =
                |at: &usize| columns().any(|(now, previous)| now.get(*at) != previous.get(*at));
            changed.extend(block.filter(differs).filter_map(number));
        }
    }
    changed.extend((both..count).filter_map(number));
}

/// True if two blocks of the same length differ. Reads all of both without a branch, so that it compiles to vector instructions.
fn differ(now: &[u32], previous: &[u32]) -> bool {
    now.iter().zip(previous).fold(0, |bits, (now, previous)| bits | (now ^ previous)) != 0
}

fn number(position: usize) -> Option<u32> {
    u32::try_from(position).ok()
}

/// The most characters that a UTF-8 text takes in a transcript: its own, one more for each line break, and three more for each
/// `<`. Linear.
pub fn rendered_characters(text: &[u8]) -> usize {
    let continues = |byte: u8| byte & 0b1100_0000 == 0b1000_0000;
    // The first byte of every line break, behind which a backslash may be needed. Outside of ASCII these bytes also begin
    // other characters, such as typographic quotes.
    let breaks = |byte: u8| matches!(byte, b'\n'..=b'\r' | 0x1C..=0x1E | 0xC2 | 0xE2);
    // Sums of bytes over short blocks, without branches, compile to vector instructions: 32 bytes cost at most 4 each, which
    // fits a byte.
    let cost = |byte: &u8| {
        u8::from(!continues(*byte)) + u8::from(breaks(*byte)) + 3 * u8::from(*byte == b'<')
    };
    text.chunks(32).map(|block| usize::from(block.iter().map(cost).sum::<u8>())).sum()
}

/// The size of an entry of a transcript, in one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntrySize(u32);

impl EntrySize {
    /// No entry.
    pub const NONE: Self = Self(0);

    /// An entry of this many characters, at most 2³¹ − 1. A message of tool results is a result, and so is the acknowledgement
    /// that ends a transcript behind them.
    pub fn new(characters: usize, is_result: bool) -> Self {
        let characters = u32::try_from(characters).unwrap_or(u32::MAX).min(u32::MAX >> 1);
        Self((characters << 1) | u32::from(is_result))
    }

    fn characters(self) -> usize {
        usize::try_from(self.0 >> 1).unwrap_or(usize::MAX)
    }

    fn is_result(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The number of chunks that these entries take if each is filled up to `limit` characters, at least 1; approximate if an entry is
/// longer than that. Linear.
pub fn chunks(runs: &[&[EntrySize]], limit: usize) -> usize {
    let (mut count, mut left) = (0, 0);
    each_group(runs, limit, |length| {
        if length > left {
            count += 1;
            left = limit;
        }
        left = left.saturating_sub(length);
    });
    count
}

/// The lengths of the groups of entries that stay in one chunk: a result is in the group before it if both have at most `limit`
/// characters, at least 1, and a longer entry is divided. Linear.
pub fn group_lengths(runs: &[&[EntrySize]], limit: usize) -> Vec<usize> {
    let mut lengths = Vec::new();
    each_group(runs, limit, |length| lengths.push(length));
    lengths
}

/// Calls `each` with the length of every group, in order. Groups are never empty.
fn each_group(runs: &[&[EntrySize]], limit: usize, mut each: impl FnMut(usize)) {
    let mut group = 0;
    for entry in runs.iter().copied().flatten().filter(|entry| **entry != EntrySize::NONE) {
        let mut length = entry.characters();
        if entry.is_result() && group + length <= limit {
            group += length;
            continue;
        }
        // The first entry ends a group that is still empty, and a group of no entries must not get a chunk.
        if group > 0 {
            each(group);
        }
        while length > limit {
            let piece = (limit / 2).max(1);
            each(piece);
            length -= piece;
        }
        group = length;
    }
    if group > 0 {
        each(group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stay_with_the_entry_before_them_and_long_entries_are_divided() {
        let entry = |characters| EntrySize::new(characters, false);
        let result = |characters| EntrySize::new(characters, true);
        let runs: [&[EntrySize]; 3] =
            [&[EntrySize::NONE, result(2), entry(5), result(5)], &[], &[result(1), entry(25)]];
        assert_eq!(group_lengths(&runs, 10), [2, 10, 1, 5, 5, 5, 10]);
        assert_eq!(chunks(&runs, 10), 5);
        assert_eq!(chunks(&[], 10), 0);
    }

    #[test]
    fn rendered_characters_are_an_upper_bound_of_what_is_escaped() {
        assert_eq!(rendered_characters(b""), 0);
        assert_eq!(rendered_characters("a<b\nü".as_bytes()), 9);
        assert_eq!(rendered_characters("x".repeat(1000).as_bytes()), 1000);
    }

    #[test]
    fn rows_that_differ_in_any_column_and_new_rows_are_found() {
        let rows = 200;
        let mut table = vec![7; 3 * rows];
        let before = table.clone();
        let mut changed = vec![1];
        compare(&table, &before, &mut changed);
        assert_eq!(changed, []);
        for at in [3, rows + 64, 2 * rows + 199] {
            table[at] = 8;
        }
        compare(&table, &before, &mut changed);
        assert_eq!(changed, [3, 64, 199]);
        compare(&[7; 9], &[7; 6], &mut changed);
        assert_eq!(changed, [2]);
        compare(&[7; 6], &[7; 9], &mut changed);
        assert_eq!(changed, []);
        compare(&[], &[7; 9], &mut changed);
        assert_eq!(changed, []);
    }
}
