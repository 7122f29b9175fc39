//! The pre-tokenizer of `o200k_base`, and of the models that use variants of its pattern.
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
use super::super::swar8::Swar8;
use super::super::text::Text;
use super::part::{MARKS, contraction, number, white_space};

/// Letters that count as capital and as small.
const EITHER: Class = Class::CASELESS.or(Class::MARK);
const CAPITAL: Class = Class::UPPER.or(EITHER);
const SMALL: Class = Class::LOWER.or(EITHER);
const LETTER: Class = Class::LETTER;
/// Characters that cannot come before a word in its piece.
const NO_LEAD: Class = LETTER.or(Class::NUMBER).or(Class::NEWLINE);

/// The differences between the variants of the pattern.
#[derive(Clone, Copy)]
pub(in super::super) struct Variant {
    pub(super) endings: Endings,
    /// The most digits of a number.
    pub(super) digits: usize,
}

/// What may follow a word in its piece.
#[derive(Clone, Copy)]
pub(super) enum Endings {
    Contractions,
    Nothing,
}

/// As published for `o200k_base`.
pub(in super::super) const O200K: Variant = Variant { endings: Endings::Contractions, digits: 3 };
/// The pattern of Mistral's Tekken: no `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`, and `\p{N}`.
pub(in super::super) const TEKKEN: Variant = Variant { endings: Endings::Nothing, digits: 1 };

/// The end of a word, by the alternative that matches it.
enum Word {
    /// The first alternative: the word ends in a small letter, or in one that counts as both.
    Small(usize),
    /// The second alternative: only capitals.
    Capitals(usize),
}

/// The end of the piece that starts at `start`; `None` at the end of the text.
#[inline(always)]
pub(in super::super) fn end(text: Text<'_>, start: usize, variant: Variant) -> Option<usize> {
    let Variant { endings, digits } = variant;
    let (class, width) = text.at(start)?;
    let has_lead = !class.is(NO_LEAD);
    if (has_lead || class.is(LETTER))
        && let Some(end) = ascii_word(text, start, has_lead)
    {
        return Some(endings.end(text, end));
    }
    let second = start + width;
    let word = if class.is(LETTER) {
        word(text, start)
    } else if class.is(NO_LEAD) {
        None
    } else {
        match word(text, second) {
            // A combining mark can be the lead, and can also be the first letter. A backtracking matcher tries the
            // whole first alternative before the second one. So a word that ends in a small letter is taken first, with
            // the mark as its lead and then with the mark as its first letter, and a word of capitals only after that.
            None | Some(Word::Capitals(_)) if class.is(Class::MARK) => word(text, start),
            word => word,
        }
    };
    if let Some(Word::Small(end) | Word::Capitals(end)) = word {
        return Some(endings.end(text, end));
    }
    if class.is(Class::NUMBER) {
        return Some(number(text, start, digits));
    }
    let first_mark = if text.byte(start) == b' ' { second } else { start };
    let mut end = text.run(first_mark, MARKS);
    if end > first_mark {
        while matches!(text.byte(end), b'\r' | b'\n' | b'/') {
            end += 1;
        }
        return Some(end);
    }
    Some(white_space(text, start))
}

impl Endings {
    /// The end of the piece whose word ends at `end`.
    #[inline(always)]
    fn end(self, text: Text<'_>, end: usize) -> usize {
        match self {
            Self::Contractions => contraction(text, end).unwrap_or(end),
            Self::Nothing => end,
        }
    }
}

/// The end of a word of ASCII letters, after one other character if it `has_lead`. `None` if the next eight bytes are
/// not all ASCII, or if they do not show where the word ends.
// Most pieces are such words. Eight bytes at once take a few instructions without a branch per character.
#[inline(always)]
fn ascii_word(text: Text<'_>, start: usize, has_lead: bool) -> Option<usize> {
    let lane = Swar8::at(text, start)?;
    let lead = usize::from(has_lead);
    let letters = lane.letters();
    let small = lane.small(letters);
    let capitals = letters.without(small).run(lead);
    let small = small.run(lead + capitals);
    let mut end = lead + capitals + small;
    if end < Swar8::BYTES {
        return (end > lead).then_some(start + end);
    }
    // The word goes on after the eight bytes. After a small letter only small letters continue it, since a capital
    // starts the next piece. After capitals alone, capitals may follow, and the general `word` takes over.
    let mut more = small;
    while more > 0 && end.is_multiple_of(Swar8::BYTES) {
        let lane = Swar8::at(text, start + end)?;
        more = lane.small(lane.letters()).run(0);
        end += more;
    }
    (small > 0).then_some(start + end)
}

/// The longest word at `start`.
#[inline]
fn word(text: Text<'_>, start: usize) -> Option<Word> {
    // `EITHER` has no ASCII letter, so the fast run over ASCII needs to look for capitals only.
    let (mut capitals, mut either) = (text.ascii_run(start, Class::UPPER), start);
    while let Some((class, width)) = text.at(capitals)
        && class.is(CAPITAL)
    {
        capitals += width;
        if class.is(EITHER) {
            either = capitals;
        }
    }
    let small = text.run(capitals, SMALL);
    if small > capitals {
        Some(Word::Small(small))
    } else if either > start {
        // The first alternative needs one letter that counts as small. Backtracking gives it the last one of either
        // case, and the capitals after it start the next piece.
        Some(Word::Small(either))
    } else if capitals > start {
        Some(Word::Capitals(capitals))
    } else {
        None
    }
}
