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

/// What patterns of this kind differ in.
#[derive(Clone, Copy)]
pub(in super::super) struct Variant {
    /// What words are made of.
    letters: Class,
    /// What is neither blank, nor of words or numbers.
    marks: Class,
    /// How long a number may be.
    digits: usize,
}

/// As published for `cl100k_base`; that of Llama 3 is the same.
pub(in super::super) const CL100K: Variant =
    Variant { letters: Class::LETTER, marks: MARKS, digits: 3 };
/// Each digit is a piece: `\p{N}`.
pub(in super::super) const QWEN2: Variant = Variant { digits: 1, ..CL100K };
/// Accents are of words as well: `[\p{L}\p{M}]+`, `[^\s\p{L}\p{M}\p{N}]+`.
pub(in super::super) const QWEN3_5: Variant =
    Variant { letters: Class::LETTER.or(Class::MARK), marks: Class::OTHER, digits: 1 };

/// Where the piece ends that starts at `start`; nothing at the end of the text.
#[inline(always)]
pub(in super::super) fn end(scan: Scan<'_>, start: usize, variant: Variant) -> Option<usize> {
    let Variant { letters, marks, digits } = variant;
    let (class, width) = scan.at(start)?;
    if let Some(end) = contraction(scan, start) {
        return Some(end);
    }
    if class.is(Class::NUMBER) {
        return Some(number(scan, start, digits));
    }
    let behind = start + width;
    if !class.is(Class::NEWLINE) {
        let end = scan.run(behind, letters);
        if end > behind || class.is(letters) {
            return Some(end);
        }
    }
    let lead = if scan.byte(start) == b' ' { behind } else { start };
    let mut end = scan.run(lead, marks);
    if end > lead {
        while matches!(scan.byte(end), b'\r' | b'\n') {
            end += 1;
        }
        return Some(end);
    }
    Some(blank(scan, start))
}
