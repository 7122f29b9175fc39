//! The texts that a search reads.

use std::collections::BTreeMap;
use std::ops::Range;

/// Texts of messages, each of which is fetched once: a long one has many units.
pub(crate) struct Texts<F> {
    fetch: F,
    known: BTreeMap<usize, String>,
}

impl<F: Fn(usize) -> String> Texts<F> {
    pub(crate) fn new(fetch: F) -> Self {
        Self { fetch, known: BTreeMap::new() }
    }

    /// A part of the text of a message; empty if it has no such part.
    pub(crate) fn of(&mut self, message: usize, part: Range<usize>) -> &str {
        let text = self.known.entry(message).or_insert_with(|| (self.fetch)(message));
        text.get(part.start..part.end.min(text.len())).unwrap_or_default()
    }
}
