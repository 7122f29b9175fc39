//! Looks for the words and phrases of a list in a text that has few of them.

use std::ops::Bound;

use epitome_columns::{SortedSet, sort_by_key};

use super::letters::{is_alphanumeric, is_unspaced};

/// Words that few words of a text are equal to. Most others differ from all of them in the length or in the first two bytes or the
/// last one, and are not looked up.
pub struct WordList {
    /// A bit for each [`form`] that a word has.
    forms: [u64; FORMS / 64],
    words: SortedSet<&'static str>,
}

/// The number of forms: of a hundred words, few others have one.
const FORMS: usize = 1 << 12;

/// The form of a word: its length, its first two bytes and its last one, as one number below [`FORMS`].
fn form(word: &[u8], lower: impl Fn(&u8) -> u8) -> usize {
    let byte = |byte: Option<&u8>| byte.map_or(0, |byte| u32::from(lower(byte)));
    let length = u32::try_from(word.len()).unwrap_or(u32::MAX);
    let ends = byte(word.first()) | byte(word.get(1)) << 8 | byte(word.last()) << 16;
    let mixed = (ends ^ length << 24).wrapping_mul(0x9E37_79B1);
    (mixed >> 20) as usize
}

impl WordList {
    /// Costs O(n log n) in the number of words. An empty one is left out.
    pub fn new(words: impl IntoIterator<Item = &'static str>) -> Self {
        let mut list = Self { forms: [0; FORMS / 64], words: SortedSet::new() };
        words.into_iter().for_each(|word| list.add(word));
        list
    }

    fn add(&mut self, word: &'static str) {
        let form = form(word.as_bytes(), u8::clone);
        if let Some(forms) = self.forms.get_mut(form / 64).filter(|_| !word.is_empty()) {
            *forms |= 1 << (form % 64);
            self.words.insert(word);
        }
    }

    /// The words of a text, between white space.
    pub fn of(words: &'static str) -> Self {
        Self::new(words.split_whitespace())
    }

    /// True if the word is in the list. Costs O(1) for most words that are not.
    pub fn has(&self, word: &str) -> bool {
        self.has_form(form(word.as_bytes(), u8::clone)) && self.words.contains(word)
    }

    /// False for a word that is not in the list in lower case either, and true for few others. Costs O(1). The word is of ASCII.
    pub fn may_have(&self, word: &[u8]) -> bool {
        self.has_form(form(word, u8::to_ascii_lowercase))
    }

    fn has_form(&self, form: usize) -> bool {
        self.forms.get(form / 64).is_some_and(|forms| forms & (1 << (form % 64)) != 0)
    }
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
    fn d10_few_words_that_are_not_in_the_list_are_looked_up() {
        let words = "acceptance agreed avoid can't cannot decided don't instead must never prefer required without";
        let list = WordList::of(words);
        for word in words.split(' ') {
            assert!(
                list.may_have(word.as_bytes()) && list.may_have(word.to_uppercase().as_bytes()),
                "{word}"
            );
        }
        let others: Vec<String> = (0..10_000).map(|n| format!("w{n}d{}", n % 7)).collect();
        let looked_up = others.iter().filter(|word| list.may_have(word.as_bytes())).count();
        assert!(looked_up < 300, "{looked_up}");
        assert!(others.iter().all(|word| !list.has(word)));
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
