//! Finds names and numbers in text: what has to be copied exactly.

use super::Kind;
use super::han_number::{self, in_digits, is_numeral};
use epitome_text::letters::{is_numeric, is_unspaced};
use epitome_text::sentence::MONTHS;
use epitome_text::signs::first_sign;

/// Calls `each` for every name and number of the text, in order. A number includes the next word if that reads as its
/// unit; in Chinese, Japanese, Korean and other scripts that write them without blanks, the character behind it, and a date or a
/// time is one number. Linear in the text.
pub(super) fn for_each<'a>(text: &'a str, each: impl FnMut(Kind, &'a str)) {
    for_each_from(text, first_sign, each);
}

/// The same. `first_sign` says where the first byte of a text may be that plain words do not have; `None` if it has none.
#[inline(always)]
fn for_each_from<'a>(
    text: &'a str,
    first_sign: impl Fn(&[u8]) -> Option<usize>,
    mut each: impl FnMut(Kind, &'a str),
) {
    let mut next = text;
    let mut delimiter = b' ';
    while let Some(sign) = first_sign(next.as_bytes()) {
        // Most words are plain, and can be skipped without a closer look. The first one that is not begins behind the last
        // delimiter before its sign.
        let plain = next.as_bytes().get(..sign).unwrap_or_default();
        if let Some(at) = plain.iter().rposition(|byte| class(*byte) == Class::Delimiter) {
            delimiter = plain.get(at).copied().unwrap_or_default();
            next = next.get(at + 1..).unwrap_or_default();
        }
        let rest = next;
        let before = delimiter;
        let Piece { end, next: next_start, has_marks } =
            Piece::first(rest, before.is_ascii_whitespace());
        delimiter = rest.as_bytes().get(end).copied().unwrap_or_default();
        next = rest.get(next_start..).unwrap_or_default();
        if !has_marks {
            continue;
        }
        let word = trim(rest.get(..end).unwrap_or_default());
        if !word.is_ascii() && word.contains(is_joined) {
            inside(word, &mut each);
            han_number::for_each(word, |number| each(Kind::Number, number));
            continue;
        }
        if word.is_empty() || word.len() > MAX_WORD {
            continue;
        }
        match kind(word) {
            Some(Kind::Number) => {
                if let Some(number) = number(word, rest) {
                    each(Kind::Number, number);
                }
            }
            // `</table>` and `$(folder)/build` have no path from the root.
            Some(Kind::Path) if matches!(before, b'<' | b')' | b'}') && word.starts_with('/') => {}
            Some(kind) => each(kind, word),
            None => {}
        }
    }
}

/// The text before the first delimiter, in bytes.
struct Piece {
    /// Where it ends.
    end: usize,
    /// Where the next piece begins.
    next: usize,
    /// Whether it has a byte that names and numbers have and plain words do not.
    has_marks: bool,
}

impl Piece {
    /// `is_spaced` says whether a blank is before the text: a comma within `1,234` belongs to the number, but not
    /// one in `[100,200]`.
    fn first(text: &str, is_spaced: bool) -> Self {
        let mut has_marks = false;
        // In scripts without blanks there is none before a number either.
        let begins = is_spaced || text.bytes().next().is_some_and(|byte| !byte.is_ascii());
        for (at, byte) in text.bytes().enumerate() {
            if byte == b',' && begins && has_marks && is_in_number(text, at) {
                continue;
            }
            match class(byte) {
                Class::Mark => has_marks = true,
                Class::Delimiter => return Self { end: at, next: at + 1, has_marks },
                Class::Foreign => {
                    let character = text.get(at..).and_then(|rest| rest.chars().next());
                    if let Some(character) = character.filter(|character| delimits(*character)) {
                        let next = at + character.len_utf8();
                        return Self { end: at, next, has_marks };
                    }
                    has_marks |= character.is_some_and(|it| is_numeric(it) || is_numeral(it));
                }
                Class::Plain => {}
            }
        }
        Self { end: text.len(), next: text.len(), has_marks }
    }
}

/// True for a comma within a number: before groups of three digits, as in `1,234`, or before one or two at its end, as in
/// `1.250,50`.
fn is_in_number(text: &str, comma: usize) -> bool {
    let (before, after) = text.split_at_checked(comma).unwrap_or_default();
    let after = after.get(1..).unwrap_or_default();
    let bare = before.trim_start_matches(|c: char| !c.is_ascii_digit());
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let is_decimal = !bare.contains(',') && (1..=2).contains(&digits);
    let is_integer = bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match is_decimal {
        true => !bare.is_empty() && is_integer,
        false => digits == 3 && are_thousands(bare),
    }
}

/// True for digits in groups of three, but for the first one, which may be shorter.
fn are_thousands(number: &str) -> bool {
    let is_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = number.split(',');
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len())
        && is_digits(first)
        && groups.all(|group| group.len() == 3 && is_digits(group))
}

/// Calls `each` for what stands between letters of scripts that join words: codes, addresses, and numbers with the character
/// behind them.
fn inside<'a>(word: &'a str, each: &mut impl FnMut(Kind, &'a str)) {
    let mut rest = word;
    while let Some(start) = rest.find(|c: char| !is_joined(c)) {
        let (_, run) = rest.split_at_checked(start).unwrap_or_default();
        let length = run.find(is_joined).unwrap_or(run.len());
        let (own, behind) = run.split_at_checked(length).unwrap_or_default();
        let name = trim(own);
        match kind(name).filter(|_| name.len() <= MAX_WORD) {
            Some(Kind::Number) => {
                let (mut end, begins) = (length, own.find(name).unwrap_or_default());
                // `5月3日` and `7時30分` are one; behind a full stop there is no unit.
                let mut more = if own.ends_with(name) { behind } else { "" };
                while let Some(unit) = more.chars().next() {
                    end += unit.len_utf8();
                    let after = more.get(unit.len_utf8()..).unwrap_or_default();
                    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
                    more = after.get(digits..).unwrap_or_default();
                    if digits == 0 || more.chars().next().is_none_or(|unit| !is_joined(unit)) {
                        break;
                    }
                    end += digits;
                }
                let number = if end > length { run.get(begins..end) } else { Some(name) };
                let number = number.unwrap_or(name);
                if end > length || name.bytes().filter(u8::is_ascii_digit).count() > 2 {
                    each(Kind::Number, number);
                }
                rest = run.get(end..).unwrap_or_default();
                continue;
            }
            Some(kind) => each(kind, name),
            None => {}
        }
        rest = behind;
    }
}

/// True for letters of scripts without blanks between words, and for Hangul, in which units and particles follow a number
/// without one.
fn is_joined(character: char) -> bool {
    is_unspaced(character) || matches!(character, '\u{AC00}'..='\u{D7A3}')
}

/// A number as others may write it: `1,234` as `1234`, `5 pm` as `17:00`, `三月五日` as `3月5日`. `None` if there is no other way.
pub(super) fn in_other_notation(number: &str) -> Option<String> {
    if !number.is_ascii()
        && let Some(digits) = in_digits(number)
    {
        return Some(digits);
    }
    let lower = number.to_lowercase();
    let half = ["pm", "p.m", "am", "a.m"].iter().find_map(|half| {
        lower.strip_suffix(half).map(|time| (time.trim_end(), half.starts_with('p')))
    });
    let (time, afternoon) = half.map_or((lower.as_str(), None), |(time, pm)| (time, Some(pm)));
    let (hour, minute) = time.split_once(':').unwrap_or((time, "00"));
    let is_time = (afternoon.is_some() || time.contains(':'))
        && minute.len() == 2
        && minute.bytes().all(|byte| byte.is_ascii_digit());
    if is_time
        && let Ok(hour) = hour.parse::<u32>()
        && hour < 24
    {
        let hour = match afternoon {
            Some(true) if hour < 12 => hour + 12,
            Some(false) if hour == 12 => 0,
            _ => hour,
        };
        return Some(format!("{hour:02}:{minute}"));
    }
    let digits = number.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(digits.len());
    let is_grouped = digits.get(..end).is_some_and(|it| it.contains(',') && are_thousands(it));
    is_grouped.then(|| number.replace(',', ""))
}

/// The class of a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Plain,
    /// A byte of names and numbers that plain words do not have.
    Mark,
    Delimiter,
    /// The first byte of a character outside ASCII.
    Foreign,
}

/// The class of each byte. A table, because every byte of every message is looked up.
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Plain; 256];
    let mut rest: &mut [Class] = &mut classes;
    let mut byte = 0_u8;
    while let Some((class, after)) = rest.split_first_mut() {
        *class = match byte {
            b'0'..=b'9' | b'/' | b'.' | b'@' | b'_' | b':' => Class::Mark,
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

fn class(byte: u8) -> Class {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(Class::Plain)
}

/// The number at the beginning of `rest`, with its unit if it has one; `None` for a number of one or two digits without
/// a unit, which says too little to be a fact.
fn number<'a>(word: &'a str, rest: &'a str) -> Option<&'a str> {
    let after = rest.strip_prefix(word).and_then(|after| after.strip_prefix(' '));
    let unit = after.and_then(|after| after.split(delimits).next()).map(trim).unwrap_or_default();
    let is_unit = (1..=MAX_UNIT).contains(&unit.len())
        && unit.chars().all(char::is_alphabetic)
        && !NOT_UNITS.contains(&unit);
    // `12 de mayo`
    if after.is_some_and(|after| after.starts_with("de ")) {
        let month = after.and_then(|after| after.get(3..)?.split(delimits).next()).map(trim)?;
        return rest.get(..word.len() + " de ".len() + month.len());
    }
    // `12. Mai`
    let ordinal = rest.strip_prefix(word).and_then(|after| after.strip_prefix(". "));
    let month = ordinal.and_then(|after| after.split(delimits).next()).map(trim);
    if let Some(month) = month.filter(|month| MONTHS.contains(month)) {
        return rest.get(..word.len() + ". ".len() + month.len());
    }
    // A number with a currency or a unit directly at it needs no further unit: in `$5 bills` the word is not
    // one.
    if is_unit && !is_marked(word) {
        return rest.get(..word.len() + 1 + unit.len());
    }
    let digits = word.chars().filter(|character| is_numeric(*character)).count();
    (digits > 2 || is_marked(word)).then_some(word)
}

/// The longest word that counts as a unit, in bytes.
const MAX_UNIT: usize = 16;

/// Words after a number that are not units.
const NOT_UNITS: [&str; 34] = [
    "and", "or", "of", "in", "on", "at", "to", "for", "is", "the", "a", "with", "by", "from", "as",
    "then", "und", "oder", "im", "am", "bis", "von", "y", "en", "e", "o", "et", "à", "из", "в",
    "и", "на", "до", "से",
];

/// The longest word that counts as a name, in bytes: a longer one is data.
const MAX_WORD: usize = 200;

fn delimits(c: char) -> bool {
    if let Ok(byte) = u8::try_from(u32::from(c))
        && byte.is_ascii()
    {
        return class(byte) == Class::Delimiter;
    }
    matches!(
        c,
        '“' | '”'
            | '«'
            | '»'
            | '（'
            | '）'
            | '「'
            | '」'
            | '、'
            | '，'
            | '。'
            | '！'
            | '？'
            | '；'
    ) || c.is_whitespace()
}

/// The word without the punctuation of the sentence around it.
fn trim(word: &str) -> &str {
    let word = word.trim_end_matches(['.', ':', '!', '?', '\'', '’', '*', '…', '=', '\\']);
    word.trim_start_matches(['\'', '‘', '*', ':', '!', '=', '\\'])
}

fn kind(word: &str) -> Option<Kind> {
    // Most words are none of these by their characters, which are read once.
    let (mut has_colon, mut has_at_or_equals, mut has_slash_or_dot) = (false, false, false);
    for byte in word.bytes() {
        match byte {
            b':' => has_colon = true,
            b'@' | b'=' => has_at_or_equals = true,
            b'/' | b'.' => has_slash_or_dot = true,
            _ => {}
        }
    }
    // The order decides: a URL contains a path, and the version in `name@1.2` would pass as the host of an e-mail address.
    if has_colon && word.contains("://") {
        return Some(Kind::Url);
    }
    if has_at_or_equals && is_package(word) {
        return Some(Kind::Package);
    }
    if has_at_or_equals && is_email(word) {
        return Some(Kind::Identifier);
    }
    if has_slash_or_dot && is_path(word) {
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

/// The extensions by which file names are recognized.
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

/// True for a number: digits and separators, perhaps with a sign or currency before and a short unit directly after.
fn is_number(word: &str) -> bool {
    let (bare, unit) = parts(word);
    bare.starts_with(char::is_numeric)
        && unit.chars().count() <= 3
        && !unit.contains(char::is_numeric)
}

/// True if a number has a sign, a currency or a unit attached.
fn is_marked(word: &str) -> bool {
    let (bare, unit) = parts(word);
    bare.len() < word.len() || !unit.is_empty()
}

/// The word without the sign before it, and the text after its digits.
fn parts(word: &str) -> (&str, &str) {
    let bare =
        word.trim_start_matches(['$', '€', '£', '¥', '₹', '₽', '₩', '+', '-', '~', '#', '≤', '≥']);
    let is_part = |c: char| is_numeric(c) || matches!(c, '.' | ',' | ':' | '-' | '/');
    (bare, bare.trim_start_matches(is_part))
}

/// True for a code: letters mixed with digits, or capitals joined by underscores.
fn is_identifier(word: &str) -> bool {
    if !word.is_ascii() || word.len() < 4 {
        return false;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let plain =
        word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'#' | b'.'));
    let constant = word.contains('_')
        && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit());
    plain && ((digits > 0 && letters > 0 && word.len() > 4) || (constant && letters > 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        for_each(text, |_, name| found.push(name));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn d10_what_is_found_is_what_a_look_at_each_word_finds() {
        let parts = [
            "word",
            "a",
            "of",
            " ",
            " ",
            "\n",
            ", ",
            ",",
            "-",
            "(",
            ")",
            "[",
            "\"",
            "<",
            "/",
            ".",
            ":",
            "@",
            "_",
            "1",
            "12",
            "345",
            "$",
            "src/a.rs",
            "v1.2",
            "pm",
            "é",
            "’",
            "“",
            "年",
            "、",
            "元",
            "٣",
            "\u{a0}",
            "long-word-without-any-mark-in-it",
        ];
        let mut random = 1_u32;
        for round in 0..20_000 {
            let text: String = (0..round % 60)
                .map(|_| {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    // Most parts are words without marks.
                    let count = if random & 0x100 == 0 { parts.len() } else { 8 };
                    parts[(random >> 16) as usize % count]
                })
                .collect();
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            for_each(&text, |kind, name| found.push((kind, name)));
            let each_word = |rest: &[u8]| (!rest.is_empty()).then_some(0);
            for_each_from(&text, each_word, |kind, name| expected.push((kind, name)));
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn d10_a_number_with_separators_is_one_number() {
        check("It costs 18,400 euros.", &["18,400 euros"]);
        check("$1,234,567 and 12,34", &["$1,234,567", "12,34"]);
        check("[100,200,300]", &["100", "200", "300"]);
        check("in 1911,234 of them", &["1911", "234"]);
    }

    #[test]
    fn d10_neither_a_closing_tag_nor_the_end_of_an_expression_is_a_path() {
        check("return <table>…</table>; see /table and (/srv/app)", &["/table", "/srv/app"]);
        check("cd '$(srcDir)/build' && ls ${out}/bin ./bin", &["./bin"]);
    }

    #[test]
    fn d10_codes_dates_and_amounts_are_found_in_other_languages() {
        check(
            "预算每晚600元，电话是021-63210088，订单号是HT20981。",
            &["600元", "021-63210088", "HT20981"],
        );
        check(
            "5月3日に東京駅で、一泊12,000円です。予約番号はAB1234。",
            &["5月3日", "12,000円", "AB1234"],
        );
        check("价格:600元，共1200.再见", &["600元", "1200"]);
        check("三月五日到，每晚600元。", &["三月五日", "600元"]);
        check("5월 3일 오후 7시에 50,000원입니다", &["5월", "3일", "7시", "50,000원"]);
        check("في 12 مايو بمبلغ ٣٥٠ ريال", &["12 مايو", "٣٥٠ ريال"]);
        check("12 мая в 17:30 из Москвы", &["12 мая", "17:30"]);
        check("किराया ₹2,500 है", &["₹2,500"]);
        check(
            "el 12 de mayo a las 17:30 y cuesta 1.250,50 euros",
            &["12 de mayo", "17:30", "1.250,50 euros"],
        );
        check("am 12. Mai um 17:30 Uhr, 1.250,50 Euro", &["12. Mai", "17:30 Uhr", "1.250,50 Euro"]);
        check("It has 12. Then we", &[]);
    }

    #[test]
    fn d10_a_number_has_other_notations() {
        for (number, other) in [
            ("1,234", Some("1234")),
            ("1.250,50", None),
            ("5 pm", Some("17:00")),
            ("5:30pm", Some("17:30")),
            ("12 am", Some("00:00")),
            ("8:30", Some("08:30")),
            ("443", None),
            ("12 rose", None),
            ("三月五日", Some("3月5日")),
        ] {
            assert_eq!(in_other_notation(number).as_deref(), other, "{number}");
        }
    }
}
