//! What a piece of text is about: its words by their stems, and the identifiers in it.

/// A word or an identifier by its fingerprint. Two different ones are never met in practice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Term {
    Word(u64),
    Identifier(u64),
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// Calls `each` for every term of the text. Linear in the text.
///
/// Words are lower-cased and lose a common English ending; scripts without spaces give pairs of
/// characters. Identifiers are numbers of three digits and more, codes, paths, addresses and links.
pub(super) fn for_each(text: &str, mut each: impl FnMut(Term)) {
    words(text, &mut each);
    for candidate in text.split(|c: char| c.is_whitespace() || delimits(c)) {
        let candidate = candidate.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
        if is_identifier(candidate) {
            let hash = candidate
                .bytes()
                .fold(SEED, |hash, byte| by_script(hash, byte.to_ascii_lowercase().into()));
            each(Term::Identifier(hash));
        }
    }
}

fn words(text: &str, each: &mut impl FnMut(Term)) {
    let mut word: Vec<u8> = Vec::new();
    let mut before = None;
    for character in text.chars() {
        if unspaced(character) {
            flush(&mut word, each);
            if let Some(before) = before {
                each(Term::Word(by_script(
                    by_script(SEED, u32::from(before).into()),
                    u32::from(character).into(),
                )));
            }
            before = Some(character);
            continue;
        }
        before = None;
        if character.is_ascii_alphanumeric() {
            word.push(character.to_ascii_lowercase().try_into().unwrap_or(b' '));
        } else if character.is_alphanumeric() || is_mark(character) {
            let mut buffer = [0; 4];
            for lower in character.to_lowercase() {
                word.extend_from_slice(lower.encode_utf8(&mut buffer).as_bytes());
            }
        } else if character != '\'' && character != '’' {
            flush(&mut word, each);
        }
    }
    flush(&mut word, each);
}

/// A mark that stands inside words of scripts with letters joined by marks.
fn is_mark(character: char) -> bool {
    matches!(u32::from(character), 0x300..=0x36F | 0x591..=0x5C7 | 0x610..=0x65F | 0x900..=0xDFF)
}

/// Writing systems that put no space between words.
fn unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0xE00..=0xEFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3041..=0x30FF | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

fn flush(word: &mut Vec<u8>, each: &mut impl FnMut(Term)) {
    if !word.is_empty() {
        let hash = stem(word).iter().fold(SEED, |hash, &byte| by_script(hash, byte.into()));
        each(Term::Word(hash));
        word.clear();
    }
}

/// The word without the ending that it shares with half of the language.
fn stem(word: &[u8]) -> &[u8] {
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
            return if ending == b"s" && stem.last() == Some(&b's') { word } else { stem };
        }
    }
    word
}

fn by_script(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(PRIME).rotate_left(23)
}

fn delimits(character: char) -> bool {
    matches!(
        character,
        '"' | '\''
            | '`'
            | '('
            | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '<'
            | '>'
            | ','
            | ';'
            | '|'
            | '='
            | '*'
            | '“'
            | '”'
            | '‘'
            | '’'
            | '，'
            | '。'
            | '、'
            | '；'
            | '：'
            | '（'
            | '）'
            | '「'
            | '」'
    )
}

fn is_identifier(candidate: &str) -> bool {
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
