//! The patterns of DeepSeek V3 that are not shared: runs of Chinese and Japanese, and words.
//!
//! They are two steps after one for numbers of three digits. Each step splits what the one before left over.
//!
//! ```text
//! [一-龥぀-ゟ゠-ヿ]+
//! ```
//!
//! ```text
//! [!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+
//! [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+
//!  ?[\p{P}\p{S}]+[\r\n]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```

use super::super::super::class::Class;
use super::super::super::splitter::part::white_space;
use super::super::super::text::Text;
use super::punctuation::is_punctuation_or_symbol;

const WORD: Class = Class::LETTER.or(Class::MARK);

/// The end of the run of Chinese characters and Japanese syllables that starts at `start`; `None` if none starts there.
#[inline]
pub(super) fn cjk(text: Text<'_>, start: usize) -> Option<usize> {
    let mut end = start;
    while let Some((0x3040..=0x30FF | 0x4E00..=0x9FA5, width)) = text.code(end) {
        end += width;
    }
    (end > start).then_some(end)
}

/// The end of the match that starts at `start`; `None` if no match starts there.
#[inline]
pub(super) fn word(text: Text<'_>, start: usize) -> Option<usize> {
    let (class, width) = text.at(start)?;
    let second = start + width;
    let is_mark = |at| mark(text, at).is_some();
    if text.byte(start).is_ascii_punctuation() {
        let end = text.ascii_letters(second);
        if end > second {
            return Some(end);
        }
    } else if class.is(WORD) || !(class.is(Class::NEWLINE) || is_mark(start)) {
        let end = text.run(second, WORD);
        if end > second || class.is(WORD) {
            return Some(end);
        }
    }
    let first_mark = if text.byte(start) == b' ' { second } else { start };
    let mut end = first_mark;
    while let Some(width) = mark(text, end) {
        end += width;
    }
    if end > first_mark {
        while matches!(text.byte(end), b'\r' | b'\n') {
            end += 1;
        }
        return Some(end);
    }
    class.is(Class::BLANK).then(|| white_space(text, start))
}

/// The width of the character at `at`, if it is `[\p{P}\p{S}]`.
#[inline]
fn mark(text: Text<'_>, at: usize) -> Option<usize> {
    let (class, _) = text.at(at)?;
    if !class.is(Class::OTHER) {
        return None;
    }
    text.code(at).filter(|&(code, _)| is_punctuation_or_symbol(code)).map(|(_, width)| width)
}
