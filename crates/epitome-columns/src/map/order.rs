//! The order of a map's entries: the one part of a map that does not depend on its types.

use std::cmp::Ordering;

/// The most numbers in a block; a full one is divided into two.
const FULL: usize = 512;

/// Compares an entry with what is looked for.
pub(super) type Compare<'a> = &'a dyn Fn(usize) -> Ordering;

/// The numbers of all entries in the order of their keys, in blocks, so that one is inserted or removed without moving all behind it.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// None of them is empty.
    blocks: Vec<Vec<usize>>,
}

/// A place in an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    block: usize,
    at: usize,
}

impl Order {
    /// That of no entries.
    pub(super) const fn new() -> Self {
        Self { blocks: Vec::new() }
    }

    /// Where the entry is that compares as equal, or else where it would be. Costs O(log n).
    pub(super) fn find(&self, compare: Compare<'_>) -> Result<Place, Place> {
        let is_not_behind = |block: &Vec<usize>| {
            block.first().is_none_or(|number| compare(*number) != Ordering::Greater)
        };
        let block = self.blocks.partition_point(is_not_behind).saturating_sub(1);
        let numbers = self.blocks.get(block).map_or(&[][..], Vec::as_slice);
        match numbers.binary_search_by(|number| compare(*number)) {
            Ok(at) => Ok(Place { block, at }),
            Err(at) => Err(Place { block, at }),
        }
    }

    /// The same, in constant time if it would be the last entry.
    pub(super) fn find_from_end(&self, compare: Compare<'_>) -> Result<Place, Place> {
        let last = self.blocks.last().and_then(|block| block.last());
        if last.is_none_or(|number| compare(*number) == Ordering::Less) {
            let block = self.blocks.len().saturating_sub(1);
            let at = self.blocks.last().map_or(0, Vec::len);
            return Err(Place { block, at });
        }
        self.find(compare)
    }

    /// The number of the entry at a place.
    pub(super) fn get(&self, Place { block, at }: Place) -> Option<usize> {
        self.blocks.get(block)?.get(at).copied()
    }

    /// Writes another number at a place.
    pub(super) fn set(&mut self, Place { block, at }: Place, number: usize) {
        if let Some(place) = self.blocks.get_mut(block).and_then(|block| block.get_mut(at)) {
            *place = number;
        }
    }

    /// Inserts the number of an entry at the place that `find` has returned.
    pub(super) fn insert(&mut self, Place { block, at }: Place, number: usize) {
        let Some(numbers) = self.blocks.get_mut(block) else {
            self.blocks.push(vec![number]);
            return;
        };
        if numbers.len() < FULL {
            numbers.insert(at.min(numbers.len()), number);
            return;
        }
        // What grows at its end keeps full blocks.
        let middle = if at == FULL { FULL } else { FULL / 2 };
        let mut behind = numbers.split_off(middle);
        match at.checked_sub(middle) {
            Some(at) => behind.insert(at, number),
            None => numbers.insert(at, number),
        }
        self.blocks.insert(block + 1, behind);
    }

    /// Removes the number at a place.
    pub(super) fn remove(&mut self, Place { block, at }: Place) {
        let Some(numbers) = self.blocks.get_mut(block).filter(|block| at < block.len()) else {
            return;
        };
        numbers.remove(at);
        if numbers.is_empty() {
            self.blocks.remove(block);
        }
    }

    /// The numbers between two places that `find` has returned.
    pub(super) fn between(&self, start: Place, end: Place) -> Numbers<'_> {
        Numbers { order: self, start: self.settled(start), end: self.settled(end) }
    }

    /// All numbers.
    pub(super) fn numbers(&self) -> Numbers<'_> {
        Numbers { order: self, start: Place::default(), end: self.end() }
    }

    /// True if the entries have the order of their numbers.
    pub(super) fn is_that_of_entries(&self) -> bool {
        self.numbers().enumerate().all(|(at, number)| at == number)
    }

    /// The place behind all others.
    pub(super) fn end(&self) -> Place {
        Place { block: self.blocks.len(), at: 0 }
    }

    /// A place behind the last number of a block is the first one of the next block.
    fn settled(&self, place: Place) -> Place {
        let is_behind = self.blocks.get(place.block).is_some_and(|block| place.at >= block.len());
        if is_behind { Place { block: place.block + 1, at: 0 } } else { place }
    }
}

/// Numbers of entries in the order of their keys, from both ends.
#[derive(Clone, Debug)]
pub(super) struct Numbers<'a> {
    order: &'a Order,
    start: Place,
    end: Place,
}

impl Iterator for Numbers<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.start >= self.end {
            return None;
        }
        let number = self.order.get(self.start)?;
        self.start.at += 1;
        self.start = self.order.settled(self.start);
        Some(number)
    }
}

impl DoubleEndedIterator for Numbers<'_> {
    fn next_back(&mut self) -> Option<usize> {
        if self.start >= self.end {
            return None;
        }
        if self.end.at == 0 {
            let block = self.end.block.checked_sub(1)?;
            self.end = Place { block, at: self.order.blocks.get(block)?.len() };
        }
        self.end.at = self.end.at.checked_sub(1)?;
        self.order.get(self.end)
    }
}
