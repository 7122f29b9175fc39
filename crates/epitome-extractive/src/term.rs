//! The terms of a piece of text: its words by their stems, and its identifiers.

use epitome_text::identifier;
use epitome_text::letters::{is_alphanumeric, is_numeric, is_unspaced};
use epitome_text::stop_words::{StopWords, is_light, is_light_pair};

/// A word or an identifier as a hash of 63 bits, below a bit for its kind: those of a block are sorted, and a number is compared at
/// once. A collision only makes two terms count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Term(u64);

impl Term {
    const IDENTIFIER: u64 = 1 << 63;

    fn word(hash: u64) -> Self {
        Self(hash >> 1)
    }

    fn identifier(hash: u64) -> Self {
        Self(hash >> 1 | Self::IDENTIFIER)
    }

    pub(super) fn is_identifier(self) -> bool {
        self.0 & Self::IDENTIFIER != 0
    }

    /// The first so many bits of its hash, at most 32. A collision only makes two terms count as one.
    pub(super) fn key(self, bits: usize) -> u32 {
        ((self.0 << 1) >> (64 - bits)) as u32
    }
}

pub(super) const SEED: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// Calls `each` for every term of the text but those of [`for_each_identifier`]. Linear in the text.
///
/// Words are in lower case and without common English endings; function words are not terms. In scripts without spaces each
/// pair of characters is a word, unless it says nothing, and numbers with what they count are identifiers.
pub(super) fn for_each(text: &str, stop_words: &StopWords, mut each: impl FnMut(Term)) {
    words(text, stop_words, &mut each);
    if !text.is_ascii() {
        amounts(text, &mut each);
    }
}

/// Calls `each` for every identifier with the word before it: `246` and `round` of `round 246`. Identifiers behind the same word
/// are a series. They are numbers of at least three digits, codes, paths, e-mail addresses and URLs.
pub(super) fn for_each_identifier(text: &str, mut each: impl FnMut(Term, Term)) {
    identifier::for_each(text, |identifier, before| {
        let word =
            before.trim_end().rsplit(|c: char| !is_alphanumeric(c)).find(|it| !it.is_empty());
        each(Term::identifier(hash(identifier)), Term::word(word.map_or(0, hash)));
    });
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(SEED, |hash, byte| hash_with(hash, byte.to_ascii_lowercase().into()))
}

/// Calls `each` for every number with the sign behind it that says what it counts, in a script without spaces: `50-100元`.
fn amounts(text: &str, each: &mut impl FnMut(Term)) {
    let mut hash = None;
    for character in text.chars() {
        if is_numeric(character) {
            hash = Some(hash_with(hash.unwrap_or(SEED), u32::from(character).into()));
        } else if matches!(character, '.' | '-' | ':' | ',' | '~') {
            hash = hash.map(|hash| hash_with(hash, u32::from(character).into()));
        } else if let Some(number) = hash.take()
            && is_unspaced(character)
        {
            each(Term::identifier(hash_with(number, u32::from(character).into())));
        }
    }
}

fn words(text: &str, stop_words: &StopWords, each: &mut impl FnMut(Term)) {
    let mut word = String::new();
    if text.is_ascii() {
        // The parts of words between apostrophes are copied at once, which takes half the time.
        for part in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            let letters = part.strip_suffix(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part);
            word.push_str(letters);
            if letters.len() < part.len() && !part.ends_with('\'') {
                word.make_ascii_lowercase();
                flush(&mut word, stop_words, each);
            }
        }
        word.make_ascii_lowercase();
        flush(&mut word, stop_words, each);
        return;
    }
    // The character before, if it is one of these scripts and says something.
    let mut before = None;
    for character in text.chars() {
        if is_unspaced(character) {
            flush(&mut word, stop_words, each);
            let own = (!is_light(character)).then_some(character);
            if let Some((before, own)) = before.zip(own)
                && !is_light_pair(before, own)
            {
                let hash = hash_with(SEED, u32::from(before).into());
                each(Term::word(hash_with(hash, u32::from(own).into())));
            }
            before = own;
            continue;
        }
        before = None;
        if character.is_ascii_alphanumeric() {
            word.push(character.to_ascii_lowercase());
        } else if is_alphanumeric(character) || is_mark(character) {
            word.extend(character.to_lowercase());
        } else if character != '\'' && character != '’' {
            flush(&mut word, stop_words, each);
        }
    }
    flush(&mut word, stop_words, each);
}

/// True for a combining mark, which is part of a word.
fn is_mark(character: char) -> bool {
    matches!(u32::from(character), 0x300..=0x36F | 0x591..=0x5C7 | 0x610..=0x65F | 0x900..=0xDFF)
}

fn flush(word: &mut String, stop_words: &StopWords, each: &mut impl FnMut(Term)) {
    let is_letter = word.len() == 1 && !word.bytes().all(|byte| byte.is_ascii_digit());
    if !word.is_empty() && !is_letter && !stop_words.contain(word) {
        let stem = stem(word.as_bytes());
        let hash = stem.iter().fold(SEED, |hash, &byte| hash_with(hash, byte.into()));
        each(Term::word(hash));
    }
    word.clear();
}

/// The word without a common English ending.
fn stem(word: &[u8]) -> &[u8] {
    // Most words end otherwise.
    if !matches!(word.last(), Some(b's' | b'g' | b'd' | b'e' | b'y')) {
        return word;
    }
    for (ending, least) in [
        (&b"ings"[..], 4),
        (b"ing", 4),
        (b"ies", 3),
        (b"ed", 4),
        (b"es", 4),
        (b"ly", 4),
        (b"s", 3),
        (b"e", 4),
        (b"y", 3),
    ] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() >= least) {
            // A word such as `class` ends with `s` but is not a plural.
            return if ending == b"s" && stem.last() == Some(&b's') { word } else { stem };
        }
    }
    word
}

/// A hash of what was hashed so far and of one more value.
pub(super) fn hash_with(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(PRIME).rotate_left(23)
}
