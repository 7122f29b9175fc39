//! A sorted set: a [`SortedMap`] without values.

use std::borrow::Borrow;
use std::fmt::{self, Debug};
use std::ops::RangeBounds;

use crate::map::{Entries, SortedMap};

/// Items, sorted, each once. It has the functions of a `BTreeSet` that are used here, and their costs.
#[derive(Clone, PartialEq, Eq)]
pub struct SortedSet<T> {
    items: SortedMap<T, ()>,
}

impl<T> SortedSet<T> {
    /// An empty set.
    pub const fn new() -> Self {
        Self { items: SortedMap::new() }
    }

    /// The number of its items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True if it has no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All items in order.
    pub fn iter(&self) -> Items<'_, T> {
        Items(self.items.iter())
    }

    /// The first item.
    pub fn first(&self) -> Option<&T> {
        self.iter().next()
    }

    /// The last item.
    pub fn last(&self) -> Option<&T> {
        self.iter().next_back()
    }
}

impl<T: Ord> SortedSet<T> {
    /// True if it has the item.
    #[inline]
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.items.contains_key(item)
    }

    /// Adds an item. Returns false if the set had it already.
    pub fn insert(&mut self, item: T) -> bool {
        self.items.insert(item, ()).is_none()
    }

    /// Removes an item. Returns false if the set did not have it.
    pub fn remove<Q: Ord + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.items.remove(item).is_some()
    }

    /// Keeps only the items for which `keeps` is true. Linear.
    pub fn retain(&mut self, mut keeps: impl FnMut(&T) -> bool) {
        self.items.retain(|item, ()| keeps(item));
    }

    /// The items in a range, in order.
    pub fn range<Q: Ord + ?Sized, R: RangeBounds<Q>>(&self, range: R) -> Items<'_, T>
    where
        T: Borrow<Q>,
    {
        Items(self.items.range(range))
    }
}

/// Items in their order.
#[derive(Debug)]
pub struct Items<'a, T>(Entries<'a, T, ()>);

impl<T> Clone for Items<'_, T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<'a, T> Iterator for Items<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.0.next().map(|(item, ())| item)
    }
}

impl<T> DoubleEndedIterator for Items<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(item, ())| item)
    }
}

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Debug> Debug for SortedSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.items.extend(items.into_iter().map(|item| (item, ())));
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::new();
        set.extend(items);
        set
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for SortedSet<T> {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<'a, T> IntoIterator for &'a SortedSet<T> {
    type Item = &'a T;
    type IntoIter = Items<'a, T>;

    fn into_iter(self) -> Items<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::iter::Map<std::vec::IntoIter<(T, ())>, fn((T, ())) -> T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter().map(|(item, ())| item)
    }
}
