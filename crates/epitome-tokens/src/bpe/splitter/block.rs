//! The pieces of `o200k_base` among 64 ASCII characters, all found at once.
//!
//! Each character of a block is one bit of a `u64`, the first character lowest, and a set of characters is a number. So
//! a condition on neighbours is a shift: `set << 1` are the characters that come after those of a set. And a sum finds
//! the ends of runs: adding the first characters of some runs to the set of all runs makes a carry through each of
//! these runs, which ends at the first character after it.
//!
//! A piece takes a few instructions this way, without a branch per character. Branches are what a matcher of one
//! character after the other mostly waits for: where a word ends is hard to predict.
//!
//! The bits only decide what the characters before and in the block decide. Whatever also depends on later characters
//! is *unsure*, and the block ends before it.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::super::simd16::Simd16 as Lane;
use super::super::swar8::Swar8;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use super::super::swar8::Swar8 as Lane;
use super::super::text::Text;
use super::o200k::{Endings, Variant};
use super::part::contraction;

/// Characters of a block.
const BLOCK: usize = u64::BITS as usize;
/// With fewer ASCII characters, finding one piece after the other is as fast.
const LEAST: usize = 24;

/// The pieces from some position on, as far as a block shows them.
pub(super) enum Found {
    /// One bit for the last byte of each piece from there on. Not 0.
    Ends(u64),
    /// No piece is sure. Pieces must be found one by one up to this position, which is greater than the start.
    Nothing(usize),
}

/// Finds the pieces from `at` on, where a piece starts.
#[inline]
pub(super) fn find(text: Text<'_>, at: usize, variant: Variant) -> Found {
    let left = text.len() - at;
    // Text in other scripts would load and classify a block for nothing at every piece. Looking at eight bytes first
    // avoids that.
    if let Some(lane) = text.block(at).map(|bytes| Swar8::new(*bytes)) {
        let ascii = lane.wide().unset();
        if ascii < Swar8::BYTES {
            return Found::Nothing(at + ascii + 1);
        }
    }
    let padded;
    let block = match text.block::<BLOCK>(at) {
        Some(block) => block,
        None => {
            padded = text.last_block::<BLOCK>(at);
            &padded
        }
    };
    let length = ascii(block).min(left);
    let is_last = length == left;
    if length < LEAST && !is_last {
        return Found::Nothing(at + length + 1);
    }
    let pieces = Pieces { text, at, kinds: Kinds::of(block, length), length, is_last };
    match pieces.ends(variant) {
        0 => Found::Nothing(at + 1),
        ends => Found::Ends(ends),
    }
}

/// How many ASCII characters a block starts with.
#[inline]
fn ascii(block: &[u8; BLOCK]) -> usize {
    let wide = lanes(block).fold(0, |wide, (at, lane)| wide | lane.wide().bits() << at);
    wide.trailing_zeros() as usize
}

/// The characters of a block in lanes, as many at once as the target supports, each with the position of its first one.
#[inline(always)]
fn lanes(block: &[u8; BLOCK]) -> impl Iterator<Item = (usize, Lane)> {
    let lanes = block.as_chunks::<{ Lane::BYTES }>().0;
    lanes.iter().enumerate().map(|(at, bytes)| (at * Lane::BYTES, Lane::new(*bytes)))
}

/// The sets of characters of a block. Characters after its end are in no set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Kinds {
    letters: u64,
    /// Small letters.
    small: u64,
    digits: u64,
    /// `\s` without carriage return and line feed.
    spaces: u64,
    /// U+0020, the only space that punctuation may have before it in its piece.
    blanks: u64,
    newlines: u64,
    quotes: u64,
}

impl Kinds {
    #[inline]
    fn of(block: &[u8; BLOCK], length: usize) -> Self {
        // The sets of all lanes are collected first and masked at the end: characters after `length` are not ASCII, or
        // are the zeros of a padded block, and lanes say anything about them.
        let mut kinds = Self::default();
        for (at, lane) in lanes(block) {
            let letters = lane.letters();
            let [returns, feeds] = [b'\r', b'\n'].map(|byte| lane.is(byte));
            let [blanks, quotes] = [b' ', b'\''].map(|byte| lane.is(byte));
            let controls = lane.between(b'\t', b'\r');
            let newlines = returns.or(feeds);
            kinds.letters |= letters.bits() << at;
            kinds.small |= lane.small(letters).bits() << at;
            kinds.digits |= lane.between(b'0', b'9').bits() << at;
            kinds.spaces |= controls.without(newlines).or(blanks).bits() << at;
            kinds.blanks |= blanks.bits() << at;
            kinds.newlines |= newlines.bits() << at;
            kinds.quotes |= quotes.bits() << at;
        }
        let all = below(length);
        Self {
            letters: kinds.letters & all,
            small: kinds.small & all,
            digits: kinds.digits & all,
            spaces: kinds.spaces & all,
            blanks: kinds.blanks & all,
            newlines: kinds.newlines & all,
            quotes: kinds.quotes & all,
        }
    }
}

/// A block of characters that starts where a piece starts.
struct Pieces<'a> {
    text: Text<'a>,
    at: usize,
    kinds: Kinds,
    /// How many characters are known. The next one is not ASCII, or in another block.
    length: usize,
    /// Whether the text ends after them.
    is_last: bool,
}

impl Pieces<'_> {
    /// One bit for the last byte of every piece that is sure.
    #[inline]
    fn ends(&self, Variant { endings, digits }: Variant) -> u64 {
        let Kinds { letters, small, .. } = self.kinds;
        let marks = self.marks();
        let first_marks = marks & !(marks << 1) & !(self.kinds.blanks << 1);
        // `[^\r\n\p{L}\p{N}]?` takes one mark or space before a word into the word's piece. So a letter starts a piece
        // only after a mark whose piece began before it, after a digit or a line end, or as a capital after a small
        // letter.
        let words = letters & (marks << 1) & !(first_marks << 1)
            | letters & (self.kinds.digits << 1 | self.kinds.newlines << 1)
            | letters & !small & (small << 1);
        let (blanks, unsure) = self.blanks(marks);
        let starts = words | first_marks | self.numbers(digits) | blanks;
        let starts = match endings {
            Endings::Contractions => self.contracted(starts),
            Endings::Nothing => starts,
        };
        // A piece ends before each character that starts one.
        let ends = starts >> 1;
        if unsure == 0 && self.is_last {
            return ends | 1 << (self.length - 1);
        }
        // Whether a piece starts at the last character may depend on the character after it, which is not known: a
        // space belongs to a word that follows, for example.
        let sure = if self.is_last { self.length } else { self.length - 1 };
        ends & below((unsure.trailing_zeros() as usize).min(sure).saturating_sub(1))
    }

    /// `[^\s\p{L}\p{N}]`
    #[inline]
    fn marks(&self) -> u64 {
        let Kinds { letters, digits, spaces, newlines, .. } = self.kinds;
        below(self.length) & !(letters | digits | spaces | newlines)
    }

    /// The starts of numbers: the first digit of each run, and then every `most` digits.
    #[inline]
    fn numbers(&self, most: usize) -> u64 {
        let digits = self.kinds.digits;
        let mut starts = digits & !(digits << 1);
        // `after` are the digits that have `most` digits before them in their run. All runs advance together, so the
        // loop takes as many rounds as the longest run has numbers.
        let (mut found, after) =
            (starts, (1..=most).fold(digits, |after, by| after & digits << by));
        while starts != 0 {
            starts = starts << most & after;
            found |= starts;
        }
        found
    }

    /// The starts of white space, and of pieces that begin with the last space of a run; and the positions that are
    /// unsure.
    #[inline]
    fn blanks(&self, marks: u64) -> (u64, u64) {
        let Kinds { spaces, newlines, .. } = self.kinds;
        // `[\r\n/]*`: line ends after punctuation belong to its piece. The sum carries through each run of line ends
        // that follows punctuation, and so clears it. A slash after them would belong to the piece as well, which is
        // left unsure.
        let first = newlines & marks << 1;
        let attached = newlines & !newlines.wrapping_add(first);
        let blank = (spaces | newlines) & !attached;
        let runs = blank & !(blank << 1);
        // `\s+(?!\S)`: the last space of a run goes to the piece of what follows.
        let mut last = spaces & !((spaces | newlines) >> 1);
        // At the end of the text nothing follows, and the run keeps its last space.
        if self.is_last {
            last &= below(self.length - 1);
        }
        let indents = spaces & newlines << 1;
        let unsure = self.slashes(marks & attached << 1) | self.unsure_indents(indents);
        (runs | last | indents, unsure)
    }

    /// The slashes among some marks.
    #[inline]
    fn slashes(&self, mut marks: u64) -> u64 {
        let mut slashes = 0;
        while marks != 0 {
            let mark = marks & marks.wrapping_neg();
            if self.text.byte(self.at + mark.trailing_zeros() as usize) == b'/' {
                slashes |= mark;
            }
            marks ^= mark;
        }
        slashes
    }

    /// The first spaces after a line end that belong to the piece before them, because the run of white space has
    /// another line end: `\s*[\r\n]+` takes everything up to the last one.
    #[inline]
    fn unsure_indents(&self, indents: u64) -> u64 {
        let Kinds { spaces, newlines, .. } = self.kinds;
        // The block may end within the run, and its other line end comes later.
        let is_cut = !self.is_last && spaces >> (self.length - 1) & 1 == 1;
        let mut unsure = if is_cut { run_before(spaces, self.length) & indents } else { 0 };
        // The sum carries through each run of spaces after a line end, to the character after it.
        let mut lines = spaces.wrapping_add(indents) & newlines;
        while lines != 0 {
            unsure |= run_before(spaces, lines.trailing_zeros() as usize) & indents;
            lines &= lines - 1;
        }
        unsure
    }

    /// Removes the starts within contractions, and adds the starts after them: `'s` and `'re` belong to the word
    /// before.
    #[inline]
    fn contracted(&self, mut starts: u64) -> u64 {
        let letters = self.kinds.letters;
        let mut quotes = self.kinds.quotes & letters << 1 & letters >> 1;
        let mut last = 0;
        while quotes != 0 {
            let quote = quotes.trailing_zeros() as usize;
            quotes &= quotes - 1;
            // `quote == last`: the letter before it is the end of a contraction, and a word has only one.
            if let Some(end) = contraction(self.text, self.at + quote)
                && quote != last
            {
                last = end - self.at;
                starts = starts & !(below(last) & !below(quote)) | below(last + 1) & !below(last);
            }
        }
        starts
    }
}

/// The first character of the run of a set that ends before `end`.
#[inline]
fn run_before(set: u64, end: usize) -> u64 {
    let gap = !set & below(end);
    1_u64.checked_shl(u64::BITS - gap.leading_zeros()).unwrap_or(0)
}

/// The characters before `at`.
#[inline]
fn below(at: usize) -> u64 {
    1_u64.checked_shl(at as u32).map_or(u64::MAX, |bit| bit - 1)
}
