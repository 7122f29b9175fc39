//! Finds keys in what a server says, in every form in which it may echo them, and hides them.
//!
//! Text and keys are first read in the same way: escapes are decoded, case, white space and backslashes ignored. So it makes
//! no difference how a key is written. Then the beginning and the end of each key is searched for in one pass.

use crate::base64;
use crate::secret::HIDDEN;

/// This many characters of the beginning or the end of a key are hidden without the rest of it.
const SHORTEST_PART: usize = 8;
/// Fewer characters of base64 are found in ordinary text.
const SHORTEST_BASE64: usize = 6;
/// A shorter value of a header or a query is not a key, but may be a word of any text.
const SHORTEST_VALUE: usize = 3;

/// The keys to hide.
#[derive(Default)]
pub(crate) struct Mask {
    needles: Vec<Needle>,
}

/// A key as it is searched for.
struct Needle {
    symbols: Vec<u8>,
    reading: Reading,
    /// How many symbols of its beginning or its end are hidden. At least one, at most all.
    shortest: usize,
    /// Whether it is hidden only where no letter or digit is next to it, because it is short.
    is_word: bool,
}

/// What of a text is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Everything but white space, backslashes and `+`, which stands for a space in URLs.
    Plain,
    /// Letters and digits, because the other characters of base64 are different in URLs.
    Base64,
}

/// A text as it is compared: its symbols, and the bytes of the text that each comes from.
struct Symbols {
    bytes: Vec<u8>,
    places: Vec<(usize, usize)>,
}

impl Mask {
    /// Hides an API key, however short it is.
    pub(crate) fn add_key(&mut self, key: &str) {
        self.add(key, 1);
    }

    /// Hides a value of a header or of a URL's query, and what follows a scheme such as `Bearer` in it. `true` and `false`
    /// are not keys.
    pub(crate) fn add_value(&mut self, value: &str) {
        self.add(value, SHORTEST_VALUE);
        if let Some((scheme, rest)) = value.split_once(' ') {
            self.add(rest, SHORTEST_VALUE);
            let credentials = base64::decode(rest.trim());
            if let Some(text) = credentials.filter(|_| scheme.eq_ignore_ascii_case("basic")) {
                self.add(&text, SHORTEST_VALUE);
                self.add(text.split_once(':').map_or("", |(_, password)| password), SHORTEST_VALUE);
            }
        }
        // Parts such as those of a cookie.
        for part in value.split([' ', ',', ';']) {
            self.add(part, SHORTEST_PART);
            self.add(
                part.split_once('=').map_or("", |(_, value)| value.trim_matches('"')),
                SHORTEST_PART,
            );
        }
    }

    /// Adds a secret in all its forms, if it has this many characters.
    fn add(&mut self, secret: &str, shortest: usize) {
        let secret = secret.trim();
        if secret.chars().count() < shortest || secret == "true" || secret == "false" {
            return;
        }
        let plain = Symbols::of(secret, Reading::Plain).bytes;
        let is_word = plain.len() < SHORTEST_PART;
        self.push(plain, Reading::Plain, SHORTEST_PART, is_word);
        for offset in 0..3 {
            let core = Symbols::of(&base64::core(secret.as_bytes(), offset), Reading::Base64).bytes;
            if core.len() >= SHORTEST_BASE64 {
                self.push(core, Reading::Base64, SHORTEST_PART, false);
            }
        }
        let whole: String = base64::encode(secret.bytes()).collect();
        if whole.len() < SHORTEST_PART && secret.len() >= SHORTEST_VALUE {
            self.push(
                Symbols::of(&whole, Reading::Base64).bytes,
                Reading::Base64,
                SHORTEST_PART,
                true,
            );
        }
    }

    fn push(&mut self, symbols: Vec<u8>, reading: Reading, shortest: usize, is_word: bool) {
        if !symbols.is_empty() {
            let shortest = shortest.min(symbols.len());
            self.needles.push(Needle { symbols, reading, shortest, is_word });
        }
    }

    /// The text with `[key]` in place of each key, of its beginning and of its end. If the text `is_cut`, its last characters
    /// are hidden too if a key begins with them. Linear in the text and the keys.
    pub(crate) fn hide(&self, text: &str, is_cut: bool) -> String {
        let mut hidden = vec![false; text.len()];
        for reading in [Reading::Plain, Reading::Base64] {
            let symbols = Symbols::of(text, reading);
            for needle in self.needles.iter().filter(|needle| needle.reading == reading) {
                for (start, end) in needle.find(&symbols, text, is_cut) {
                    hidden.iter_mut().take(end).skip(start).for_each(|byte| *byte = true);
                }
            }
        }
        let mut shown = String::with_capacity(text.len());
        let mut was_hidden = false;
        for (at, character) in text.char_indices() {
            let is_hidden = hidden.get(at) == Some(&true);
            match (is_hidden, was_hidden) {
                (false, _) => shown.push(character),
                (true, false) => shown.push_str(HIDDEN),
                (true, true) => {}
            }
            was_hidden = is_hidden;
        }
        shown
    }
}

impl Needle {
    /// The byte ranges of the text where it is.
    fn find(&self, symbols: &Symbols, text: &str, is_cut: bool) -> Vec<(usize, usize)> {
        let beginnings = overlaps(&self.symbols, symbols.bytes.iter());
        if self.is_word {
            let whole =
                beginnings.iter().zip(1..).filter(|(length, _)| **length == self.symbols.len());
            let places = whole.filter_map(|(length, end)| symbols.place(end - length, end));
            return places.filter(|place| is_word(*place, text)).collect();
        }
        let reversed: Vec<u8> = self.symbols.iter().rev().copied().collect();
        let mut ends = overlaps(&reversed, symbols.bytes.iter().rev());
        ends.reverse();
        let last = beginnings.last().copied().filter(|_| is_cut).unwrap_or_default();
        let in_beginning = self.covered(beginnings.into_iter().rev(), last);
        let in_end = self.covered(ends.into_iter(), 0);
        let covered: Vec<bool> =
            in_beginning.iter().rev().zip(&in_end).map(|(one, other)| *one || *other).collect();
        let runs = covered.chunk_by(|one, other| one == other).scan(0, |at, run| {
            let start = *at;
            *at += run.len();
            Some((start, *at, run.first() == Some(&true)))
        });
        let runs = runs.filter(|(.., is_covered)| *is_covered);
        let places = runs.filter_map(|(start, end, _)| symbols.place(start, end));
        match self.reading {
            Reading::Plain => places.collect(),
            Reading::Base64 => places.filter_map(|place| around(place, text)).collect(),
        }
    }

    /// Which symbols are in an overlap that is long enough. Each overlap is given at its last symbol in this order, and covers
    /// as many of the next ones.
    fn covered(&self, overlaps: impl Iterator<Item = usize>, first: usize) -> Vec<bool> {
        let mut left = first;
        let next = overlaps.map(|length| {
            if length >= self.shortest {
                left = left.max(length);
            }
            let is_covered = left > 0;
            left = left.saturating_sub(1);
            is_covered
        });
        next.collect()
    }
}

/// Whether the range is a word of its own.
fn is_word((from, to): (usize, usize), text: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    let word = text.get(from..to).unwrap_or_default();
    let is_part = text.get(..from).is_some_and(|before| before.ends_with(is_inside))
        || text.get(to..).is_some_and(|after| after.starts_with(is_inside));
    !is_part && !word.contains(char::is_whitespace)
}

/// The whole base64 around a range: its neighbours have some bits of the key.
fn around((from, to): (usize, usize), text: &str) -> Option<(usize, usize)> {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || "+/-_=".contains(c);
    let from = text.get(..from)?.trim_end_matches(is_inside).len();
    let to = text.len() - text.get(to..)?.trim_start_matches(is_inside).len();
    Some((from, to))
}

/// For each symbol, how many symbols up to it are the beginning of the needle (Knuth, Morris and Pratt). Linear.
fn overlaps<'a>(needle: &[u8], symbols: impl Iterator<Item = &'a u8>) -> Vec<usize> {
    let mut borders = vec![0];
    let mut matched = 0;
    for symbol in needle.iter().skip(1) {
        matched = advance(needle, &borders, matched, *symbol);
        borders.push(matched);
    }
    matched = 0;
    let next = symbols.map(|symbol| {
        matched = advance(needle, &borders, matched, *symbol);
        matched
    });
    next.collect()
}

fn advance(needle: &[u8], borders: &[usize], mut matched: usize, symbol: u8) -> usize {
    while needle.get(matched) != Some(&symbol) {
        let Some(shorter) = matched.checked_sub(1).and_then(|last| borders.get(last)) else {
            return 0;
        };
        matched = *shorter;
    }
    matched + 1
}

impl Symbols {
    fn of(text: &str, reading: Reading) -> Self {
        let mut symbols = Self { bytes: Vec::new(), places: Vec::new() };
        let mut at = 0;
        while let Some((length, token)) = text.get(at..).and_then(first_token) {
            let end = at + length;
            match token {
                Token::Nothing => {}
                Token::Byte(byte) => symbols.push(byte, reading, (at, end)),
                Token::Character(character) => {
                    let mut buffer = [0; 4];
                    let encoded = character.encode_utf8(&mut buffer);
                    encoded.bytes().for_each(|byte| symbols.push(byte, reading, (at, end)));
                }
            }
            at = end;
        }
        symbols
    }

    /// The byte range of the text that these symbols come from.
    fn place(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let (from, _) = self.places.get(start)?;
        let (_, to) = self.places.get(end.checked_sub(1)?)?;
        Some((*from, *to))
    }

    fn push(&mut self, byte: u8, reading: Reading, place: (usize, usize)) {
        let is_compared = match reading {
            Reading::Plain => !byte.is_ascii_whitespace() && byte != b'\\' && byte != b'+',
            Reading::Base64 => byte.is_ascii_alphanumeric(),
        };
        if is_compared {
            self.bytes.push(byte.to_ascii_lowercase());
            self.places.push(place);
        }
    }
}

/// What the first characters of a text stand for.
enum Token {
    Nothing,
    Byte(u8),
    Character(char),
}

/// The first token of a text, and its length in bytes. Decodes `%2F`, and what is escaped in JSON, any number of times.
fn first_token(text: &str) -> Option<(usize, Token)> {
    let first = text.chars().next()?;
    let whole = (
        first.len_utf8(),
        if first.is_whitespace() { Token::Nothing } else { Token::Character(first) },
    );
    match first {
        '%' => {
            let digits = after_percent(text);
            let byte =
                digits.get(..2).and_then(hexadecimal).and_then(|number| number.try_into().ok());
            Some(byte.map_or(whole, |byte| (text.len() - digits.len() + 2, Token::Byte(byte))))
        }
        '\\' => {
            let escaped = text.trim_start_matches('\\');
            let run = text.len() - escaped.len();
            let unit = escaped.strip_prefix('u').and_then(|digits| digits.get(..4));
            if let Some(character) = unit.and_then(hexadecimal).and_then(char::from_u32) {
                return Some((run + 5, Token::Character(character)));
            }
            // A line break or a tab.
            let is_space = escaped.starts_with(['n', 'r', 't', 'b', 'f']);
            Some((run + usize::from(is_space), Token::Nothing))
        }
        _ => Some(whole),
    }
}

/// What follows a percent sign, which may be encoded itself.
fn after_percent(text: &str) -> &str {
    let mut rest = text.strip_prefix('%').unwrap_or(text);
    while let Some(after) = rest.strip_prefix("25") {
        // `%25` is only the sign itself if two digits of another one follow.
        if after.get(..2).and_then(hexadecimal).is_none() {
            break;
        }
        rest = after;
    }
    rest
}

fn hexadecimal(digits: &str) -> Option<u32> {
    // A sign would be accepted too.
    u32::from_str_radix(digits, 16)
        .ok()
        .filter(|_| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-Ab\"1/2\\3+4 é=xyz";

    fn key(key: &str) -> Mask {
        let mut mask = Mask::default();
        mask.add_key(key);
        mask
    }

    fn value(value: &str) -> Mask {
        let mut mask = Mask::default();
        mask.add_value(value);
        mask
    }

    fn check(mask: &Mask, text: &str, expected: &str) {
        assert_eq!(mask.hide(text, false), expected, "{text}");
    }

    fn escaped(bytes: &str, escape: impl Fn(u8) -> String) -> String {
        bytes.bytes().map(escape).collect()
    }

    #[test]
    fn j4_a_key_is_hidden_in_every_form() {
        let mask = key(KEY);
        let json = serde_json::to_string(KEY).unwrap();
        let units = |text: &str| -> String {
            text.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect()
        };
        for form in [
            KEY.to_owned(),
            KEY.to_uppercase().replace('É', "é"),
            json.trim_matches('"').to_owned(),
            serde_json::to_string(&json)
                .unwrap()
                .trim_matches('"')
                .trim_matches(['\\', '"'])
                .to_owned(),
            KEY.replace('/', "\\/"),
            units(KEY),
            escaped(KEY, |byte| format!("%{byte:02x}")),
            escaped(KEY, |byte| format!("%{byte:02X}")),
            escaped(KEY, |byte| format!("%25{byte:02X}")),
            KEY.replace(' ', "+"),
            KEY.replace("b", "b \n\t"),
            KEY.replace("b", "b\\r\\n"),
        ] {
            check(&mask, &format!("no {form}, no"), "no [key], no");
        }
    }

    #[test]
    fn j4_a_key_is_hidden_inside_of_base64() {
        let mask = key(KEY);
        for (before, after) in [("", ""), ("u:", ""), ("me:", "!"), ("user:", "ab")] {
            let encoded: String = base64::encode(format!("{before}{KEY}{after}").bytes()).collect();
            let in_url = encoded.replace('+', "-").replace('/', "_");
            for form in [format!("{encoded}=="), in_url, encoded.to_lowercase()] {
                check(&mask, &format!("Basic {form}."), "Basic [key].");
            }
        }
        let credentials: String = base64::encode("me:hunter2!".bytes()).collect();
        let basic = value(&format!("Basic {credentials}"));
        check(&basic, "me:hunter2! is unknown", "[key] is unknown");
        check(&basic, "password hunter2! of me", "password [key] of me");
        check(&basic, &format!("got Basic {credentials}"), "got [key]");
        for said in ["me:hunter2!", "hunter2!", &credentials] {
            check(&basic, &format!("wrong, {said}"), "wrong, [key]");
        }
        let repeated: String = base64::encode("gardener:hunter2hunter2".bytes()).collect();
        let basic = value(&format!("Basic {repeated}"));
        for said in ["gardener:hunter2hunter2", "hunter2hunter2", &repeated] {
            check(&basic, &format!("wrong, {said}"), "wrong, [key]");
        }
        check(
            &key("abcd"),
            &format!("{} ", base64::encode("abcd".bytes()).collect::<String>()),
            "[key] ",
        );
    }

    #[test]
    fn j4_the_beginning_and_the_end_of_a_key_are_hidden() {
        let long = "sk-live-0123456789abcdefghij";
        let mask = key(long);
        check(&mask, "key sk-live-0123 is bad", "key [key] is bad");
        check(&mask, "key …9abcdefghij is bad", "key …[key] is bad");
        check(&mask, "sk-live-…ghij", "[key]…ghij");
        check(&mask, "sk-liv, bcdefg", "sk-liv, bcdefg");
        assert_eq!(mask.hide("it is sk-l", true), "it is [key]");
        assert_eq!(mask.hide("it is sk-l", false), "it is sk-l");
    }

    #[test]
    fn j4_a_header_is_hidden_with_and_without_its_scheme() {
        let mask = value("Bearer sk-0123456789");
        check(&mask, "bad Bearer sk-0123456789", "bad [key]");
        check(&mask, "bad sk-0123456789", "bad [key]");
        let cookie = value("a=1; session=\"0123456789abc\"");
        check(&cookie, "session 0123456789abc ended", "session [key] ended");
    }

    #[test]
    fn j4_a_short_value_is_hidden_as_a_word_only() {
        check(&key("k"), "max_tokens, key k", "max_tokens, key [key]");
        check(
            &value("tok"),
            "max_tok, tokens, tok, \"tok\" tok tok",
            "max_tok, tokens, [key], \"[key]\" [key] [key]",
        );
        check(&value("a"), "a model", "a model");
        check(&value("true"), "it is true", "it is true");
    }

    #[test]
    fn j4_other_text_is_left_as_it_is() {
        let text = "100 % of é \\ + \\u00e9 %zz %2 \n a";
        check(&key("sk-0123456789"), text, text);
        check(&key(" "), text, text);
        check(&Mask::default(), text, text);
    }

    #[test]
    fn j4_a_long_key_that_repeats_itself_is_hidden() {
        let repeated = "ab".repeat(50_000);
        check(&key(&repeated), &"ab".repeat(100_000), "[key]");
        let needle = "a".repeat(100_000);
        assert_eq!(
            overlaps(needle.as_bytes(), "a".repeat(100_000).as_bytes().iter()).last(),
            Some(&100_000)
        );
    }
}
