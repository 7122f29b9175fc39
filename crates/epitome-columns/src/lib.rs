//! Loops over columns of numbers and over bytes that run after every message. The engine is compiled for size, which leaves out
//! vector instructions; this crate is compiled for speed. And a sort, a map and a set
//! whose code is there once for all types, and texts that are found again by their hash.
//!
//! The loops are not inlined: in a function that is compiled for size, they would be too.

mod map;
mod order;
mod seen;
mod set;

pub use map::{Entries, Entry, SortedMap};
pub use order::{sort, sort_by, sort_by_key};
pub use seen::{Hash, Seen};
pub use set::{Items, SortedSet};

/// Rows that are compared at once.
const BLOCK: usize = 64;

/// Writes the positions at which a row differs from the one before, and of new rows, in order. Both tables have three columns of
/// equal length, one behind the other. Linear; reads 64 rows at once where nothing differs.
#[inline(never)]
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

/// Sets tokens to 0 in a table of three columns of equal length, one behind the other: numbers of actions, tokens before, and tokens
/// afterwards. Where the action is `gone`, there are none in either; where it is `going`, none afterwards. Linear.
#[inline(never)]
pub fn clear_summarized(table: &mut [u32], gone: u32, going: u32) {
    let count = table.len() / 3;
    let (actions, tokens) = table.split_at_mut(count);
    let (before, after) = tokens.split_at_mut(count);
    for ((action, before), after) in actions.iter().zip(before).zip(after) {
        *before = if *action == gone { 0 } else { *before };
        *after = if *action == gone || *action == going { 0 } else { *after };
    }
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
#[inline(never)]
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

/// Entries whose lengths are added up at once.
const ENTRIES: usize = 16;

/// The number of chunks that these entries take if each is filled up to `limit` characters, at least 1; approximate if an entry is
/// longer than that. Linear; most entries are not looked at one by one.
#[inline(never)]
pub fn chunks(runs: &[&[EntrySize]], limit: usize) -> usize {
    let (mut groups, mut chunks) = (Groups { limit, open: 0 }, Chunks { limit, count: 0, left: 0 });
    for block in runs.iter().flat_map(|run| run.chunks(ENTRIES)) {
        if let Some(closed) = groups.push_all(block, chunks.left) {
            chunks.left -= closed;
        } else {
            block.iter().for_each(|entry| groups.push(*entry, |length| chunks.add(length)));
        }
    }
    groups.end(|length| chunks.add(length));
    chunks.count
}

/// The lengths of the groups of entries that stay in one chunk: a result is in the group before it if both have at most `limit`
/// characters, at least 1, and a longer entry is divided. Linear.
pub fn group_lengths(runs: &[&[EntrySize]], limit: usize) -> Vec<usize> {
    let (mut groups, mut lengths) = (Groups { limit, open: 0 }, Vec::new());
    for entry in runs.iter().copied().flatten() {
        groups.push(*entry, |length| lengths.push(length));
    }
    groups.end(|length| lengths.push(length));
    lengths
}

/// Chunks that are filled with groups, each of at most `limit` characters.
struct Chunks {
    limit: usize,
    count: usize,
    /// Characters for which the last one has room.
    left: usize,
}

impl Chunks {
    fn add(&mut self, length: usize) {
        if length > self.left {
            self.count += 1;
            self.left = self.limit;
        }
        self.left = self.left.saturating_sub(length);
    }
}

/// Puts entries into groups, which are never empty.
struct Groups {
    limit: usize,
    /// Characters of the last group, to which results may be added.
    open: usize,
}

impl Groups {
    /// Adds an entry. Calls `each` with the length of every group that this closes.
    fn push(&mut self, entry: EntrySize, mut each: impl FnMut(usize)) {
        if entry == EntrySize::NONE {
            return;
        }
        let mut length = entry.characters();
        if entry.is_result() && self.open + length <= self.limit {
            self.open += length;
            return;
        }
        // The first entry closes a group that is still empty, and a group of no entries must not get a chunk.
        if self.open > 0 {
            each(self.open);
        }
        while length > self.limit {
            let piece = (self.limit / 2).max(1);
            each(piece);
            length -= piece;
        }
        self.open = length;
    }

    /// Adds all of these entries if they and the last group have at most `room` characters, which is at most the limit: then all
    /// of them are in one chunk, however they are grouped. Returns the characters of the groups that this closes.
    fn push_all(&mut self, entries: &[EntrySize], room: usize) -> Option<usize> {
        // Without a branch, so that it compiles to vector instructions. Sixteen lengths of less than 2²⁷ fit the sum.
        let longest = entries.iter().fold(0, |longest, entry| longest.max(entry.0 >> 1));
        let sum: u32 = entries.iter().fold(0, |sum, entry| sum.wrapping_add(entry.0 >> 1));
        let all = self.open + usize::try_from(sum).unwrap_or(usize::MAX);
        if longest >= 1 << 27 || all > room {
            return None;
        }
        // The last group begins with the last entry that is no result.
        let mut last = 0;
        for entry in entries.iter().rev() {
            last += entry.characters();
            if *entry != EntrySize::NONE && !entry.is_result() {
                self.open = last;
                return Some(all - last);
            }
        }
        self.open = all;
        Some(0)
    }

    /// Closes the last group.
    fn end(self, mut each: impl FnMut(usize)) {
        if self.open > 0 {
            each(self.open);
        }
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
    fn as_many_chunks_are_counted_as_the_groups_fill_one_by_one() {
        let mut state = 7_u32;
        let mut below = |end: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            usize::try_from((state >> 8) % end).unwrap()
        };
        for limit in [1, 9, 100, 1_000, 40_000] {
            for _ in 0..200 {
                let entries: Vec<EntrySize> = (0..below(90))
                    .map(|_| match below(8) {
                        0 => EntrySize::NONE,
                        1 => EntrySize::new(below(50_000), false),
                        kind => EntrySize::new(1 + below(300), kind < 5),
                    })
                    .collect();
                let runs: Vec<&[EntrySize]> = entries.chunks(1 + below(40)).collect();
                let (mut count, mut left) = (0, 0);
                for length in group_lengths(&runs, limit) {
                    if length > left {
                        (count, left) = (count + 1, limit);
                    }
                    left = left.saturating_sub(length);
                }
                assert_eq!(chunks(&runs, limit), count, "{entries:?} in chunks of {limit}");
            }
        }
    }

    #[test]
    fn messages_in_a_summary_have_no_tokens_and_those_that_it_will_replace_have_none_afterwards() {
        let mut table = [0, 8, 9, 3, 8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
        clear_summarized(&mut table, 8, 9);
        assert_eq!(table, [0, 8, 9, 3, 8, 1, 0, 3, 4, 0, 6, 0, 0, 9, 0]);
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
