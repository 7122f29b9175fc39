//! Names, identifiers and rare words of a text that only messages out of the view have.

use std::collections::BTreeSet;

use epitome_text::identifier::is_identifier;

use crate::index::Index;
use crate::terms::{TermId, Terms, group_length, is_unspaced};

/// The most units that have a rare word, and the same for a word with a capital letter; also these shares of all units, as
/// divisors.
const RARE: (u32, u32) = (3, 200);
const CAPITAL: (u32, u32) = (10, 20);
/// The least letters of a rare word in lower case. Shorter ones are mostly common words of small conversations.
const RARE_LETTERS: usize = 6;
/// The least characters of a rare word in a script without spaces. Two are often the end of a word and the beginning of the next.
const RUN: usize = 3;

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
    /// Watched are identifiers, words with a capital letter, and words that few messages have. In scripts without spaces
    /// between words, they are runs of at least [`RUN`] characters of which few messages have any group.
    #[must_use]
    pub fn returning(&self, text: &str, known: &str, place: impl Fn(usize) -> Place) -> String {
        let mut reader = Terms::default();
        let mut said = Vec::new();
        reader.for_each(known, |term| said.push(term));
        said.sort_unstable();
        let mut words: Vec<&str> = Vec::new();
        let delimits = |c: char| c.is_whitespace() || "\"'`“”‘’()[]{}<>,;:!?|=*".contains(c);
        let has_left = |term: TermId, most: u32| {
            let Some(postings) = self.postings.get(&term) else { return false };
            if postings.units() > most || said.binary_search(&term).is_ok() {
                return false;
            }
            let units = postings.iter().filter_map(|(unit, _)| self.units.get(unit as usize));
            let places: Vec<Place> = units.map(|unit| place(unit.message as usize)).collect();
            places.contains(&Place::Departed) && !places.contains(&Place::InView)
        };
        for word in text.split(delimits).flat_map(scripts) {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            if word.chars().any(is_unspaced) {
                let most = self.share(RARE);
                words.extend(runs(word, &mut reader, |term| has_left(term, most)));
                continue;
            }
            let Some(most) = self.most_units(word) else { continue };
            let mut terms = Vec::new();
            reader.for_each(word, |term| terms.push(term));
            if terms.into_iter().any(|term| has_left(term, most)) {
                words.push(word);
            }
        }
        let mut seen = BTreeSet::new();
        words.retain(|word| seen.insert(*word));
        words.join(" ")
    }

    /// How many units a word of this kind may have.
    fn share(&self, (least, divisor): (u32, u32)) -> u32 {
        least.max(self.units.len() as u32 / divisor)
    }

    /// How many units may have a word for it to be watched; `None` for a word that is not.
    fn most_units(&self, word: &str) -> Option<u32> {
        if word.is_empty() {
            None
        } else if is_identifier(word) {
            Some(u32::MAX)
        } else if word.chars().any(char::is_uppercase) {
            Some(self.share(CAPITAL))
        } else {
            (word.chars().count() >= RARE_LETTERS).then(|| self.share(RARE))
        }
    }
}

/// The parts of a text that are in scripts without spaces between words, and those that are not.
fn scripts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = is_unspaced(rest.chars().next()?);
        let end = rest.find(|c: char| is_unspaced(c) != first).unwrap_or(rest.len());
        let (part, left) = rest.split_at_checked(end)?;
        rest = left;
        Some(part)
    })
}

/// The parts of a word without spaces, of at least [`RUN`] characters, of which every group of characters fulfils a condition.
fn runs<'a>(word: &'a str, reader: &mut Terms, holds: impl Fn(TermId) -> bool) -> Vec<&'a str> {
    let mut terms = Vec::new();
    reader.for_each(word, |term| terms.push(term));
    let characters: Vec<(usize, char)> = word.char_indices().collect();
    // Each group by its first and its last character, as `terms` has them.
    let groups = characters.iter().enumerate();
    let groups =
        groups.filter_map(|(last, (_, c))| Some(((last + 1).checked_sub(group_length(*c))?, last)));
    let mut found: Vec<(usize, usize)> = Vec::new();
    for ((first, last), _) in groups.zip(terms).filter(|(_, term)| holds(*term)) {
        match found.last_mut().filter(|(_, before)| before + 1 == last) {
            Some((_, end)) => *end = last,
            None => found.push((first, last)),
        }
    }
    let long = found.into_iter().filter(|(first, last)| last + 1 - first >= RUN);
    long.filter_map(|(first, last)| {
        let start = characters.get(first)?.0;
        let (at, last) = characters.get(last)?;
        word.get(start..at + last.len_utf8())
    })
    .collect()
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
    fn l4_rare_words_of_scripts_without_spaces_return() {
        let said = [
            ("user", "王小明把钥匙放在蓝门后面。"),
            ("user", "水泵在花园里。"),
            ("user", "花园里有玫瑰。"),
        ];
        let place = |message| if message == 0 { Place::Departed } else { Place::InView };
        let check = |text: &str, known: &str, words: &str| {
            assert_eq!(indexed(&said).returning(text, known, place), words, "{text}");
        };
        check("请问王小明今天来吗？", "", "王小明");
        check("蓝门后面和王小明QX-1", "", "蓝门后面 王小明");
        check("王小明在哪里？", "王小明在", "");
        check("花园里的玫瑰", "", "");
    }

    #[test]
    fn l4_what_is_in_the_view_in_the_summary_or_nowhere_does_not_return() {
        check("a sandwich with a ticket", "", "");
        check("Ask Zephyrine", "Zephyrine is here", "");
        check("Ask Quillfeather", "", "");
        check("", "", "");
    }
}
