//! The pattern of GPT-2.
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
use super::super::super::splitter::part::MARKS;
use super::super::super::text::Text;

/// The end of the piece that starts at `start`; `None` at the end of the text.
#[inline]
pub(super) fn end(text: Text<'_>, start: usize) -> Option<usize> {
    let (class, width) = text.at(start)?;
    match (text.byte(start), text.byte(start + 1), text.byte(start + 2)) {
        (b'\'', b's' | b't' | b'm' | b'd', _) => return Some(start + 2),
        (b'\'', b'r' | b'v', b'e') | (b'\'', b'l', b'l') => return Some(start + 3),
        _ => {}
    }
    let lead = if text.byte(start) == b' ' { start + width } else { start };
    for set in [Class::LETTER, Class::NUMBER, MARKS] {
        let end = text.run(lead, set);
        if end > lead {
            return Some(end);
        }
    }
    debug_assert!(class.is(Class::BLANK));
    Some(white_space(text, start))
}

/// The end of `\s+(?!\S)|\s+`: before the last white space if something follows, which takes that one.
// Not the shared `white_space`: this pattern has no alternative for line ends.
fn white_space(text: Text<'_>, start: usize) -> usize {
    let (mut end, mut last) = (start, start);
    while let Some((class, width)) = text.at(end)
        && class.is(Class::BLANK)
    {
        last = end;
        end += width;
    }
    if end < text.len() && last > start { last } else { end }
}
