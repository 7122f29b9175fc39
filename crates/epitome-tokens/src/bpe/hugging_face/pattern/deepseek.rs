//! The pieces of DeepSeek V3: after numbers of three digits, runs of Chinese characters and Japanese
//! syllables, and then words.
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
use super::super::super::scan::Scan;
use super::super::super::splitter::blank;
use super::printed::is_printed;

const WORD: Class = Class::LETTER.or(Class::MARK);

/// Where the run of Chinese or Japanese ends that starts at `start`; nothing where there is none.
#[inline]
pub(super) fn cjk(scan: Scan<'_>, start: usize) -> Option<usize> {
    let mut end = start;
    while let Some((0x3040..=0x30FF | 0x4E00..=0x9FA5, width)) = scan.code(end) {
        end += width;
    }
    (end > start).then_some(end)
}

/// Where the match ends that starts at `start`; nothing where none does.
#[inline]
pub(super) fn word(scan: Scan<'_>, start: usize) -> Option<usize> {
    let (class, width) = scan.at(start)?;
    let behind = start + width;
    let is_mark = |at| mark(scan, at).is_some();
    if scan.byte(start).is_ascii_punctuation() {
        let end = scan.ascii_letters(behind);
        if end > behind {
            return Some(end);
        }
    } else if class.is(WORD) || !(class.is(Class::NEWLINE) || is_mark(start)) {
        let end = scan.run(behind, WORD);
        if end > behind || class.is(WORD) {
            return Some(end);
        }
    }
    let lead = if scan.byte(start) == b' ' { behind } else { start };
    let mut end = lead;
    while let Some(width) = mark(scan, end) {
        end += width;
    }
    if end > lead {
        while matches!(scan.byte(end), b'\r' | b'\n') {
            end += 1;
        }
        return Some(end);
    }
    class.is(Class::BLANK).then(|| blank(scan, start))
}

/// The width of the character at `at`, where it is of `[\p{P}\p{S}]`.
#[inline]
fn mark(scan: Scan<'_>, at: usize) -> Option<usize> {
    let (class, _) = scan.at(at)?;
    if !class.is(Class::OTHER) {
        return None;
    }
    scan.code(at).filter(|&(code, _)| is_printed(code)).map(|(_, width)| width)
}
