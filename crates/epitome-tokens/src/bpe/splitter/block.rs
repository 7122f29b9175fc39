//! Where the pieces of `o200k_base` end among sixty-four ASCII characters, found for all of them at once.
//!
//! Each character of a block is a bit, the first one lowest, and a set of characters is a number. `set << 1`
//! are the characters behind those of a set, and adding the first characters of runs to the set of all runs
//! carries to where these end.

use super::super::eight::Eight;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use super::super::eight::Eight as Lane;
use super::super::scan::Scan;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::super::sixteen::Sixteen as Lane;
use super::contraction;
use super::o200k::{Endings, Variant};

/// Characters that are looked at together.
const BLOCK: usize = u64::BITS as usize;
/// With fewer, finding one piece after the other is as quick.
const LEAST: usize = 24;

/// What is known of the pieces from some position on.
pub(super) enum Found {
    /// The pieces that follow each other from there: a bit for the last byte of each. Not 0.
    Ends(u64),
    /// Too little: those before this position, which is behind the first, are to be found one by one.
    Nothing(usize),
}

/// Finds pieces where one starts at `at`.
#[inline]
pub(super) fn find(scan: Scan<'_>, at: usize, variant: Variant) -> Found {
    let left = scan.len() - at;
    if let Some(eight) = scan.block(at).map(|bytes| Eight::new(*bytes)) {
        let ascii = eight.wide().unset();
        if ascii < Eight::BYTES {
            return Found::Nothing(at + ascii + 1);
        }
    }
    let padded;
    let block = match scan.block::<BLOCK>(at) {
        Some(block) => block,
        None => {
            padded = scan.last_block::<BLOCK>(at);
            &padded
        }
    };
    let length = ascii(block).min(left);
    let is_last = length == left;
    if length < LEAST && !is_last {
        return Found::Nothing(at + length + 1);
    }
    let pieces = Pieces { scan, at, kinds: Kinds::of(block, length), length, is_last };
    match pieces.ends(variant) {
        0 => Found::Nothing(at + 1),
        ends => Found::Ends(ends),
    }
}

/// How many ASCII characters a block begins with.
#[inline]
fn ascii(block: &[u8; BLOCK]) -> usize {
    let wide = lanes(block).fold(0, |wide, (at, lane)| wide | lane.wide().bits() << at);
    wide.trailing_zeros() as usize
}

/// The characters of a block as many at once as the machine can take, each time with where they start.
#[inline(always)]
fn lanes(block: &[u8; BLOCK]) -> impl Iterator<Item = (usize, Lane)> {
    let lanes = block.as_chunks::<{ Lane::BYTES }>().0;
    lanes.iter().enumerate().map(|(at, bytes)| (at * Lane::BYTES, Lane::new(*bytes)))
}

/// Which characters of a block are what. Those behind its end are in no set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Kinds {
    letters: u64,
    /// Letters that are not capitals.
    small: u64,
    digits: u64,
    /// `\s` without those that end a line.
    spaces: u64,
    /// The space that may stand before punctuation.
    blanks: u64,
    newlines: u64,
    quotes: u64,
}

impl Kinds {
    #[inline]
    fn of(block: &[u8; BLOCK], length: usize) -> Self {
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

/// A block of characters that starts where a piece does.
struct Pieces<'a> {
    scan: Scan<'a>,
    at: usize,
    kinds: Kinds,
    /// How many characters are known. What is behind them is not in ASCII, or in another block.
    length: usize,
    /// Whether there is nothing behind them.
    is_last: bool,
}

impl Pieces<'_> {
    /// A bit for the last byte of every piece, as far as it is sure.
    #[inline]
    fn ends(&self, Variant { endings, digits }: Variant) -> u64 {
        let Kinds { letters, small, .. } = self.kinds;
        let marks = self.marks();
        let first_marks = marks & !(marks << 1) & !(self.kinds.blanks << 1);
        // A single mark before a word belongs to it, and so does the last space.
        let words = letters & (marks << 1) & !(first_marks << 1)
            | letters & (self.kinds.digits << 1 | self.kinds.newlines << 1)
            | letters & !small & (small << 1);
        let (blanks, unsure) = self.blanks(marks);
        let starts = words | first_marks | self.numbers(digits) | blanks;
        let starts = match endings {
            Endings::Contractions => self.contracted(starts),
            Endings::Nothing => starts,
        };
        let ends = starts >> 1;
        if unsure == 0 && self.is_last {
            return ends | 1 << (self.length - 1);
        }
        // Whether a piece starts at the last character depends on the one behind it.
        let sure = if self.is_last { self.length } else { self.length - 1 };
        ends & below((unsure.trailing_zeros() as usize).min(sure).saturating_sub(1))
    }

    /// `[^\s\p{L}\p{N}]`
    #[inline]
    fn marks(&self) -> u64 {
        let Kinds { letters, digits, spaces, newlines, .. } = self.kinds;
        below(self.length) & !(letters | digits | spaces | newlines)
    }

    /// Where numbers start: every so many digits of a run.
    #[inline]
    fn numbers(&self, most: usize) -> u64 {
        let digits = self.kinds.digits;
        let mut starts = digits & !(digits << 1);
        let (mut found, behind) =
            (starts, (1..=most).fold(digits, |behind, by| behind & digits << by));
        while starts != 0 {
            starts = starts << most & behind;
            found |= starts;
        }
        found
    }

    /// Where what is blank starts, and what begins with the last space of a run; and the places that may be
    /// starts or not, which the characters before them do not tell.
    #[inline]
    fn blanks(&self, marks: u64) -> (u64, u64) {
        let Kinds { spaces, newlines, .. } = self.kinds;
        // Ends of lines behind punctuation belong to it, and a slash behind them would as well.
        let first = newlines & marks << 1;
        let attached = newlines & !newlines.wrapping_add(first);
        let blank = (spaces | newlines) & !attached;
        let runs = blank & !(blank << 1);
        let mut last = spaces & !((spaces | newlines) >> 1);
        if self.is_last {
            last &= below(self.length - 1);
        }
        let indents = spaces & newlines << 1;
        let unsure = self.slashes(marks & attached << 1) | self.unsure_indents(indents);
        (runs | last | indents, unsure)
    }

    /// Those of some characters that are slashes.
    #[inline]
    fn slashes(&self, mut marks: u64) -> u64 {
        let mut slashes = 0;
        while marks != 0 {
            let mark = marks & marks.wrapping_neg();
            if self.scan.byte(self.at + mark.trailing_zeros() as usize) == b'/' {
                slashes |= mark;
            }
            marks ^= mark;
        }
        slashes
    }

    /// The spaces behind the end of a line that belong to it where another end of a line follows.
    #[inline]
    fn unsure_indents(&self, indents: u64) -> u64 {
        let Kinds { spaces, newlines, .. } = self.kinds;
        let is_cut = !self.is_last && spaces >> (self.length - 1) & 1 == 1;
        let mut unsure = if is_cut { run_before(spaces, self.length) & indents } else { 0 };
        let mut lines = spaces.wrapping_add(indents) & newlines;
        while lines != 0 {
            unsure |= run_before(spaces, lines.trailing_zeros() as usize) & indents;
            lines &= lines - 1;
        }
        unsure
    }

    /// Adds to a word what stands behind it: `'s`, `'re`.
    #[inline]
    fn contracted(&self, mut starts: u64) -> u64 {
        let letters = self.kinds.letters;
        let mut quotes = self.kinds.quotes & letters << 1 & letters >> 1;
        let mut last = 0;
        while quotes != 0 {
            let quote = quotes.trailing_zeros() as usize;
            quotes &= quotes - 1;
            // The letter before it may be the end of another one.
            if let Some(end) = contraction(self.scan, self.at + quote)
                && quote != last
            {
                last = end - self.at;
                starts = starts & !(below(last) & !below(quote)) | below(last + 1) & !below(last);
            }
        }
        starts
    }
}

/// The first of the characters of a set that end before `end` without a gap.
#[inline]
fn run_before(set: u64, end: usize) -> u64 {
    let gap = !set & below(end);
    1_u64.checked_shl(u64::BITS - gap.leading_zeros()).unwrap_or(0)
}

/// The characters before one.
#[inline]
fn below(at: usize) -> u64 {
    1_u64.checked_shl(at as u32).map_or(u64::MAX, |bit| bit - 1)
}
