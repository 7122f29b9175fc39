//! Names, identifiers and rare words of a text that only messages out of the view have.

use epitome::text::is_identifier;

use crate::index::Index;
use crate::terms::{TermId, Terms};

/// The most units that have a rare word; also this share of all units, as a divisor.
const RARE_UNITS: u32 = 3;
const RARE_SHARE: u32 = 200;
/// The least letters of a rare word in lower case. Shorter ones are mostly common words of small conversations.
const RARE_LETTERS: usize = 6;

impl Index {
    /// The words of `text` that messages have which `is_in_view` says are not in the view, and no message in it nor `known`.
    /// They are joined by spaces, for [`Self::search`]; empty if there is none. Costs O(text + `known` + occurrences).
    ///
    /// Watched are identifiers, words with a capital letter, and words that few messages have.
    #[must_use]
    pub fn returning(&self, text: &str, known: &str, is_in_view: impl Fn(usize) -> bool) -> String {
        let mut reader = Terms::default();
        let mut said = Vec::new();
        reader.for_each(known, |term| said.push(term));
        said.sort_unstable();
        let mut words: Vec<&str> = Vec::new();
        let delimits = |c: char| c.is_whitespace() || "\"'`“”‘’()[]{}<>,;:!?|=*".contains(c);
        for word in text.split(delimits) {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            if word.is_empty() || words.contains(&word) {
                continue;
            }
            let marked = is_identifier(word) || word.chars().any(char::is_uppercase);
            let mut terms = Vec::new();
            reader.for_each(word, |term| terms.push(term));
            let is_gone = |term: &TermId| {
                let Some(postings) = self.postings.get(term) else { return false };
                let rare = postings.units() <= RARE_UNITS.max(self.units.len() as u32 / RARE_SHARE);
                let watched = rare && (marked || word.chars().count() >= RARE_LETTERS);
                let in_view = |unit: u32| {
                    let message = self.units.get(unit as usize).map(|unit| unit.message as usize);
                    message.is_none_or(&is_in_view)
                };
                watched
                    && said.binary_search(term).is_err()
                    && !postings.iter().any(|(unit, _)| in_view(unit))
            };
            if terms.iter().any(is_gone) {
                words.push(word);
            }
        }
        words.join(" ")
    }
}
