//! Calls without a result, found again by the results that answer them.

use epitome_columns::SortedMap;

/// Calls without a result in their order, each with a value. `K` is the type of their ids.
#[derive(Clone, Debug)]
pub(crate) struct OpenCalls<K, T> {
    /// By their ids and numbers.
    values: SortedMap<(K, usize), T>,
    /// By their numbers, which increase.
    ids: SortedMap<usize, K>,
    next: usize,
    /// The number of the first call of the latest message with calls.
    latest: usize,
    /// Whether the next call is of another message than the last one.
    is_next_message: bool,
}

impl<K, T> Default for OpenCalls<K, T> {
    fn default() -> Self {
        let (values, ids) = (SortedMap::new(), SortedMap::new());
        Self { values, ids, next: 0, latest: 0, is_next_message: false }
    }
}

impl<K: Ord + Clone + AsRef<str>, T> OpenCalls<K, T> {
    /// True if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Calls that are added from now on are of another message than those so far.
    pub(crate) fn begin_message(&mut self) {
        self.is_next_message = true;
    }

    /// Adds a call. Costs O(log n).
    pub(crate) fn push(&mut self, id: K, value: T) {
        if std::mem::take(&mut self.is_next_message) {
            self.latest = self.next;
        }
        self.values.insert((id.clone(), self.next), value);
        self.ids.insert(self.next, id);
        self.next += 1;
    }

    /// Removes the call that a result with this id answers: the first one of the latest message with calls, or else the latest
    /// one. A result without an id answers a call without one, and if there is none, any, in the same order. Costs O(log n).
    pub(crate) fn take(&mut self, id: K) -> Option<(K, T)> {
        let is_same = |found: &(&(K, usize), &T)| found.0.0 == id;
        let latest = self.values.range((id.clone(), self.latest)..).next().filter(is_same);
        let before = || self.values.range(..(id.clone(), self.latest)).next_back().filter(is_same);
        let same = latest.or_else(before).map(|((_, number), _)| *number);
        let (id, number) = match same {
            Some(number) => (id, number),
            None if id.as_ref().is_empty() => {
                let latest = self.ids.range(self.latest..).next();
                latest.or_else(|| self.ids.last_key_value()).map(|(at, id)| (id.clone(), *at))?
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

    #[test]
    fn a_result_answers_the_latest_call_of_its_id() {
        let mut open = OpenCalls::default();
        for (number, ids) in ["a", "bc", "d"].into_iter().enumerate() {
            open.begin_message();
            ids.chars().for_each(|value| open.push("same", (number, value)));
            open.push("own", (number, '-'));
        }
        let values = [(); 4].map(|()| open.take("same").map(|(_, (_, value))| value));
        assert_eq!(values, [Some('d'), Some('c'), Some('b'), Some('a')]);
        assert_eq!(open.take("same"), None);
        open.begin_message();
        "ef".chars().for_each(|value| open.push("same", (3, value)));
        assert_eq!(open.take("same").map(|(_, (_, value))| value), Some('e'), "in order in one");
    }

    #[test]
    fn a_result_without_an_id_answers_the_latest_message_with_calls_before_others() {
        let mut open = OpenCalls::default();
        for ids in [["c0", "c1"], ["c2", "c3"]] {
            open.begin_message();
            ids.into_iter().for_each(|id| open.push(id, ()));
        }
        open.begin_message();
        assert_eq!(
            ["", "", "", "", ""].map(|id| open.take(id).map(|(id, ())| id)),
            [Some("c2"), Some("c3"), Some("c1"), Some("c0"), None]
        );
    }
}
