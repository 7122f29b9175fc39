//! Sets and maps of items. `collect` sorts the items before, by a sort that the compiler writes for each type; see [`order`](crate::order).

use std::collections::{BTreeMap, BTreeSet};

/// The set of these items. Costs O(n log n).
pub fn to_set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(items);
    set
}

/// The map of these pairs; of several with one key, the last one is in it. Costs O(n log n).
pub fn to_map<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(pairs);
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_maps_are_those_of_collect() {
        let pairs = || (0..100).map(|at| (at * 31 % 17, at));
        assert_eq!(to_map(pairs()), pairs().collect());
        assert_eq!(to_set(pairs()), pairs().collect());
    }
}
