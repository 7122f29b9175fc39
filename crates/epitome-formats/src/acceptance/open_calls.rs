//! Calls without a result, as a provider looks for them when a result comes.

use epitome::message::CallId;
use epitome_columns::{SortedMap, SortedSet};

/// Calls without a result in their order, each with the index of its message. Every change costs O(log n).
#[derive(Debug, Default)]
pub(super) struct OpenCalls<'a> {
    /// By their numbers, which increase.
    calls: SortedMap<usize, (&'a CallId, usize)>,
    /// Their ids and numbers.
    by_id: SortedSet<(&'a CallId, usize)>,
    /// The indices of their messages, and their numbers.
    by_message: SortedSet<(usize, usize)>,
    next: usize,
}

impl<'a> OpenCalls<'a> {
    pub(super) fn push(&mut self, call: &'a CallId, index: usize) {
        let number = self.next;
        self.next += 1;
        self.calls.insert(number, (call, index));
        self.by_id.insert((call, number));
        self.by_message.insert((index, number));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The first call, and the index of its message.
    pub(super) fn first(&self) -> Option<(&'a CallId, usize)> {
        self.calls.values().next().copied()
    }

    /// The first call that is not of this message. Costs O(1) if there is none, and otherwise is linear in the calls.
    pub(super) fn first_outside(&self, index: usize) -> Option<(&'a CallId, usize)> {
        let ends = [self.by_message.first(), self.by_message.last()];
        let others = ends.into_iter().flatten().any(|(at, _)| *at != index);
        others.then(|| self.calls.values().copied().find(|(_, at)| *at != index)).flatten()
    }

    /// The index of the message of the latest call of this id.
    pub(super) fn latest(&self, call: &CallId) -> Option<usize> {
        let number = self.number_of_latest(call)?;
        self.calls.get(&number).map(|(_, index)| *index)
    }

    /// Removes the latest call of this id.
    pub(super) fn take_latest(&mut self, call: &CallId) -> Option<(&'a CallId, usize)> {
        let number = self.number_of_latest(call)?;
        self.take(number)
    }

    fn number_of_latest(&self, call: &CallId) -> Option<usize> {
        let of_id = self.by_id.range((call, 0)..=(call, usize::MAX));
        of_id.map(|(_, number)| *number).next_back()
    }

    /// Removes the first call of the message at this index.
    pub(super) fn take_first_of(&mut self, index: usize) -> Option<(&'a CallId, usize)> {
        let of_message = self.by_message.range((index, 0)..=(index, usize::MAX));
        let number = of_message.map(|(_, number)| *number).next()?;
        self.take(number)
    }

    /// Moves all calls of another list behind these.
    pub(super) fn append(&mut self, others: &mut Self) {
        for (call, index) in std::mem::take(others).calls.into_values() {
            self.push(call, index);
        }
    }

    fn take(&mut self, number: usize) -> Option<(&'a CallId, usize)> {
        let (call, index) = self.calls.remove(&number)?;
        self.by_id.remove(&(call, number));
        self.by_message.remove(&(index, number));
        Some((call, index))
    }
}
