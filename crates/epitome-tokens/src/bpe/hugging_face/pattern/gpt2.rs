//! The pieces of GPT-2.
//!
//! ```text
//! 's|'t|'re|'ve|'m|'ll|'d
//!  ?\p{L}+
//!  ?\p{N}+
//!  ?[^\s\p{L}\p{N}]+
//! \s+(?!\S)
//! \s+
//! ```

use super::super::super::class::Class;
use super::super::super::scan::Scan;
use super::super::super::splitter::MARKS;

/// Where the piece ends that starts at `start`; nothing at the end of the text.
#[inline]
pub(super) fn end(scan: Scan<'_>, start: usize) -> Option<usize> {
    let (class, width) = scan.at(start)?;
    match (scan.byte(start), scan.byte(start + 1), scan.byte(start + 2)) {
        (b'\'', b's' | b't' | b'm' | b'd', _) => return Some(start + 2),
        (b'\'', b'r' | b'v', b'e') | (b'\'', b'l', b'l') => return Some(start + 3),
        _ => {}
    }
    let lead = if scan.byte(start) == b' ' { start + width } else { start };
    for set in [Class::LETTER, Class::NUMBER, MARKS] {
        let end = scan.run(lead, set);
        if end > lead {
            return Some(end);
        }
    }
    debug_assert!(class.is(Class::BLANK));
    Some(blank(scan, start))
}

/// `\s+(?!\S)|\s+`: all before what is not blank but the last, which belongs to what follows.
fn blank(scan: Scan<'_>, start: usize) -> usize {
    let (mut end, mut last) = (start, start);
    while let Some((class, width)) = scan.at(end)
        && class.is(Class::BLANK)
    {
        last = end;
        end += width;
    }
    if end < scan.len() && last > start { last } else { end }
}
