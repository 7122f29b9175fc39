//! Words without their endings, so that a question finds a text with another form of its words.

use std::borrow::Cow;

/// Letters that are compared of a word outside of ASCII. Most inflection is at the end.
const LETTERS: usize = 6;

/// The stem of a word in lower case: without English endings if it is ASCII, otherwise its first letters.
///
/// A library of stemmers would have to know the language, and the tables of all of them are larger than this module.
pub(crate) fn stem(word: &str) -> Cow<'_, str> {
    if !word.is_ascii() {
        let end = word.char_indices().nth(LETTERS).map_or(word.len(), |(at, _)| at);
        return Cow::Borrowed(word.get(..end).unwrap_or(word));
    }
    if word.len() < 4 || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(word);
    }
    let mut stem = plural(word);
    for ending in ["ingly", "edly", "ing", "ed"] {
        if let Some(rest) =
            stem.strip_suffix(ending).filter(|rest| rest.len() > 2 && has_vowel(rest))
        {
            let mut bytes = rest.bytes().rev();
            let (last, second) = (bytes.next(), bytes.next());
            let doubled = last == second && !matches!(last, Some(b'l' | b's' | b'z' | b'e'));
            let end = rest.len() - usize::from(doubled);
            stem = Cow::Owned(rest.get(..end).unwrap_or(rest).to_owned());
            break;
        }
    }
    for (ending, with) in ENDINGS {
        if let Some(rest) = stem.strip_suffix(ending).filter(|rest| rest.len() > 3) {
            stem = Cow::Owned([rest, with].concat());
            break;
        }
    }
    if let Some(rest) = stem.strip_suffix('e').filter(|rest| rest.len() > 2) {
        stem = Cow::Owned(rest.to_owned());
    }
    match stem.strip_suffix('y').filter(|rest| rest.len() > 2) {
        Some(rest) => Cow::Owned([rest, "i"].concat()),
        None => stem,
    }
}

/// Endings that make another kind of word of one, and what stands in their place.
const ENDINGS: [(&str, &str); 14] = [
    ("ational", "at"),
    ("ization", "iz"),
    ("ations", "at"),
    ("ation", "at"),
    ("fulness", "ful"),
    ("iveness", "iv"),
    ("ment", ""),
    ("ness", ""),
    ("ility", "l"),
    ("ally", "al"),
    ("ly", ""),
    ("tion", "t"),
    ("or", ""),
    ("er", ""),
];

fn plural(word: &str) -> Cow<'_, str> {
    for (ending, with) in [("sses", "ss"), ("ies", "y"), ("ss", "ss"), ("us", "us"), ("s", "")] {
        if let Some(rest) = word.strip_suffix(ending) {
            return Cow::Owned([rest, with].concat());
        }
    }
    Cow::Borrowed(word)
}

fn has_vowel(text: &str) -> bool {
    text.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}
