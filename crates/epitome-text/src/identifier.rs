//! Finds the identifiers of a text: what has to be copied exactly to be used again.

use super::letters::{is_alphanumeric, is_unspaced};
use super::stop_words::StopWords;

/// Calls `each` for every identifier with what stands before it. Linear in the text.
pub fn for_each<'a>(text: &'a str, mut each: impl FnMut(&'a str, &'a str)) {
    let mut start = 0;
    let ends = text.char_indices().filter(|(at, character)| {
        delimits(*character) && !(*character == ',' && separates_thousands(text, *at))
    });
    let ends = ends.map(|(at, character)| (at, at + character.len_utf8()));
    for (end, next) in ends.chain([(text.len(), text.len())]) {
        let word = text.get(start..end).unwrap_or_default();
        let candidate = trimmed(word);
        if is_identifier(candidate) {
            each(candidate, text.get(..start).unwrap_or_default());
        }
        start = next;
    }
}

/// The word before an identifier that says what it is, in lower case: the nearest of the last few that is not a function
/// word. `None` if there is none.
pub fn label(before: &str, stop_words: &StopWords) -> Option<String> {
    // Without blanks there is no word to find: the last characters have to do.
    let unspaced = before.chars().rev().take_while(|c| is_unspaced(*c)).take(MAX_UNSPACED_LABEL);
    let length: usize = unspaced.map(char::len_utf8).sum();
    if length > 0 {
        return before.get(before.len() - length..).map(str::to_owned);
    }
    // In a list, the words before it are other identifiers, which are not labels.
    let is_named =
        |word: &&str| word.contains('/') || word.bytes().any(|byte| byte.is_ascii_digit());
    let words = before.rsplit(char::is_whitespace).take(12).filter(|word| !is_named(word));
    let words = words.flat_map(|word| word.rsplit(|c: char| !c.is_alphabetic() && c != '_'));
    let mut words = words.take(8).map(str::to_lowercase).filter(|word| word.chars().count() > 1);
    words.find(|word| !stop_words.contain(word)).filter(|word| word.len() <= MAX_LABEL)
}

/// The longest label in a script without blanks, in characters.
const MAX_UNSPACED_LABEL: usize = 4;
/// The longest label, in bytes.
const MAX_LABEL: usize = 32;

/// A word without the punctuation around it.
pub fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !is_alphanumeric(c) && c != '/')
}

/// True for numbers of at least three digits, codes, paths, e-mail addresses and URLs.
#[must_use]
pub fn is_identifier(candidate: &str) -> bool {
    if !(3..=200).contains(&candidate.len()) {
        return false;
    }
    let (mut digits, mut small, mut capitals, mut joints) = (0, 0, 0, 0);
    for byte in candidate.bytes() {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'a'..=b'z' => small += 1,
            b'A'..=b'Z' => capitals += 1,
            b'_' | b'/' | b'@' | b'\\' | b':' => joints += 1,
            _ => {}
        }
    }
    digits >= 3 || (digits > 0 && small + capitals + joints > 0) || (joints > 0 && small >= 3)
}

/// True for a comma within a number, such as 64,050: with a digit before it and exactly three behind it.
fn separates_thousands(text: &str, comma: usize) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    comma > 0
        && is_digit(comma - 1)
        && (1..=3).all(|more| is_digit(comma + more))
        && !is_digit(comma + 4)
}

fn delimits(character: char) -> bool {
    const DELIMITERS: &str = "“”‘’，。、；：（）「」";
    match character {
        // Most characters of most texts.
        'a'..='z' | 'A'..='Z' | '0'..='9' => false,
        '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' => true,
        '<' | '>' | ',' | ';' | '|' | '=' | '*' => true,
        '\0'..='\u{7F}' => character.is_ascii_whitespace() || character == '\u{B}',
        _ => character.is_whitespace() || DELIMITERS.contains(character) || is_unspaced(character),
    }
}
