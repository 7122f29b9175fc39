//! Compares the columns of successive plans. The engine is compiled for size, which leaves out vector instructions; this crate is
//! compiled for speed.

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

#[cfg(test)]
mod tests {
    use super::*;

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
