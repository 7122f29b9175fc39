//! Looks for the words and phrases of a list in a text that has few of them.

use std::ops::Bound;

use epitome_columns::{SortedSet, sort_by_key};

use super::letters::{is_alphanumeric, is_unspaced};

/// Words that few words of a text are equal to. Most others differ from all of them in the first byte or the length, and are not
/// looked up.
pub struct WordList {
    /// For each first byte, a bit for every length that a word with it has.
    lengths: [u32; 256],
    words: SortedSet<&'static str>,
}

impl WordList {
    /// Costs O(n log n) in the number of words. An empty one is left out.
    pub fn new(words: impl IntoIterator<Item = &'static str>) -> Self {
        let mut list = Self { lengths: [0; 256], words: SortedSet::new() };
        words.into_iter().for_each(|word| list.add(word));
        list
    }

    fn add(&mut self, word: &'static str) {
        let first = word.bytes().next();
        if let Some(lengths) = first.and_then(|byte| self.lengths.get_mut(usize::from(byte))) {
            *lengths |= bit(word.len());
            self.words.insert(word);
        }
    }

    /// The words of a text, between white space.
    pub fn of(words: &'static str) -> Self {
        Self::new(words.split_whitespace())
    }

    /// True if the word is in the list. Costs O(1) for most words that are not.
    pub fn has(&self, word: &str) -> bool {
        self.has_length(word.as_bytes().first().copied(), word.len()) && self.words.contains(word)
    }

    /// False for a word that is not in the list in lower case either, and true for few others. Costs O(1). The word is of ASCII.
    pub fn may_have(&self, word: &[u8]) -> bool {
        self.has_length(word.first().map(u8::to_ascii_lowercase), word.len())
    }

    /// True if a word with this first byte has this length.
    fn has_length(&self, first: Option<u8>, length: usize) -> bool {
        let lengths = first.and_then(|byte| self.lengths.get(usize::from(byte)));
        lengths.is_some_and(|lengths| lengths & bit(length) != 0)
    }
}

fn bit(length: usize) -> u32 {
    1 << length.min(31)
}

/// Phrases of one or several words.
pub struct PhraseList {
    /// The first word of each, which is looked for first.
    beginnings: WordList,
    /// In their order, so that those with the same first word follow each other.
    phrases: SortedSet<&'static str>,
    /// Those that begin in a script without blanks, where a word begins anywhere.
    unspaced: Beginnings<()>,
}

impl PhraseList {
    /// The phrases of a text, between vertical bars. Linear, but for their order.
    pub fn of(phrases: &'static str) -> Self {
        let mut list = Self {
            beginnings: WordList::new([]),
            phrases: SortedSet::new(),
            unspaced: Beginnings::of(phrases.split('|').filter(|it| it.starts_with(is_unspaced))),
        };
        for phrase in phrases.split('|').filter(|phrase| !phrase.starts_with(is_unspaced)) {
            if let Some(first) = words(phrase).next() {
                list.beginnings.add(first);
                list.phrases.insert(phrase);
            }
        }
        list
    }

    /// True if one of the phrases stands in a text as words of its own. The text is in lower case, as the phrases are.
    /// Linear in the text, if few of its words begin a phrase.
    pub fn is_in(&self, lower: &str) -> bool {
        let mut at = 0;
        for word in words(lower) {
            if self.beginnings.has(word) && self.begins(word, lower.get(at..).unwrap_or_default()) {
                return true;
            }
            let rest = lower.get(at + word.len()..).unwrap_or_default();
            at += word.len() + rest.chars().next().map_or(0, char::len_utf8);
        }
        let is_own = |(at, phrase, ()): (usize, &str, ())| is_phrase_at(lower, at, phrase);
        !lower.is_ascii() && self.unspaced.find_in(lower).any(is_own)
    }

    /// True if a text that begins with this word begins with a phrase.
    fn begins(&self, word: &str, text: &str) -> bool {
        let from = self.phrases.range::<str, _>((Bound::Included(word), Bound::Unbounded));
        from.take_while(|phrase| phrase.starts_with(word)).any(|phrase| {
            text.strip_prefix(phrase).is_some_and(|rest| !rest.starts_with(is_letter))
        })
    }
}

/// The runs of letters and digits, without those of scripts that have no blanks between words. Not all are nonempty.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_letter(c))
}

fn is_letter(character: char) -> bool {
    is_alphanumeric(character) && !is_unspaced(character)
}

/// True if a phrase that is at this place of a text is words of its own.
fn is_phrase_at(text: &str, at: usize, phrase: &str) -> bool {
    let (before, rest) = text.split_at_checked(at).unwrap_or_default();
    let after = rest.get(phrase.len()..).unwrap_or_default();
    !before.ends_with(is_letter) && !after.starts_with(is_letter)
}

/// Phrases that may begin anywhere in a text, as they do in scripts without blanks, each with a value. All are looked for at
/// once: a search for each would read the text as often as there are phrases.
pub struct Beginnings<T> {
    /// By the first character; those with the same one in the order in which they were given.
    phrases: Vec<(char, &'static str, T)>,
    /// A bit for each first character, by its last bits: most characters of a text begin no phrase.
    first: u64,
}

impl<T: Copy> Beginnings<T> {
    /// Costs O(n log n) in the number of phrases. An empty one is left out.
    pub fn new(phrases: impl IntoIterator<Item = (&'static str, T)>) -> Self {
        let with_first = |(phrase, value): (&'static str, T)| {
            phrase.chars().next().map(|first| (first, phrase, value))
        };
        let mut phrases: Vec<_> = phrases.into_iter().filter_map(with_first).collect();
        sort_by_key(&mut phrases, |(first, ..)| *first);
        let first = phrases.iter().fold(0, |bits, (first, ..)| bits | first_bit(*first));
        Self { phrases, first }
    }

    /// False for a character that begins none of the phrases, and for few others.
    pub fn may_begin_with(&self, first: char) -> bool {
        self.first & first_bit(first) != 0
    }

    /// The first phrase that a text begins with, of those with this first character.
    pub fn begin(&self, text: &str, first: char) -> Option<(&'static str, T)> {
        if !self.may_begin_with(first) {
            return None;
        }
        let from = self.phrases.partition_point(|(own, ..)| *own < first);
        let same = self.phrases.iter().skip(from).take_while(|(own, ..)| *own == first);
        let begins = |(_, phrase, _): &&(char, &str, T)| text.starts_with(phrase);
        same.into_iter().find(begins).map(|(_, phrase, value)| (*phrase, *value))
    }

    /// The phrases in a text, each with its place in bytes, by their places. Of several at one place, the one that was given first.
    /// Linear in the text.
    pub fn find_in<'a>(
        &'a self,
        text: &'a str,
    ) -> impl Iterator<Item = (usize, &'static str, T)> + 'a {
        text.char_indices().filter_map(|(at, first)| {
            let rest = text.get(at..).unwrap_or_default();
            self.begin(rest, first).map(|(phrase, value)| (at, phrase, value))
        })
    }

    /// True if one of the phrases is in a text. Linear in it.
    pub fn are_in(&self, text: &str) -> bool {
        self.find_in(text).next().is_some()
    }
}

impl Beginnings<()> {
    /// Phrases without values.
    pub fn of(phrases: impl IntoIterator<Item = &'static str>) -> Self {
        Self::new(phrases.into_iter().map(|phrase| (phrase, ())))
    }
}

fn first_bit(first: char) -> u64 {
    1 << (u32::from(first) % 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d10_a_word_is_in_the_list_only_as_a_whole() {
        let list = WordList::of("never ever nie никогда 절대 a-word-of-more-than-thirty-one-bytes");
        for word in ["never", "ever", "никогда", "절대", "a-word-of-more-than-thirty-one-bytes"]
        {
            assert!(list.has(word), "{word}");
        }
        for word in ["", "neve", "nevers", "n", "nigh", "a-word-of-more-than-thirty-two-bytes!"] {
            assert!(!list.has(word), "{word}");
        }
    }

    #[test]
    fn d10_a_phrase_is_found_as_words_of_its_own() {
        let list = PhraseList::of("let's|off limits|off-limits|on va|давайте|我们就|하자");
        for text in [
            "so let's go",
            "(let's)",
            "it is off-limits.",
            "off and off limits",
            "qu'on va voir",
            "ну, давайте",
            "那我们就走",
            "같이 하자",
        ] {
            assert!(list.is_in(text), "{text}");
        }
        for text in ["", "outlet's", "let", "off", "off limitsx", "salon va", "我们", "약속하자"]
        {
            assert!(!list.is_in(text), "{text}");
        }
    }

    #[test]
    fn d10_phrases_are_found_anywhere_in_scripts_without_blanks() {
        let list = Beginnings::new([("必ず", 1), ("決め", 2), ("決定", 3), ("決", 4), ("", 5)]);
        let found = |text| list.find_in(text).collect::<Vec<_>>();
        assert_eq!(found("必ず決定、決めた"), [(0, "必ず", 1), (6, "決定", 3), (15, "決め", 2)]);
        assert_eq!(found("解決"), [(3, "決", 4)]);
        assert!(found("必要").is_empty() && found("").is_empty());
        assert!(list.are_in("これで決めた") && !list.are_in("plain"));
    }
}
