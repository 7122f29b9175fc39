//! A sorted map by code that is there once for all types. The compiler writes the standard library's B-tree once for each type, and
//! each takes as much space in a wasm module as several hundred lines of code.

mod order;
#[cfg(feature = "serde")]
mod stored;

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt::{self, Debug};
use std::ops::{Bound, RangeBounds};

use order::{Numbers, Order, Place};

/// Pairs of keys and values, sorted by key. It has the functions of a `BTreeMap` that are used here, and their costs: O(log n) for
/// each that looks for a key, and O(1) for a key behind all others.
#[derive(Clone)]
pub struct SortedMap<K, V> {
    /// In no order.
    entries: Vec<(K, V)>,
    order: Order,
}

impl<K, V> SortedMap<K, V> {
    /// An empty map.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), order: Order::new() }
    }

    /// The number of its entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if it has no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// All entries in order.
    pub fn iter(&self) -> Entries<'_, K, V> {
        Entries { entries: &self.entries, numbers: self.order.numbers() }
    }

    /// All entries in order, whose values can be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&K, &mut V)> {
        let mut entries: Vec<Option<&mut (K, V)>> = self.entries.iter_mut().map(Some).collect();
        let entries =
            self.order.numbers().filter_map(move |number| entries.get_mut(number)?.take());
        entries.map(|(key, value)| (&*key, value))
    }

    /// All keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + Clone {
        self.iter().map(|(key, _)| key)
    }

    /// All values in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// All values in the order of their keys.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> {
        self.iter_mut().map(|(_, value)| value)
    }

    /// All values in the order of their keys.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }

    /// The first entry.
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }

    /// The last entry.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next_back()
    }

    fn at(&self, place: Place) -> Option<(&K, &V)> {
        pair(self.entries.get(self.order.get(place)?))
    }

    fn value_at(&mut self, place: Place) -> Option<&mut V> {
        self.entries.get_mut(self.order.get(place)?).map(|(_, value)| value)
    }

    fn insert_at(&mut self, place: Place, key: K, value: V) {
        self.order.insert(place, self.entries.len());
        self.entries.push((key, value));
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<Place, Place>
    where
        K: Borrow<Q>,
    {
        self.order.find(&|number| compare(&self.entries, number, key))
    }

    fn find_from_end(&self, key: &K) -> Result<Place, Place> {
        self.order.find_from_end(&|number| compare(&self.entries, number, key))
    }

    /// The value of a key. Inlined, since many maps are empty most of the time and are asked for every message.
    #[inline]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        if self.is_empty() { None } else { self.get_key_value(key).map(|(_, value)| value) }
    }

    /// The entry of a key.
    pub fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        self.at(self.find(key).ok()?)
    }

    /// The value of a key.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        self.value_at(place)
    }

    /// True if it has the key.
    #[inline]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        !self.is_empty() && self.find(key).is_ok()
    }

    /// Sets the value of a key. Returns the one before; then the key stays the one that it was.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find_from_end(&key) {
            Ok(place) => self.value_at(place).map(|before| std::mem::replace(before, value)),
            Err(place) => {
                self.insert_at(place, key, value);
                None
            }
        }
    }

    /// The place of a key, whether it is in the map or not.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let found = self.find_from_end(&key);
        Entry { map: self, key, found }
    }

    /// Removes the entry of a key and returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.remove_entry(key).map(|(_, value)| value)
    }

    /// Removes the entry of a key and returns it.
    pub fn remove_entry<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        self.remove_at(place)
    }

    /// Removes the first entry and returns it.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        self.remove_at(Place::default())
    }

    /// Removes the entry at a place. The last one of the vector takes its number.
    fn remove_at(&mut self, place: Place) -> Option<(K, V)> {
        let number = self.order.get(place)?;
        let last = self.entries.len().checked_sub(1)?;
        if let Some((key, _)) = self.entries.last()
            && let Ok(moved) = self.find(key)
        {
            self.order.set(moved, number);
        }
        if number == last {
            self.order.remove(place);
            return self.entries.pop();
        }
        self.order.remove(place);
        Some(self.entries.swap_remove(number))
    }

    /// Keeps only the entries for which `keeps` is true. Linear.
    pub fn retain(&mut self, mut keeps: impl FnMut(&K, &mut V) -> bool) {
        for (key, mut value) in std::mem::take(self) {
            if keeps(&key, &mut value) {
                self.insert(key, value);
            }
        }
    }

    /// The entries whose keys are in a range, in order.
    pub fn range<Q: Ord + ?Sized, R: RangeBounds<Q>>(&self, range: R) -> Entries<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let start = match range.start_bound() {
            Bound::Included(key) => self.edge(key, Ordering::Greater),
            Bound::Excluded(key) => self.edge(key, Ordering::Less),
            Bound::Unbounded => Place::default(),
        };
        let end = match range.end_bound() {
            Bound::Included(key) => self.edge(key, Ordering::Less),
            Bound::Excluded(key) => self.edge(key, Ordering::Greater),
            Bound::Unbounded => self.order.end(),
        };
        Entries { entries: &self.entries, numbers: self.order.between(start, end) }
    }

    /// The place between the keys before and behind this one, which is itself on the side that `equal` says.
    fn edge<Q: Ord + ?Sized>(&self, key: &Q, equal: Ordering) -> Place
    where
        K: Borrow<Q>,
    {
        let (Ok(place) | Err(place)) =
            self.order.find(&|number| compare(&self.entries, number, key).then(equal));
        place
    }
}

fn compare<K: Borrow<Q>, V, Q: Ord + ?Sized>(
    entries: &[(K, V)],
    number: usize,
    key: &Q,
) -> Ordering {
    entries.get(number).map_or(Ordering::Equal, |(other, _)| other.borrow().cmp(key))
}

/// The place of a key in a map.
pub struct Entry<'a, K, V> {
    map: &'a mut SortedMap<K, V>,
    key: K,
    found: Result<Place, Place>,
}

impl<'a, K, V> Entry<'a, K, V> {
    /// Changes the value, if there is one.
    #[must_use]
    pub fn and_modify(self, change: impl FnOnce(&mut V)) -> Self {
        if let Some(value) = self.found.ok().and_then(|place| self.map.value_at(place)) {
            change(value);
        }
        self
    }

    /// The value; `make` makes it if there is none.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        let Self { map, key, found } = self;
        let number = match found.ok().and_then(|place| map.order.get(place)) {
            Some(number) => number,
            None => {
                let (Ok(place) | Err(place)) = found;
                map.insert_at(place, key, make());
                map.entries.len() - 1
            }
        };
        #[expect(clippy::indexing_slicing, reason = "an order has only numbers of entries")]
        &mut map.entries[number].1
    }

    /// The value, or this one if there is none.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// The value, or the default one if there is none.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

/// Entries in the order of their keys.
#[derive(Debug)]
pub struct Entries<'a, K, V> {
    entries: &'a [(K, V)],
    numbers: Numbers<'a>,
}

impl<K, V> Clone for Entries<'_, K, V> {
    fn clone(&self) -> Self {
        Self { entries: self.entries, numbers: self.numbers.clone() }
    }
}

impl<'a, K, V> Iterator for Entries<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        pair(self.entries.get(self.numbers.next()?))
    }
}

impl<K, V> DoubleEndedIterator for Entries<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        pair(self.entries.get(self.numbers.next_back()?))
    }
}

fn pair<K, V>(entry: Option<&(K, V)>) -> Option<(&K, &V)> {
    entry.map(|(key, value)| (key, value))
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Debug, V: Debug> Debug for SortedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for SortedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other)
    }
}

impl<K: Eq, V: Eq> Eq for SortedMap<K, V> {}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for SortedMap<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Entries<'a, K, V>;

    fn into_iter(self) -> Entries<'a, K, V> {
        self.iter()
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        let Self { entries, order } = self;
        if order.is_that_of_entries() {
            return entries.into_iter();
        }
        let mut entries: Vec<Option<(K, V)>> = entries.into_iter().map(Some).collect();
        let take = |number: usize| entries.get_mut(number)?.take();
        order.numbers().filter_map(take).collect::<Vec<_>>().into_iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Numbers without order, the same in each run.
    fn random() -> impl FnMut(usize) -> usize {
        let mut state = 1_u64;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(state >> 33).unwrap() % below
        }
    }

    fn check(map: &SortedMap<String, usize>, expected: &BTreeMap<String, usize>) {
        assert_eq!(map.len(), expected.len());
        assert!(map.iter().eq(expected));
        assert!(map.iter().rev().eq(expected.iter().rev()));
        assert!(map.clone().into_iter().eq(expected.clone()));
        assert!(map.clone().values_mut().eq(expected.clone().values_mut()));
        assert_eq!(map.first_key_value(), expected.first_key_value());
        assert_eq!(map.last_key_value(), expected.last_key_value());
    }

    #[test]
    fn a_map_is_what_a_tree_is_after_any_changes() {
        let mut random = random();
        for keys in [3, 40, 5_000] {
            let (mut map, mut expected) = (SortedMap::new(), BTreeMap::new());
            for step in 0..20_000 {
                let key = format!("{:04}", random(keys));
                match random(8) {
                    0..4 => assert_eq!(map.insert(key.clone(), step), expected.insert(key, step)),
                    4 => {
                        *map.entry(key.clone()).or_default() += step;
                        *expected.entry(key).or_default() += step;
                    }
                    5 => assert_eq!(map.get(key.as_str()), expected.get(key.as_str())),
                    6 => assert_eq!(map.remove(key.as_str()), expected.remove(key.as_str())),
                    _ if step % 10 == 0 => assert_eq!(map.pop_first(), expected.pop_first()),
                    _ => assert_eq!(map.remove(key.as_str()), expected.remove(key.as_str())),
                }
                if step % 500 == 0 {
                    check(&map, &expected);
                }
            }
            check(&map, &expected);
            map.retain(|_, value| *value % 3 == 0);
            expected.retain(|_, value| *value % 3 == 0);
            check(&map, &expected);
            while let Some(first) = expected.pop_first() {
                assert_eq!(map.pop_first(), Some(first));
            }
            assert!(map.is_empty() && map.pop_first().is_none());
        }
    }

    #[test]
    fn ranges_have_what_those_of_a_tree_have() {
        let mut random = random();
        let pairs: Vec<(usize, usize)> = (0..3_000).map(|at| (random(9_000), at)).collect();
        let map = SortedMap::from_iter(pairs.iter().copied());
        let expected = BTreeMap::from_iter(pairs);
        for _ in 0..500 {
            let (one, other) = (random(9_100), random(9_100));
            let (from, to) = (one.min(other), one.max(other));
            assert!(map.range(from..to).eq(expected.range(from..to)));
            assert!(map.range(from..=to).rev().eq(expected.range(from..=to).rev()));
            assert!(map.range(..to).eq(expected.range(..to)));
            assert!(map.range(from..).rev().eq(expected.range(from..).rev()));
        }
        assert_eq!(map.range(5..5).next(), None);
    }
}
