//! The pre-tokenizer of `cl100k_base`, and of the models that use variants of its pattern.
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
use super::super::text::Text;
use super::part::{MARKS, contraction, number, white_space};

/// The differences between the variants of the pattern.
#[derive(Clone, Copy)]
pub(in super::super) struct Variant {
    /// The characters of words.
    letters: Class,
    /// The characters that are neither white space, nor in words or numbers.
    marks: Class,
    /// The most digits of a number.
    digits: usize,
}

/// The published pattern of `cl100k_base`. Llama 3 has the same one.
pub(in super::super) const CL100K: Variant =
    Variant { letters: Class::LETTER, marks: MARKS, digits: 3 };
/// Each digit is a piece: `\p{N}`.
pub(in super::super) const QWEN2: Variant = Variant { digits: 1, ..CL100K };
/// Words also contain combining marks: `[\p{L}\p{M}]+`, `[^\s\p{L}\p{M}\p{N}]+`.
pub(in super::super) const QWEN3_5: Variant =
    Variant { letters: Class::LETTER.or(Class::MARK), marks: Class::OTHER, digits: 1 };

/// The end of the piece that starts at `start`; `None` at the end of the text.
// The order of the alternatives decides, as in the regular expression: the first one that matches is taken. Numbers
// come before words here only because no character can start both.
#[inline(always)]
pub(in super::super) fn end(text: Text<'_>, start: usize, variant: Variant) -> Option<usize> {
    let Variant { letters, marks, digits } = variant;
    let (class, width) = text.at(start)?;
    if let Some(end) = contraction(text, start) {
        return Some(end);
    }
    if class.is(Class::NUMBER) {
        return Some(number(text, start, digits));
    }
    let second = start + width;
    if !class.is(Class::NEWLINE) {
        let end = text.run(second, letters);
        if end > second || class.is(letters) {
            return Some(end);
        }
    }
    let first_mark = if text.byte(start) == b' ' { second } else { start };
    let mut end = text.run(first_mark, marks);
    if end > first_mark {
        while matches!(text.byte(end), b'\r' | b'\n') {
            end += 1;
        }
        return Some(end);
    }
    Some(white_space(text, start))
}
