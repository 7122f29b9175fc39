//! The pieces of `o200k_base`.
//!
//! ```text
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```

use super::super::class::Class;
use super::super::eight::Eight;
use super::super::scan::Scan;
use super::{MARKS, blank, contraction, number};

/// Letters that are capital or small, as one likes.
const EITHER: Class = Class::CASELESS.or(Class::MARK);
const CAPITAL: Class = Class::UPPER.or(EITHER);
const SMALL: Class = Class::LOWER.or(EITHER);
const LETTER: Class = Class::LETTER;
const NO_LEAD: Class = LETTER.or(Class::NUMBER).or(Class::NEWLINE);

/// What patterns of this kind differ in.
#[derive(Clone, Copy)]
pub(in super::super) struct Variant {
    pub(super) endings: Endings,
    /// How long a number may be.
    pub(super) digits: usize,
}

/// What stands behind a word and belongs to it.
#[derive(Clone, Copy)]
pub(super) enum Endings {
    Contractions,
    Nothing,
}

/// As published for `o200k_base`.
pub(in super::super) const O200K: Variant = Variant { endings: Endings::Contractions, digits: 3 };
/// That of Mistral: no `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`, and `\p{N}`.
pub(in super::super) const TEKKEN: Variant = Variant { endings: Endings::Nothing, digits: 1 };

/// A word without what stands before it, by the alternative that it matches.
enum Word {
    /// The first: it ends in a small letter or one of either case.
    Small(usize),
    /// The second: capitals only.
    Capitals(usize),
}

/// Where the piece ends that starts at `start`; nothing at the end of the text.
#[inline(always)]
pub(in super::super) fn end(scan: Scan<'_>, start: usize, variant: Variant) -> Option<usize> {
    let Variant { endings, digits } = variant;
    let (class, width) = scan.at(start)?;
    let lead = !class.is(NO_LEAD);
    if (lead || class.is(LETTER))
        && let Some(end) = ascii_word(scan, start, lead)
    {
        return Some(endings.behind(scan, end));
    }
    let behind = start + width;
    let word = if class.is(LETTER) {
        word(scan, start)
    } else if class.is(NO_LEAD) {
        None
    } else {
        match word(scan, behind) {
            // A mark is a letter too, and the first alternative is tried on it before the second is
            // tried on what follows.
            None | Some(Word::Capitals(_)) if class.is(Class::MARK) => word(scan, start),
            word => word,
        }
    };
    if let Some(Word::Small(end) | Word::Capitals(end)) = word {
        return Some(endings.behind(scan, end));
    }
    if class.is(Class::NUMBER) {
        return Some(number(scan, start, digits));
    }
    let marks = if scan.byte(start) == b' ' { behind } else { start };
    let mut end = scan.run(marks, MARKS);
    if end > marks {
        while matches!(scan.byte(end), b'\r' | b'\n' | b'/') {
            end += 1;
        }
        return Some(end);
    }
    Some(blank(scan, start))
}

impl Endings {
    /// Where what belongs to the word ends that ends at `end`.
    #[inline(always)]
    fn behind(self, scan: Scan<'_>, end: usize) -> usize {
        match self {
            Self::Contractions => contraction(scan, end).unwrap_or(end),
            Self::Nothing => end,
        }
    }
}

/// Where a word ends, with one character before it where there is a `lead`: most pieces are one. Looks at eight
/// bytes at once; nothing where these are not all ASCII, or do not tell where the word ends.
#[inline(always)]
fn ascii_word(scan: Scan<'_>, start: usize, lead: bool) -> Option<usize> {
    let eight = Eight::at(scan, start)?;
    let lead = usize::from(lead);
    let letters = eight.letters();
    let small = eight.small(letters);
    let capitals = letters.without(small).run(lead);
    let small = small.run(lead + capitals);
    let mut end = lead + capitals + small;
    if end < Eight::BYTES {
        return (end > lead).then_some(start + end);
    }
    // Behind small letters only small ones go on.
    let mut more = small;
    while more > 0 && end.is_multiple_of(Eight::BYTES) {
        let eight = Eight::at(scan, start + end)?;
        more = eight.small(eight.letters()).run(0);
        end += more;
    }
    (small > 0).then_some(start + end)
}

/// The longest word at `start`.
#[inline]
fn word(scan: Scan<'_>, start: usize) -> Option<Word> {
    // No ASCII letter is of either case.
    let (mut capitals, mut either) = (scan.ascii_run(start, Class::UPPER), start);
    while let Some((class, width)) = scan.at(capitals)
        && class.is(CAPITAL)
    {
        capitals += width;
        if class.is(EITHER) {
            either = capitals;
        }
    }
    let small = scan.run(capitals, SMALL);
    if small > capitals {
        Some(Word::Small(small))
    } else if either > start {
        // The last letter of either case can be the small one that the first alternative wants.
        Some(Word::Small(either))
    } else if capitals > start {
        Some(Word::Capitals(capitals))
    } else {
        None
    }
}
