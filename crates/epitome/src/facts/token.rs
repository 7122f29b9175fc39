//! Names and numbers in running text: what a reader would copy and not retell.

use super::Kind;

/// Calls `each` for every name or number of the text, in order; a number comes with the word behind it
/// where that reads as its unit. Linear in the text.
pub(super) fn for_each<'a>(text: &'a str, mut each: impl FnMut(Kind, &'a str)) {
    let mut next = text;
    while !next.is_empty() {
        let rest = next;
        let Piece { end, behind, telling } = Piece::first(rest);
        next = rest.get(behind..).unwrap_or_default();
        // Most words are plain, and a name or number is not.
        if !telling {
            continue;
        }
        let word = trim(rest.get(..end).unwrap_or_default());
        if word.is_empty() || word.len() > LONGEST {
            continue;
        }
        match kind(word) {
            Some(Kind::Number) => {
                if let Some(number) = number(word, rest) {
                    each(Kind::Number, number);
                }
            }
            Some(kind) => each(kind, word),
            None => {}
        }
    }
}

/// What stands before the first delimiter of a text, in bytes.
struct Piece {
    /// Where it ends.
    end: usize,
    /// Where the next one begins.
    behind: usize,
    /// Whether it has a byte in it that plain words do not have.
    telling: bool,
}

impl Piece {
    fn first(text: &str) -> Self {
        let mut telling = false;
        for (at, byte) in text.bytes().enumerate() {
            match CLASSES.get(usize::from(byte)) {
                Some(Class::Telling) => telling = true,
                Some(Class::Delimiter) => return Self { end: at, behind: at + 1, telling },
                Some(Class::Foreign) => {
                    let character = text.get(at..).and_then(|rest| rest.chars().next());
                    if let Some(character) = character.filter(|character| delimits(*character)) {
                        return Self { end: at, behind: at + character.len_utf8(), telling };
                    }
                }
                Some(Class::Plain) | None => {}
            }
        }
        Self { end: text.len(), behind: text.len(), telling }
    }
}

/// What a byte says about the piece that it is in.
#[derive(Clone, Copy)]
enum Class {
    Plain,
    /// Names and numbers have it, and plain words do not.
    Telling,
    Delimiter,
    /// The first byte of a character outside ASCII.
    Foreign,
}

/// The class of every byte: every byte of every message is looked up.
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Plain; 256];
    let mut rest: &mut [Class] = &mut classes;
    let mut byte = 0_u8;
    while let Some((class, after)) = rest.split_first_mut() {
        *class = match byte {
            b'0'..=b'9' | b'/' | b'.' | b'@' | b'_' | b':' => Class::Telling,
            b'"' | b'`' | b'(' | b')' | b'[' | b']' | b'{' | b'}' => Class::Delimiter,
            b'<' | b'>' | b'|' | b',' | b';' => Class::Delimiter,
            _ if byte.is_ascii_whitespace() => Class::Delimiter,
            0xC0.. => Class::Foreign,
            _ => Class::Plain,
        };
        byte = byte.wrapping_add(1);
        rest = after;
    }
    classes
};

/// The number at the beginning of `rest`, with its unit where it has one; `None` where it is short and
/// bare, and so says nothing.
fn number<'a>(word: &'a str, rest: &'a str) -> Option<&'a str> {
    let behind = rest.strip_prefix(word).and_then(|behind| behind.strip_prefix(' '));
    let unit =
        behind.and_then(|behind| behind.split(delimits).next()).map(trim).unwrap_or_default();
    let is_unit = (1..=LONGEST_UNIT).contains(&unit.len())
        && unit.chars().all(char::is_alphabetic)
        && !JOINING.contains(&unit);
    if is_unit && !is_marked(word) {
        return rest.get(..word.len() + 1 + unit.len());
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    (digits > 2 || is_marked(word)).then_some(word)
}

/// Bytes of the longest word that is taken as a unit.
const LONGEST_UNIT: usize = 16;

/// Words behind a number that are no units.
const JOINING: [&str; 16] = [
    "and", "or", "of", "in", "on", "at", "to", "for", "is", "the", "a", "with", "by", "from", "as",
    "then",
];

/// Longer words are data and no names.
const LONGEST: usize = 200;

fn delimits(c: char) -> bool {
    if let Ok(byte) = u8::try_from(u32::from(c))
        && byte.is_ascii()
    {
        return matches!(CLASSES.get(usize::from(byte)), Some(Class::Delimiter));
    }
    const QUOTES_AND_STOPS: &str = "“”«»（）「」、，。！？；";
    QUOTES_AND_STOPS.contains(c) || c.is_whitespace()
}

/// Without the punctuation that a sentence puts around a word.
fn trim(word: &str) -> &str {
    let word = word.trim_end_matches(['.', ':', '!', '?', '\'', '’', '*', '…', '=', '\\']);
    word.trim_start_matches(['\'', '‘', '*', ':', '!', '=', '\\'])
}

fn kind(word: &str) -> Option<Kind> {
    if word.contains(':') && word.contains("://") {
        return Some(Kind::Url);
    }
    if word.contains(['@', '=']) && is_package(word) {
        return Some(Kind::Package);
    }
    if is_email(word) {
        return Some(Kind::Identifier);
    }
    if word.contains(['/', '.']) && is_path(word) {
        return Some(Kind::Path);
    }
    if is_number(word) {
        return Some(Kind::Number);
    }
    is_identifier(word).then_some(Kind::Identifier)
}

fn is_package(word: &str) -> bool {
    let versioned = |separator: &str| {
        word.rsplit_once(separator).is_some_and(|(name, version)| {
            name.chars().any(char::is_alphabetic) && is_version(version)
        })
    };
    versioned("@") || versioned("==")
}

fn is_version(word: &str) -> bool {
    let word = word.strip_prefix(['v', '^', '~']).unwrap_or(word);
    let mut parts = word.split('.');
    let numeric = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    parts.next().is_some_and(numeric) && parts.next().is_some_and(numeric)
}

fn is_email(word: &str) -> bool {
    word.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.split_once('.').is_some_and(|(a, b)| !a.is_empty() && b.len() > 1)
    })
}

fn is_path(word: &str) -> bool {
    let letters = word.chars().any(char::is_alphabetic);
    let rooted = ["/", "./", "../", "~/", "@/"].iter().any(|root| word.starts_with(root));
    let inner = word.trim_matches('/').contains('/') && !word.contains("//");
    let named = has_file_extension(word);
    let deep = inner && word.matches('/').count() > 1;
    letters && (named || deep || (rooted && word.len() > 3))
}

/// Endings that only file names have.
const EXTENSIONS: [&str; 56] = [
    "rs", "ts", "tsx", "js", "jsx", "mjs", "cjs", "py", "rb", "go", "java", "kt", "swift", "c",
    "h", "cc", "cpp", "hpp", "cs", "php", "sh", "bash", "ps1", "sql", "html", "css", "scss",
    "json", "jsonl", "yaml", "yml", "toml", "ini", "cfg", "conf", "env", "lock", "md", "mdx",
    "txt", "csv", "tsv", "xml", "svg", "png", "jpg", "jpeg", "gif", "pdf", "docx", "xlsx", "zip",
    "gz", "log", "vue", "proto",
];

fn has_file_extension(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(name, extension)| {
        name.chars().next_back().is_some_and(char::is_alphanumeric)
            && EXTENSIONS.contains(&extension)
    })
}

/// A number: digits and what joins them, with a sign before and a short unit right behind.
fn is_number(word: &str) -> bool {
    let (bare, unit) = parts(word);
    bare.starts_with(|c: char| c.is_ascii_digit())
        && unit.chars().count() <= 3
        && !unit.contains(|c: char| c.is_ascii_digit())
}

/// True where a number has its sign or its unit on it.
fn is_marked(word: &str) -> bool {
    let (bare, unit) = parts(word);
    bare.len() < word.len() || !unit.is_empty()
}

/// A word without the sign before it, and what stands behind its digits.
fn parts(word: &str) -> (&str, &str) {
    let bare = word.trim_start_matches(['$', '€', '£', '¥', '+', '-', '~', '#', '≤', '≥']);
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | '-' | '/');
    (bare, bare.trim_start_matches(is_part))
}

/// A code: letters and digits mixed, or words joined by underscores in capitals.
fn is_identifier(word: &str) -> bool {
    if !word.is_ascii() || word.len() < 4 {
        return false;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let plain =
        word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'#' | b'.'));
    let shouted = word.contains('_')
        && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit());
    plain && ((digits > 0 && letters > 0 && word.len() > 4) || (shouted && letters > 3))
}
