//! Looks for the words and phrases of a list in a text that has few of them.

use std::collections::BTreeSet;

use super::letters::{is_alphanumeric, is_unspaced};

/// Words that few words of a text are equal to. Most others differ from all of them in the first byte or the length, and are not
/// looked up.
pub struct WordList {
    /// For each first byte, a bit for every length that a word with it has.
    lengths: [u32; 256],
    words: BTreeSet<&'static str>,
}

impl WordList {
    /// Costs O(n log n) in the number of words. An empty one is left out.
    pub fn new(words: impl IntoIterator<Item = &'static str>) -> Self {
        let mut list = Self { lengths: [0; 256], words: BTreeSet::new() };
        words.into_iter().for_each(|word| list.add(word));
        list
    }

    fn add(&mut self, word: &'static str) {
        let first = word.bytes().next();
        if let Some(lengths) = first.and_then(|byte| self.lengths.get_mut(usize::from(byte))) {
            *lengths |= bit(word);
            self.words.insert(word);
        }
    }

    /// The words of a text, between white space.
    pub fn of(words: &'static str) -> Self {
        Self::new(words.split_whitespace())
    }

    /// True if the word is in the list. Costs O(1) for most words that are not.
    pub fn has(&self, word: &str) -> bool {
        let first = word.bytes().next();
        let lengths = first.and_then(|byte| self.lengths.get(usize::from(byte)));
        lengths.is_some_and(|lengths| lengths & bit(word) != 0) && self.words.contains(word)
    }
}

fn bit(word: &str) -> u32 {
    1 << word.len().min(31)
}

/// Phrases of one or several words.
pub struct PhraseList {
    /// The first word of each, which is looked for first.
    beginnings: WordList,
    phrases: Vec<&'static str>,
    /// Those that begin in a script without blanks, where a word begins anywhere.
    unspaced: Vec<&'static str>,
}

impl PhraseList {
    /// The phrases of a text, between vertical bars. Linear.
    pub fn of(phrases: &'static str) -> Self {
        let (unspaced, phrases): (Vec<&str>, Vec<&str>) =
            phrases.split('|').partition(|phrase| phrase.starts_with(is_unspaced));
        let beginnings = phrases.iter().filter_map(|phrase| words(phrase).next());
        Self { beginnings: WordList::new(beginnings), phrases, unspaced }
    }

    /// True if one of the phrases stands in a text as words of its own. The text is in lower case, as the phrases are.
    /// Linear in the text, if few of its words begin a phrase.
    pub fn is_in(&self, lower: &str) -> bool {
        let begins = |word: &str| {
            let phrases =
                || self.phrases.iter().filter(|phrase| words(phrase).next() == Some(word));
            self.beginnings.has(word) && phrases().any(|phrase| has_phrase(lower, phrase))
        };
        let is_unspaced = || self.unspaced.iter().any(|phrase| has_phrase(lower, phrase));
        words(lower).any(begins) || (!lower.is_ascii() && is_unspaced())
    }
}

/// The runs of letters and digits, without those of scripts that have no blanks between words. Not all are nonempty.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_alphanumeric(c) || is_unspaced(c))
}

/// True if a phrase stands in a text as words of its own.
fn has_phrase(text: &str, phrase: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(|c| is_alphanumeric(c) && !is_unspaced(c));
    text.match_indices(phrase).any(|(at, _)| {
        let (before, rest) = text.split_at(at);
        let after = rest.get(phrase.len()..).unwrap_or_default();
        !is_letter(before.chars().next_back()) && !is_letter(after.chars().next())
    })
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
}
