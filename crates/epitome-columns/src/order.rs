//! Sorting by one function for all types. The compiler writes the standard library's sort once for each type, and each takes as much
//! space in a wasm module as a hundred lines of code.

use std::cmp::Ordering;

/// Sorts items in ascending order.
pub fn sort<T: Ord>(items: &mut Vec<T>) {
    sort_by(items, T::cmp);
}

/// Sorts items; equal ones stay in their order. Costs O(n log n), and some nanoseconds for each comparison more than the standard
/// library's sort.
pub fn sort_by<T>(items: &mut Vec<T>, mut compare: impl FnMut(&T, &T) -> Ordering) {
    let order = order(items.len(), &mut |one, other| match (items.get(one), items.get(other)) {
        (Some(one), Some(other)) => compare(one, other),
        _ => Ordering::Equal,
    });
    let mut taken: Vec<Option<T>> = std::mem::take(items).into_iter().map(Some).collect();
    items.extend(order.into_iter().filter_map(|at| taken.get_mut(at)?.take()));
}

/// Sorts items by a key; equal ones stay in their order.
pub fn sort_by_key<T, K: Ord>(items: &mut Vec<T>, mut key: impl FnMut(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// The places of so many items in their order.
fn order(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_and_equal_ones_stay_in_their_order() {
        for count in [0, 1, 2, 3, 50, 1_000] {
            let items = || (0..count).map(|at| (at * 7_919 % 13, at.to_string()));
            let (mut ours, mut expected): (Vec<_>, Vec<_>) = (items().collect(), items().collect());
            sort_by_key(&mut ours, |(key, _)| *key);
            expected.sort_by_key(|(key, _)| *key);
            assert_eq!(ours, expected);
            sort_by(&mut ours, |one, other| other.cmp(one));
            expected.sort_by(|one, other| other.cmp(one));
            assert_eq!(ours, expected);
        }
    }
}
