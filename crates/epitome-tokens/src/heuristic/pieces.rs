//! Cuts text where `o200k_base` cuts it before merging, and names the shape of each piece.

use super::script::Script;

/// Lengths up to here have a price each; longer words pay for every further character.
const LONGEST: usize = 20;
const CASES: usize = 3;
const LEADS: usize = 5;
const LETTERS: usize = 26;
/// Shorter words are mostly whole tokens, so their letters say nothing.
const SHORTEST_PAIRED: usize = 4;
/// Runs of punctuation up to here have a price each.
const LONGEST_MARKS: usize = 8;
const BLANK_SIZES: usize = 6;
const NEWLINE_SIZES: usize = 4;
const SCRIPT_PRICES: usize = 5;

pub(super) const WORD: usize = 0;
pub(super) const WORD_MORE: usize = WORD + LEADS * CASES * LONGEST;
pub(super) const CONTRACTION: usize = WORD_MORE + CASES;
pub(super) const PAIR: usize = CONTRACTION + 1;
pub(super) const ACCENTED_WORD: usize = PAIR + LETTERS * LETTERS;
pub(super) const ACCENTED_MORE: usize = ACCENTED_WORD + LONGEST;
pub(super) const ACCENT: usize = ACCENTED_MORE + 1;
pub(super) const DIGITS: usize = ACCENT + 1;
pub(super) const MARKS: usize = DIGITS + 1;
pub(super) const MARKS_MORE: usize = MARKS + 4 * LONGEST_MARKS;
pub(super) const MARKS_NEWLINE: usize = MARKS_MORE + 2;
pub(super) const NEWLINES: usize = MARKS_NEWLINE + 2;
pub(super) const NEWLINES_BLANK: usize = NEWLINES + NEWLINE_SIZES;
pub(super) const BLANKS: usize = NEWLINES_BLANK + 1;
pub(super) const TABS: usize = BLANKS + BLANK_SIZES;
pub(super) const CONTROL: usize = TABS + BLANK_SIZES;
pub(super) const SCRIPT: usize = CONTROL + 1;
/// How many prices there are.
pub(super) const FEATURES: usize = SCRIPT + Script::COUNT * SCRIPT_PRICES;

/// What stands before a word: it decides which tokens the word can be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    Space,
    Mark,
    Letter,
    Digit,
    Nothing,
}

/// Calls `emit(feature, times)` for every feature of the text, from its start to its end.
///
/// One pass, constant memory.
pub(super) fn scan(text: &str, mut emit: impl FnMut(usize, u32)) {
    let mut pieces = Pieces { text, bytes: text.as_bytes(), at: 0 };
    let mut lead = Lead::Nothing;
    while let Some(&byte) = pieces.bytes.get(pieces.at) {
        lead = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => pieces.word(lead, &mut emit),
            b'0'..=b'9' => pieces.digits(&mut emit),
            b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C => pieces.blank(&mut emit),
            0..=0x1F | 0x7F => {
                pieces.at += 1;
                emit(CONTROL, 1);
                Lead::Nothing
            }
            0x21..=0x7E => pieces.marks(false, &mut emit),
            0x80.. => pieces.foreign(lead, &mut emit),
        };
    }
}

struct Pieces<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Pieces<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn run(&self, from: usize, class: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        rest.iter().position(|&byte| !class(byte)).unwrap_or(rest.len())
    }

    fn character(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    /// A word is capitals and then small letters, as the encoder cuts `parseURLFast`.
    fn word(&mut self, lead: Lead, emit: &mut impl FnMut(usize, u32)) -> Lead {
        let start = self.at;
        let capitals = self.run(start, |byte| byte.is_ascii_uppercase());
        let small = self.run(start + capitals, |byte| byte.is_ascii_lowercase());
        let end = start + capitals + small;
        if self.byte(end) >= 0x80
            && self.character(end).is_some_and(|next| Script::of(next) == Script::Latin)
        {
            return self.accented(emit);
        }
        let length = end - start;
        let case = match (capitals, small) {
            (0, _) => 0,
            (1, 1..) => 1,
            _ => 2,
        };
        let shape = (lead as usize * CASES + case) * LONGEST + length.min(LONGEST) - 1;
        emit(WORD + shape, 1);
        if let Some(more) = length.checked_sub(LONGEST).filter(|&more| more > 0) {
            emit(WORD_MORE + case, times(more));
        }
        self.at = end;
        if length >= SHORTEST_PAIRED {
            self.pairs(start, end, emit);
        }
        if self.byte(end) == b'\'' {
            self.contraction(emit);
        }
        Lead::Letter
    }

    /// Two letters that seldom meet make a word of many tokens, whatever its length.
    fn pairs(&self, start: usize, end: usize, emit: &mut impl FnMut(usize, u32)) {
        let mut before = None;
        for letter in self.bytes.get(start..end).unwrap_or_default() {
            let letter = usize::from((letter | 0x20) - b'a');
            if let Some(before) = before {
                emit(PAIR + before * LETTERS + letter, 1);
            }
            before = Some(letter);
        }
    }

    fn contraction(&mut self, emit: &mut impl FnMut(usize, u32)) {
        let suffix = self.run(self.at + 1, |byte| byte.is_ascii_alphabetic());
        let fits = match suffix {
            1 => matches!(self.byte(self.at + 1) | 0x20, b's' | b't' | b'm' | b'd'),
            2 => matches!(
                (self.byte(self.at + 1) | 0x20, self.byte(self.at + 2) | 0x20),
                (b'r' | b'v', b'e') | (b'l', b'l')
            ),
            _ => false,
        };
        if fits {
            emit(CONTRACTION, 1);
            self.at += 1 + suffix;
        }
    }

    /// A word with at least one letter outside ASCII.
    fn accented(&mut self, emit: &mut impl FnMut(usize, u32)) -> Lead {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let (mut length, mut accents, mut bytes) = (0_usize, 0_usize, 0_usize);
        for character in rest.chars() {
            if !character.is_ascii_alphabetic() {
                if character.is_ascii() || Script::of(character) != Script::Latin {
                    break;
                }
                accents += 1;
            }
            length += 1;
            bytes += character.len_utf8();
        }
        emit(ACCENTED_WORD + length.clamp(1, LONGEST) - 1, 1);
        if let Some(more) = length.checked_sub(LONGEST).filter(|&more| more > 0) {
            emit(ACCENTED_MORE, times(more));
        }
        emit(ACCENT, times(accents));
        self.at += bytes;
        Lead::Letter
    }

    /// The encoder takes three digits at a time, and knows all of those.
    fn digits(&mut self, emit: &mut impl FnMut(usize, u32)) -> Lead {
        let length = self.run(self.at, |byte| byte.is_ascii_digit());
        emit(DIGITS, times(length.div_ceil(3)));
        self.at += length;
        Lead::Digit
    }

    fn marks(&mut self, after_space: bool, emit: &mut impl FnMut(usize, u32)) -> Lead {
        let start = self.at;
        let length = self.run(start, |byte| byte.is_ascii_punctuation());
        let next = self.byte(start + length);
        if length == 1 && !after_space && self.starts_word(start + 1) {
            self.at += 1;
            return Lead::Mark;
        }
        let first = self.byte(start);
        let mixed = self.run(start, |byte| byte == first) < length;
        let kind = usize::from(after_space) * 2 + usize::from(mixed);
        emit(MARKS + kind * LONGEST_MARKS + length.clamp(1, LONGEST_MARKS) - 1, 1);
        if let Some(more) = length.checked_sub(LONGEST_MARKS).filter(|&more| more > 0) {
            emit(MARKS_MORE + usize::from(mixed), times(more));
        }
        self.at = start + length;
        if matches!(next, b'\n' | b'\r') {
            let newlines = self.run(self.at, |byte| matches!(byte, b'\n' | b'\r'));
            emit(MARKS_NEWLINE + usize::from(newlines > 1), 1);
            self.at += newlines;
        }
        Lead::Nothing
    }

    fn starts_word(&self, at: usize) -> bool {
        let next = self.byte(at);
        next.is_ascii_alphabetic()
            || (next >= 0x80 && self.character(at).is_some_and(char::is_alphabetic))
    }

    /// White space: up to its last newline it is one piece; the last blank before a word joins the word.
    fn blank(&mut self, emit: &mut impl FnMut(usize, u32)) -> Lead {
        let start = self.at;
        let length = self.run(start, |byte| matches!(byte, b' ' | b'\t'..=b'\r'));
        let run = self.bytes.get(start..start + length).unwrap_or_default();
        let broken =
            run.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
        let (lines, blanks) = run.split_at_checked(broken).unwrap_or((run, &[]));
        if !lines.is_empty() {
            let newlines = lines.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count();
            emit(NEWLINES + newlines.clamp(1, NEWLINE_SIZES) - 1, 1);
            if newlines < lines.len() {
                emit(NEWLINES_BLANK, 1);
            }
        }
        self.at = start + length;
        let Some((&last, before)) = blanks.split_last() else { return Lead::Nothing };
        let next = self.byte(self.at);
        if self.at >= self.bytes.len() {
            blank_run(blanks, emit);
            return Lead::Nothing;
        }
        blank_run(before, emit);
        if next.is_ascii_punctuation() && last == b' ' {
            return self.marks(true, emit);
        }
        if next.is_ascii() && !next.is_ascii_alphabetic() {
            blank_run(&[last], emit);
            return Lead::Nothing;
        }
        Lead::Space
    }

    /// A run of one script outside ASCII.
    fn foreign(&mut self, lead: Lead, emit: &mut impl FnMut(usize, u32)) -> Lead {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(first) = rest.chars().next() else {
            self.at += 1;
            return Lead::Nothing;
        };
        let script = Script::of(first);
        if script == Script::Latin {
            return self.accented(emit);
        }
        let (mut length, mut bytes) = (0_usize, 0_usize);
        for character in rest.chars() {
            if character.is_ascii() || Script::of(character) != script {
                break;
            }
            length += 1;
            bytes += character.len_utf8();
        }
        self.at += bytes;
        let base = SCRIPT + script as usize * SCRIPT_PRICES;
        emit(base + usize::from(matches!(lead, Lead::Space | Lead::Mark)), 1);
        emit(base + 2, times(length.min(4)));
        if length > 4 {
            emit(base + 3, times(length.min(8) - 4));
        }
        if length > 8 {
            emit(base + 4, times(length - 8));
        }
        if first.is_alphabetic() { Lead::Letter } else { Lead::Nothing }
    }
}

fn blank_run(blanks: &[u8], emit: &mut impl FnMut(usize, u32)) {
    let size = match blanks.len() {
        0 => return,
        1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        9..=16 => 3,
        17..=64 => 4,
        _ => 5,
    };
    let kind = if blanks.first() == Some(&b'\t') { TABS } else { BLANKS };
    emit(kind + size, times(if size == BLANK_SIZES - 1 { blanks.len().div_ceil(64) } else { 1 }));
}

fn times(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
