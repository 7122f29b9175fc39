//! Calls without a result, found again by the results that answer them.

use std::collections::BTreeMap;

/// Calls without a result in their order, each with a value. `K` is the type of their ids.
#[derive(Clone, Debug)]
pub(crate) struct OpenCalls<K, T> {
    /// By their ids and numbers.
    values: BTreeMap<(K, usize), T>,
    /// By their numbers, which increase.
    ids: BTreeMap<usize, K>,
    next: usize,
}

impl<K, T> Default for OpenCalls<K, T> {
    fn default() -> Self {
        Self { values: BTreeMap::new(), ids: BTreeMap::new(), next: 0 }
    }
}

impl<K: Ord + Clone + AsRef<str>, T> OpenCalls<K, T> {
    /// Adds a call. Costs O(log n).
    pub(crate) fn push(&mut self, id: K, value: T) {
        self.values.insert((id.clone(), self.next), value);
        self.ids.insert(self.next, id);
        self.next += 1;
    }

    /// Removes the first call that a result with this id answers. A result without an id answers a call without one, and if
    /// there is none, any call. Costs O(log n).
    pub(crate) fn take(&mut self, id: K) -> Option<(K, T)> {
        let known = self.values.range((id.clone(), 0)..).next();
        let same = known.filter(|((found, _), _)| *found == id).map(|((_, number), _)| *number);
        let (id, number) = match same {
            Some(number) => (id, number),
            None if id.as_ref().is_empty() => {
                self.ids.first_key_value().map(|(number, id)| (id.clone(), *number))?
            }
            None => return None,
        };
        self.ids.remove(&number);
        let value = self.values.remove(&(id.clone(), number))?;
        Some((id, value))
    }

    /// Moves all calls of another list behind these.
    pub(crate) fn append(&mut self, others: &mut Self) {
        while let Some((number, id)) = others.ids.pop_first() {
            if let Some(value) = others.values.remove(&(id.clone(), number)) {
                self.push(id, value);
            }
        }
    }

    /// The first call. Costs O(log n).
    pub(crate) fn first(&self) -> Option<(&K, &T)> {
        let (number, id) = self.ids.first_key_value()?;
        self.values.get_key_value(&(id.clone(), *number)).map(|((id, _), value)| (id, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_without_an_id_leaves_the_others_their_calls() {
        let mut open = OpenCalls::default();
        for (value, id) in ["c3", "", "c1"].into_iter().enumerate() {
            open.push(id, value);
        }
        assert_eq!(open.take("c2"), None, "no call has this id");
        assert_eq!(open.take(""), Some(("", 1)));
        assert_eq!(open.take("c3"), Some(("c3", 0)));
        assert_eq!(open.take(""), Some(("c1", 2)));
        assert_eq!(open.take(""), None);
    }
}
