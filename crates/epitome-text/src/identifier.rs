//! Finds the identifiers of a text: what has to be copied exactly to be used again.

use std::sync::LazyLock;

use super::letters::{is_alphanumeric, is_unspaced};
use super::stop_words::StopWords;
use super::word_list::WordList;

/// Calls `each` for every identifier with what stands before it. Linear in the text.
pub fn for_each<'a>(text: &'a str, mut each: impl FnMut(&'a str, &'a str)) {
    // Most sentences have none, and most words of the others are none.
    if !text.bytes().any(identifies) {
        return;
    }
    let mut start = 0;
    let ends = text.char_indices().filter(|(at, character)| {
        delimits(*character) && !(*character == ',' && separates_thousands(text, *at))
    });
    let ends = ends.map(|(at, character)| (at, at + character.len_utf8()));
    for (end, next) in ends.chain([(text.len(), text.len())]) {
        let word = text.get(start..end).unwrap_or_default();
        if word.bytes().any(identifies) {
            let candidate = trimmed(word);
            if is_identifier(candidate) {
                each(candidate, text.get(..start).unwrap_or_default());
            }
        }
        start = next;
    }
}

/// The word before an identifier that says what it is, in lower case: the nearest of the last few that is not a function
/// word. `None` if there is none, or if that word says something else: a month, or how a run of a program has ended.
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
    let words = near_words(before).take(12).filter(|word| !is_named(word));
    let words = words.flat_map(|word| word.rsplit(|c: char| !c.is_alphabetic() && c != '_'));
    let mut words = words.take(8).map(str::to_lowercase).filter(|word| word.chars().count() > 1);
    words.find(|word| !stop_words.contain(word)).filter(|word| {
        word.len() <= MAX_LABEL && !is_month(word) && !OUTCOMES.contains(&word.as_str())
    })
}

/// The words at the end of a text, the last one first, as far as they are near. A word that begins farther away is none of them:
/// in a line without blanks, such as one of JSON, each identifier would be searched for from the beginning of the line.
fn near_words(text: &str) -> impl Iterator<Item = &str> {
    let start = text.floor_char_boundary(text.len().saturating_sub(NEAR));
    let near = text.get(start..).unwrap_or_default();
    let near = match start {
        0 => Some(near),
        _ => near.find(char::is_whitespace).and_then(|blank| near.get(blank..)),
    };
    near.into_iter().flat_map(|near| near.rsplit(char::is_whitespace))
}

/// What stands before a year or a time and does not say what it is: months in English, German, French and Spanish.
static MONTHS: LazyLock<WordList> = LazyLock::new(|| WordList::of(MONTH_NAMES));
const MONTH_NAMES: &str = "january february march april may june july august september october november december jan feb mar apr jun jul aug \
    sep sept oct nov dec januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août \
    septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre \
    diciembre";

/// How a run of a program has ended, which a later run may change.
const OUTCOMES: [&str; 6] = ["fail", "failed", "pass", "passed", "error", "warning"];

fn is_month(label: &str) -> bool {
    MONTHS.has(label)
}

/// How far before an identifier its label is looked for, in bytes.
const NEAR: usize = 240;
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
            byte if identifies(byte) => joints += 1,
            _ => {}
        }
    }
    digits >= 3 || (digits > 0 && small + capitals + joints > 0) || (joints > 0 && small >= 3)
}

/// True for the characters of which an identifier has one at least.
fn identifies(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'_' | b'/' | b'@' | b'\\' | b':')
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_near_and_a_line_without_blanks_is_no_word() {
        let stop_words = StopWords::default();
        let far = |letters: usize| format!("roses {} 12 ", "é".repeat(letters));
        assert_eq!(label("roses 7 12 ", &stop_words).as_deref(), Some("roses"));
        assert_eq!(label(&"é".repeat(200), &stop_words), None);
        assert_eq!(label(&format!("{} of ", "é".repeat(200)), &stop_words), None);
        assert_eq!(label(&far(200).replace("12", "of"), &stop_words), None);
        let list = format!("{}order 12, 13, ", "é".repeat(200));
        assert_eq!(label(&list, &stop_words), None);
        let list = format!("{} order 12, 13, ", "é".repeat(200));
        assert_eq!(label(&list, &stop_words).as_deref(), Some("order"));
    }

    #[test]
    fn d10_neither_a_month_nor_an_outcome_says_what_an_identifier_is() {
        let stop_words = StopWords::default();
        assert_eq!(label("-rw-r--r-- 1 root root 20613 Apr 30 08:32 ", &stop_words), None);
        assert_eq!(label("FAIL ", &stop_words), None);
        assert_eq!(label("the order 12 ", &stop_words).as_deref(), Some("order"));
    }
}
