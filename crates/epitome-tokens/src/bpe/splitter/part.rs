//! Sub-patterns that several pre-tokenizers share.

use super::super::class::Class;
use super::super::text::Text;

/// `[^\s\p{L}\p{N}]`
pub(in super::super) const MARKS: Class = Class::OTHER.or(Class::MARK);

/// The end of `\p{N}{1,most}`, for a number that starts at `start`.
#[inline]
pub(in super::super) fn number(text: Text<'_>, start: usize, most: usize) -> usize {
    let mut end = start;
    for _ in 0..most {
        match text.at(end) {
            Some((class, width)) if class.is(Class::NUMBER) => end += width,
            _ => break,
        }
    }
    end
}

/// The end of `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at `at`.
#[inline]
pub(super) fn contraction(text: Text<'_>, at: usize) -> Option<usize> {
    if text.byte(at) != b'\'' {
        return None;
    }
    match (text.byte(at + 1), text.byte(at + 2)) {
        (b's' | b't' | b'm' | b'd' | b'S' | b'T' | b'M' | b'D', _) => Some(at + 2),
        (b'r' | b'R' | b'v' | b'V', b'e' | b'E') | (b'l' | b'L', b'l' | b'L') => Some(at + 3),
        // U+017F, the long s: `(?i:s)` matches it as well, by the case folding of Unicode.
        (0xC5, 0xBF) => Some(at + 3),
        _ => None,
    }
}

/// The end of `\s*[\r\n]+|\s+(?!\S)|\s+`, for white space that starts at `start`.
// The first alternative ends after the last line end of the run. Without a line end, the second one leaves the last
// space to the next piece, unless the text ends there. The third one takes a single space that nothing else takes.
pub(in super::super) fn white_space(text: Text<'_>, start: usize) -> usize {
    let (mut end, mut last, mut lines) = (start, start, start);
    while let Some((class, width)) = text.at(end)
        && class.is(Class::BLANK)
    {
        last = end;
        end += width;
        if class.is(Class::NEWLINE) {
            lines = end;
        }
    }
    if lines > start {
        lines
    } else if end < text.len() && last > start {
        last
    } else {
        end
    }
}
