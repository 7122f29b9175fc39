//! The pieces of `cl100k_base`.
//!
//! ```text
//! (?i:'s|'t|'re|'ve|'m|'ll|'d)
//! [^\r\n\p{L}\p{N}]?\p{L}+
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```

use super::super::class::Class;
use super::super::scan::Scan;
use super::{MARKS, blank, contraction, number};

const LETTER: Class = Class::LETTER;

/// Where the piece ends that starts at `start`; nothing at the end of the text.
#[inline]
pub(super) fn end(scan: Scan<'_>, start: usize) -> Option<usize> {
    let (class, width) = scan.at(start)?;
    if let Some(end) = contraction(scan, start) {
        return Some(end);
    }
    if class.is(Class::NUMBER) {
        return Some(number(scan, start));
    }
    let behind = start + width;
    if !class.is(Class::NEWLINE) {
        let end = scan.run(behind, LETTER);
        if end > behind || class.is(LETTER) {
            return Some(end);
        }
    }
    let marks = if scan.byte(start) == b' ' { behind } else { start };
    let mut end = scan.run(marks, MARKS);
    if end > marks {
        while matches!(scan.byte(end), b'\r' | b'\n') {
            end += 1;
        }
        return Some(end);
    }
    Some(blank(scan, start))
}
