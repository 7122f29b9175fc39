//! Names, identifiers and rare words of a text that only messages out of the view have.

use epitome::text::is_identifier;

use crate::index::Index;
use crate::terms::{TermId, Terms, is_unspaced};

/// The most units that have a rare word, and the same for a word with a capital letter; also these shares of all units, as
/// divisors.
const RARE: (u32, u32) = (3, 200);
const CAPITAL: (u32, u32) = (10, 20);
/// The least letters of a rare word in lower case. Shorter ones are mostly common words of small conversations.
const RARE_LETTERS: usize = 6;

/// Where a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The model gets it.
    InView,
    /// It does not get it, or not whole.
    Departed,
    /// It is where `text` is from, which proves nothing.
    Source,
}

impl Index {
    /// The words of `text` that messages out of the view have, and neither a message in it nor `known`.
    /// They are joined by spaces, for [`Self::search`]; empty if there is none. Costs O(text + `known` + occurrences).
    ///
    /// Watched are identifiers, words with a capital letter, and words that few messages have; of scripts without spaces
    /// between words, nothing.
    #[must_use]
    pub fn returning(&self, text: &str, known: &str, place: impl Fn(usize) -> Place) -> String {
        let mut reader = Terms::default();
        let mut said = Vec::new();
        reader.for_each(known, |term| said.push(term));
        said.sort_unstable();
        let mut words: Vec<&str> = Vec::new();
        let delimits = |c: char| c.is_whitespace() || "\"'`“”‘’()[]{}<>,;:!?|=*".contains(c);
        for word in text.split(delimits) {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let Some(most) = self.most_units(word).filter(|_| !words.contains(&word)) else {
                continue;
            };
            let mut terms = Vec::new();
            reader.for_each(word, |term| terms.push(term));
            let has_left = |term: &TermId| {
                let Some(postings) = self.postings.get(term) else { return false };
                if postings.units() > most || said.binary_search(term).is_ok() {
                    return false;
                }
                let units = postings.iter().filter_map(|(unit, _)| self.units.get(unit as usize));
                let places: Vec<Place> = units.map(|unit| place(unit.message as usize)).collect();
                places.contains(&Place::Departed) && !places.contains(&Place::InView)
            };
            if terms.iter().any(has_left) {
                words.push(word);
            }
        }
        words.join(" ")
    }

    /// How many units may have a word for it to be watched; `None` for a word that is not.
    fn most_units(&self, word: &str) -> Option<u32> {
        let share = |(least, divisor): (u32, u32)| least.max(self.units.len() as u32 / divisor);
        if word.is_empty() || word.chars().any(is_unspaced) {
            None
        } else if is_identifier(word) {
            Some(u32::MAX)
        } else if word.chars().any(char::is_uppercase) {
            Some(share(CAPITAL))
        } else {
            (word.chars().count() >= RARE_LETTERS).then(|| share(RARE))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::tests::indexed;

    const SAID: [(&str, &str); 4] = [
        ("user", "Zephyrine has ticket QX-4711 and a marmalade sandwich in src/lunch.rs."),
        ("user", "We talk about sandwiches."),
        ("user", "She has ticket 12."),
        ("user", "Zephyrine?"),
    ];

    fn check(text: &str, known: &str, words: &str) {
        let place = |message| match message {
            0 => Place::Departed,
            3 => Place::Source,
            _ => Place::InView,
        };
        assert_eq!(indexed(&SAID).returning(text, known, place), words, "{text}");
    }

    #[test]
    fn l4_names_identifiers_and_rare_words_that_left_the_view_return() {
        check("Ask Zephyrine, then \"QX-4711\".", "", "Zephyrine QX-4711");
        check("the marmalade", "", "marmalade");
        check("open src/lunch.rs", "", "src/lunch.rs");
    }

    #[test]
    fn l4_what_is_in_the_view_in_the_summary_or_nowhere_does_not_return() {
        check("a sandwich with a ticket", "", "");
        check("Ask Zephyrine", "Zephyrine is here", "");
        check("Ask Quillfeather", "", "");
        check("", "", "");
    }
}
