//! Cuts text into the pieces that an extract quotes: sentences, or clauses if a sentence is too long.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;

use super::letters::is_alphanumeric;
use super::signs::Signs;
use super::stop_words::{LONGEST_FILLER, SPEECH_TAGS, is_filler};

/// Separates two pieces on a line that would read as one sentence without it.
pub const SEPARATOR: &str = " · ";
/// The longest piece, in characters.
const MAX_CHARACTERS: usize = 400;
/// The longest piece, in words.
const MAX_WORDS: usize = 60;
/// The least length of a run that counts as encoded data, in characters.
const MIN_ENCODED: usize = 64;

/// The pieces of a text in order, each a trimmed slice of it. Linear in the text.
///
/// A piece ends at the end of a line, of a sentence in any script, or of a field of JSON. Encoded data and pieces of
/// only ASCII punctuation are left out.
pub fn split(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for_each(text, &mut |piece| pieces.push(piece));
    pieces
}

/// Calls `each` for the pieces of [`split`]. Most lines of a long text are short, and lists of their pieces would take a good part of
/// the time to read it.
pub fn for_each<'a>(text: &'a str, each: &mut dyn FnMut(&'a str)) {
    for line in text.split('\n') {
        split_line(line, Signs::of(line), each);
    }
}

fn split_line<'a>(line: &'a str, signs: Signs, each: &mut dyn FnMut(&'a str)) {
    // The other line ends and the separator are rare, so most lines are searched for none of them.
    if !signs.has(Signs::BREAK) {
        return split_part(line, signs, each);
    }
    for line in line.split(['\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        line.split(SEPARATOR).for_each(|part| split_part(part, signs, each));
    }
}

fn split_part<'a>(part: &'a str, signs: Signs, each: &mut dyn FnMut(&'a str)) {
    let mut rest = part.trim();
    // All are decided once for the whole line: most text is ASCII without encoded data and records, and needs neither
    // decoding nor the search for runs and fields. White space around the text is of no importance for them.
    let (ascii, encoded) = (!signs.has(Signs::FOREIGN) || rest.is_ascii(), has_long_run(rest));
    let has_fields = signs.has(Signs::FIELD);
    while !rest.is_empty() {
        let cut = match (ascii, encoded) {
            (true, false) => Cut::Keep(first_ascii_cut(rest)),
            (true, true) => first_cut(rest, rest.bytes().map(char::from).enumerate(), encoded),
            (false, _) => first_cut(rest, rest.char_indices(), encoded),
        };
        let (Cut::Keep(end) | Cut::Drop(end)) = cut;
        let (piece, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
        match cut {
            Cut::Keep(_) if has_fields => split_fields(piece.trim_end(), each),
            Cut::Keep(_) => push(piece, each),
            Cut::Drop(_) => {}
        }
        rest = tail.trim_start();
    }
}

/// True if [`split`] cuts between this piece and any text that follows it after a space.
pub fn ends_itself(piece: &str) -> bool {
    let bare = piece.trim_end_matches(closes);
    let Some(last) = bare.chars().next_back() else { return false };
    let at = bare.len() - last.len_utf8();
    let ends = ends_before_blank(last) && !abbreviates(bare, at);
    ends_anywhere(last) || (ends && bare.split_whitespace().nth(1).is_some())
}

/// The text with every run of white space as one space, and without fillers and the tags of a transcript of speech.
pub fn cleaned(text: &str) -> Cow<'_, str> {
    let is_filled = |word: &str| is_filling(word, text);
    let is_clean = match text.is_ascii() {
        true => is_clean_ascii(text),
        false => is_tidy(text) && !text.split(' ').any(is_filled),
    };
    if is_clean {
        return Cow::Borrowed(text);
    }
    text.split_whitespace().filter(|word| !is_filled(word)).collect::<Vec<_>>().join(" ").into()
}

/// True if all white space is single spaces.
fn is_tidy(text: &str) -> bool {
    let mut blank = false;
    text.chars().all(|character| {
        let before = std::mem::replace(&mut blank, character.is_whitespace());
        !blank || (character == ' ' && !before)
    })
}

/// True if all white space is single spaces, and no word is a filler. Every sentence of a long text is looked at, so that both are
/// found out at once.
fn is_clean_ascii(text: &str) -> bool {
    let mut start = 0;
    let is_filled = |start, end| {
        let word: &str = text.get(start..end).unwrap_or_default();
        (word.len() <= LONGEST_FILLER || word.starts_with('{')) && is_filling(word, text)
    };
    for (at, byte) in text.bytes().enumerate() {
        if matches!(byte, b'\t'..=b'\r' | b' ') {
            let is_double = at > 0 && at == start;
            if byte != b' ' || is_double || is_filled(start, at) {
                return false;
            }
            start = at + 1;
        }
    }
    !is_filled(start, text.len())
}

/// True for a filler, and for a tag such as `{vocalsound}`.
fn is_filling(word: &str, text: &str) -> bool {
    let tag = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    tag.is_some_and(|tag| SPEECH_TAGS.contains(&tag)) || is_filler(word, text)
}

/// True if a text has a sentence that an extract has quoted: word for word, or in a piece of it as [`cleaned`] writes it. Linear
/// in the text.
pub fn says(text: &str, quoted: &str) -> bool {
    let longest = || quoted.split_whitespace().max_by_key(|word| word.len()).unwrap_or_default();
    text.contains(quoted)
        || (text.contains(longest())
            && split(text).into_iter().any(|piece| cleaned(piece).contains(quoted)))
}

/// Where the first piece ends, in bytes, and whether it is kept: encoded data is dropped.
enum Cut {
    Keep(usize),
    Drop(usize),
}

/// Finds the end of the first piece. `characters` are those of the text with their offsets in bytes; `encoded` says
/// whether the text has a run that is long enough to be encoded data.
fn first_cut(text: &str, characters: impl Iterator<Item = (usize, char)>, encoded: bool) -> Cut {
    let (mut words, mut in_word) = (0, false);
    let mut soft_break = 0;
    let mut run = Run::default();
    let mut ended = Ended::No;
    for (count, (at, character)) in characters.enumerate() {
        let class = Class::of(character);
        match ended {
            Ended::No => {}
            Ended::Anywhere if !class.has(Class::CLOSES) => return Cut::Keep(at),
            Ended::BeforeBlank if class.has(Class::BLANK) => return Cut::Keep(at),
            // A full stop inside of a word, as in `main.rs` or `3.5`, ends nothing.
            Ended::BeforeBlank if !class.has(Class::CLOSES) => ended = Ended::No,
            Ended::Anywhere | Ended::BeforeBlank => {}
        }
        if count >= MAX_CHARACTERS || words > MAX_WORDS {
            return Cut::Keep(clause_end(text, at, soft_break));
        }
        if encoded && run.push(at, character) {
            if run.start > 0 {
                // The text before the data is a piece of its own. The next call begins at the data and drops
                // it.
                return Cut::Keep(run.start);
            }
            let rest = text.bytes().position(|byte| !encodes(byte)).unwrap_or(text.len());
            return Cut::Drop(rest);
        }
        let blank = class.has(Class::BLANK);
        words += usize::from(!blank && !in_word);
        in_word = !blank;
        if class.has(Class::BREAKS) {
            soft_break = at + character.len_utf8();
        }
        if class.has(Class::ENDS) {
            if ends_anywhere(character) {
                ended = Ended::Anywhere;
            } else if words > 1 && !abbreviates(text, at) {
                ended = Ended::BeforeBlank;
            }
        }
    }
    Cut::Keep(text.len())
}

/// The same for a text of ASCII without such a run, which most are: in words without punctuation nothing is looked for.
fn first_ascii_cut(text: &str) -> usize {
    let class_of = |byte: &u8| ASCII.get(usize::from(*byte)).copied().unwrap_or(Class(0));
    let bytes = text.as_bytes();
    let (mut words, mut in_word, mut soft_break, mut ended) = (0, false, 0, false);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let class = class_of(byte);
        if ended && class.has(Class::BLANK) {
            return at;
        }
        if at >= MAX_CHARACTERS || words > MAX_WORDS {
            return clause_end(text, at, soft_break);
        }
        ended &= class.has(Class::CLOSES);
        let blank = class.has(Class::BLANK);
        words += usize::from(!blank && !in_word);
        in_word = !blank;
        at += 1;
        if class.0 == 0 && words <= MAX_WORDS {
            let rest = bytes.get(at..MAX_CHARACTERS.min(bytes.len())).unwrap_or_default();
            at += rest.iter().take_while(|byte| class_of(byte).0 == 0).count();
        }
        if class.has(Class::BREAKS) {
            soft_break = at;
        }
        if class.has(Class::ENDS) && words > 1 && !abbreviates(text, at - 1) {
            ended = true;
        }
    }
    text.len()
}

#[derive(Clone, Copy)]
enum Ended {
    No,
    BeforeBlank,
    Anywhere,
}

/// What a character means for the end of a piece: several of the bits below.
#[derive(Clone, Copy)]
struct Class(u8);

impl Class {
    /// White space.
    const BLANK: u8 = 1;
    /// A clause may end behind it.
    const BREAKS: u8 = 2;
    /// A sentence may end with it.
    const ENDS: u8 = 4;
    /// Quotation marks and brackets that belong to the sentence before them.
    const CLOSES: u8 = 8;

    #[inline]
    fn of(character: char) -> Self {
        // A table, because every character of every message is looked up, and most are ASCII.
        match ASCII.get(character as usize) {
            Some(class) => *class,
            None => Self::computed(
                character,
                character.is_whitespace(),
                is_alphanumeric(character),
                ends_anywhere(character),
            ),
        }
    }

    const fn computed(character: char, blank: bool, alphanumeric: bool, ends: bool) -> Self {
        let breaks = blank
            || !(alphanumeric
                || matches!(character, '_' | '-' | '.' | '\'' | '\\' | '{' | '[' | '('));
        let mut class = 0;
        if blank {
            class |= Self::BLANK;
        }
        if breaks {
            class |= Self::BREAKS;
        }
        if ends || ends_before_blank(character) {
            class |= Self::ENDS;
        }
        if closes(character) {
            class |= Self::CLOSES;
        }
        Self(class)
    }

    #[inline]
    const fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// The class of each character of ASCII.
const ASCII: [Class; 128] = {
    let mut classes = [Class(0); 128];
    let mut rest: &mut [Class] = &mut classes;
    let mut byte = 0_u8;
    while let Some((class, after)) = rest.split_first_mut() {
        let blank = matches!(byte, b'\t'..=b'\r' | b' ');
        *class = Class::computed(byte as char, blank, byte.is_ascii_alphanumeric(), false);
        byte += 1;
        rest = after;
    }
    classes
};

fn ends_anywhere(character: char) -> bool {
    matches!(character, '。' | '！' | '？' | '｡' | '।' | '۔' | '॥')
}

const fn ends_before_blank(character: char) -> bool {
    matches!(character, '.' | '!' | '?' | '…' | '؟' | '։')
}

/// Words that keep their full stop in the middle of a sentence.
const ABBREVIATIONS: [&str; 18] = [
    "Mr", "Mrs", "Ms", "Dr", "Prof", "St", "No", "Nr", "vs", "approx", "e.g", "i.e", "cf", "Fig",
    "z.B", "d.h", "Jr", "Sr",
];

/// The months of German, before which a full stop makes a number a day.
pub const MONTHS: [&str; 13] = [
    "Januar",
    "Jänner",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
];

/// True if the mark at byte `at` is the full stop of an abbreviation.
fn abbreviates(text: &str, at: usize) -> bool {
    if text.as_bytes().get(at) != Some(&b'.') {
        return false;
    }
    let before = text.get(..at).unwrap_or_default();
    let after = text.get(at + 1..).unwrap_or_default().trim_start();
    if before.ends_with(|c: char| c.is_ascii_digit())
        && MONTHS.iter().any(|month| after.starts_with(month))
    {
        return true;
    }
    let word = before.rsplit(|c: char| c.is_whitespace() || closes(c) || c == '(').next();
    word.is_some_and(|word| ABBREVIATIONS.contains(&word))
}

const fn closes(character: char) -> bool {
    matches!(character, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '」' | '』' | '）' | '】' | '*')
}

/// The end of a clause of at most `limit` bytes: after the last punctuation mark or space, or else between graphemes.
fn clause_end(text: &str, limit: usize, soft_break: usize) -> usize {
    if soft_break * 2 >= limit {
        return soft_break;
    }
    let window = text.get(..limit).unwrap_or(text);
    let last = window.grapheme_indices(true).next_back().map_or(0, |(start, _)| start);
    // One cluster can be longer than any piece; it is cut then, as there is no better place.
    if last * 2 >= limit { last } else { limit }
}

/// A run of characters that can be base64 or hexadecimal, with counts of its letters and digits.
#[derive(Default)]
struct Run {
    start: usize,
    length: usize,
    small: usize,
    capitals: usize,
    digits: usize,
    changes: usize,
    before: Option<Kind>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Small,
    Capital,
    Digit,
}

impl Run {
    /// Adds the next character. True if the run is now long and irregular enough to be encoded data.
    fn push(&mut self, at: usize, character: char) -> bool {
        if !u8::try_from(character).is_ok_and(encodes) {
            *self = Self { start: at + character.len_utf8(), ..Self::default() };
            return false;
        }
        self.length += 1;
        let kind = match character {
            'a'..='z' => Kind::Small,
            'A'..='Z' => Kind::Capital,
            '0'..='9' => Kind::Digit,
            _ => return false,
        };
        match kind {
            Kind::Small => self.small += 1,
            Kind::Capital => self.capitals += 1,
            Kind::Digit => self.digits += 1,
        }
        if self.before.is_some_and(|before| before != kind) {
            self.changes += 1;
        }
        self.before = Some(kind);
        let base64 = self.length >= MIN_ENCODED
            && self.small.min(self.capitals).min(self.digits) * 20 >= self.length;
        // A digest of up to 128 hexadecimal digits is an identifier, which an extract may quote; a longer run is data.
        let hexadecimal = self.length > 2 * MIN_ENCODED && self.digits * 4 >= self.length;
        self.changes * 4 >= self.length && (base64 || hexadecimal)
    }
}

/// True if a run is long enough to be encoded data. Reads few of the bytes of a text without one.
fn has_long_run(text: &str) -> bool {
    let mut start = 0;
    while let Some(run) = text.as_bytes().get(start..start + MIN_ENCODED) {
        match run.iter().rposition(|byte| !encodes(*byte)) {
            Some(broken) => start += broken + 1,
            None => return true,
        }
    }
    false
}

fn encodes(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// Cuts a JSON-like record into its fields, so that an extract can quote one without the others, and text with
/// escaped line breaks into its lines.
fn split_fields<'a>(piece: &'a str, each: &mut dyn FnMut(&'a str)) {
    let (mut record, mut escaped_lines) = (false, 0);
    let mut last = 0;
    for byte in piece.bytes() {
        match byte {
            b':' => record |= matches!(last, b'"' | b'\''),
            b'n' if last == b'\\' => escaped_lines += 1,
            _ => {}
        }
        last = byte;
    }
    // A single `\n` is not proof of escaped lines: the path `C:\new` has one too.
    if !record && escaped_lines < 2 {
        push(piece, each);
        return;
    }
    let (mut start, mut before) = (0, ' ');
    let mut characters = piece.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map_or(' ', |&(_, next)| next);
        let after = at + character.len_utf8();
        let cut = match character {
            ',' if record && ends_value(before) && matches!(next, ' ' | '"' | '\'' | '{' | '[') => {
                after
            }
            '{' if record && opens_value(piece.get(after..).unwrap_or_default()) => after,
            '}' if record && matches!(next, ',' | '}' | ']') => after,
            '\\' if before != '\\' && matches!(next, 'n' | 't') => after + 1,
            _ => 0,
        };
        if cut > 0 {
            push(field(piece.get(start..at).unwrap_or_default()), each);
            start = cut;
        }
        before = character;
    }
    push(field(piece.get(start..).unwrap_or_default()), each);
}

fn ends_value(character: char) -> bool {
    matches!(character, '"' | '\'' | ']' | '}' | 'e' | 'l' | '0'..='9')
}

fn opens_value(rest: &str) -> bool {
    rest.trim_start().starts_with(['"', '\'', '{', '['])
}

/// A field without the brackets and commas around it.
fn field(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | ','))
}

fn push<'a>(piece: &'a str, each: &mut dyn FnMut(&'a str)) {
    let piece = piece.trim_end_matches(['[', '(', ',', ' ', '\t']).trim();
    if piece
        .chars()
        .any(|c| is_alphanumeric(c) || (!c.is_ascii() && !c.is_whitespace() && !c.is_control()))
    {
        each(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, pieces: &[&str]) {
        assert_eq!(split(text), pieces, "{text:?}");
        for piece in pieces {
            assert_eq!(split(piece), [*piece], "a piece is cut again");
        }
    }

    #[test]
    fn j13_ascii_is_cut_and_cleaned_as_any_other_text() {
        let parts = [
            "word", "Mr", "e.g", ".", ". ", "! ", ", ", "\"", "') ", " ", "  ", "\t", "-", "um",
            "{gap}", "{unit}",
        ];
        let mut random = 1_u32;
        for length in (0..400).cycle().take(4_000) {
            let text: String = (0..length)
                .map(|_| {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    parts[(random >> 16) as usize % parts.len()]
                })
                .collect();
            let Cut::Keep(end) = first_cut(&text, text.char_indices(), false) else { panic!() };
            assert_eq!(first_ascii_cut(&text), end, "{text:?}");
            let is_clean = is_tidy(&text) && !text.split(' ').any(|word| is_filling(word, &text));
            assert_eq!(is_clean_ascii(&text), is_clean, "{text:?}");
        }
    }

    #[test]
    fn j13_a_line_is_cut_as_if_it_had_every_sign() {
        let parts = [
            "word",
            "Mr",
            ".",
            ". ",
            "! ",
            ", ",
            ": ",
            "\":",
            "\"",
            "\\n",
            "\\",
            "{",
            "}",
            " ",
            "\t",
            "\r",
            " · ",
            "é",
            "字。",
            "\u{85}",
            "\u{2028}",
            "\u{a0}",
            "plain words of a line ",
        ];
        let mut random = 1_u32;
        for length in (0..40).cycle().take(8_000) {
            let line: String = (0..length)
                .map(|_| {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let count = if random & 0x300 == 0 { parts.len() } else { 6 };
                    parts[(random >> 16) as usize % count]
                })
                .collect();
            let mut expected = Vec::new();
            split_line(&line, Signs(u8::MAX), &mut |piece| expected.push(piece));
            assert_eq!(split(&line), expected, "{line:?}");
        }
    }

    #[test]
    fn d10_words_of_other_languages_are_no_fillers() {
        for text in ["Das weiß er schon", "um texto em português", "Er kommt um 5 Uhr"] {
            assert_eq!(cleaned(text), text);
        }
        assert_eq!(cleaned("um that is er the plan"), "that is the plan");
    }

    #[test]
    fn d10_a_tag_is_not_cut_in_two() {
        let long = format!("{}{{disfmarker}} and so on", "word ".repeat(60));
        for piece in split(&long) {
            let said = cleaned(piece);
            assert!(!said.contains(['{', '}']), "{said}");
        }
    }

    #[test]
    fn d10_a_placeholder_of_code_is_no_tag_of_speech() {
        let code = "yield f\"{time} {height:5.2f} {unit} {kind}\"";
        assert_eq!(cleaned(code), code);
        assert_eq!(cleaned("so {pause} the blue one"), "so the blue one");
    }

    #[test]
    fn d10_a_quote_is_found_where_it_was_said_with_other_blanks_and_fillers() {
        let text = "Well. We could, um, take  the\tblue one and uh go on.";
        assert!(says(text, "take the blue one and go on."));
        assert!(says("It is blue.", "is blue"));
        assert!(!says(text, "take the red one and go on."));
    }

    #[test]
    fn an_abbreviation_does_not_end_a_sentence() {
        let text =
            "Ask the electrician, Mr. Olsen, about it. He knows, e.g. the fuse. Is it No. 7?";
        let pieces = [
            "Ask the electrician, Mr. Olsen, about it.",
            "He knows, e.g. the fuse.",
            "Is it No. 7?",
        ];
        assert_eq!(split(text), pieces);
        check("Am 9. Juni um 8:30 Uhr. Bis dann!", &["Am 9. Juni um 8:30 Uhr.", "Bis dann!"]);
        check("They said No! Stop it now.", &["They said No!", "Stop it now."]);
        assert!(!ends_itself("Ask the electrician, Mr.") && ends_itself("Ask the man."));
    }

    #[test]
    fn text_is_cut_at_lines_sentences_and_json_fields() {
        check("One day. \"Two days!\" Three", &["One day.", "\"Two days!\"", "Three"]);
        check("- a list\n- of two\r\n\n", &["- a list", "- of two"]);
        check("version 1.2.3 is out", &["version 1.2.3 is out"]);
        check("你好。「再见！」谢谢", &["你好。", "「再见！」", "谢谢"]);
        check("{\"a\": 1, \"b\": {\"c\": \"x, y\"}}", &["\"a\": 1", "\"b\":", "\"c\": \"x, y\""]);
        check("--- ... ???", &[]);
    }

    #[test]
    fn a_long_line_is_cut_into_clauses_of_limited_length() {
        for unit in ["word ", "a,", "x", "字", "e\u{301}", "\u{301}", "👩\u{200d}"] {
            let text = unit.repeat(5_000);
            let pieces = split(&text);
            assert!(pieces.iter().all(|piece| piece.chars().count() <= MAX_CHARACTERS), "{unit:?}");
            let kept: usize = pieces.iter().map(|piece| piece.len()).sum();
            assert!(kept * 10 >= text.len() * 7, "{unit:?}: {kept} of {}", text.len());
        }
    }

    #[test]
    fn paths_and_digests_are_not_taken_for_encoded_data() {
        let digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
        let path = "/usr/share/doc/some-package/examples/configuration/with/a/long/path/README2.md";
        check(digest, &[digest]);
        check(path, &[path]);
    }
}
