//! What an extract notes for the next one: how early each of its quotes is selected, and what the last messages are about.
//!
//! The words of a few quotes do not show which of them a long conversation is about. Chosen by these words alone, an extract
//! of an extract would be little better than a random part of it.

use epitome_columns::{SortedMap, sort_by};

use super::term::{self, Term};
use epitome_text::stop_words::StopWords;

/// What one extract knows of the conversation before its new messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Notes {
    /// The share of each quote; empty if they are not known.
    pub(super) shares: Vec<f32>,
    pub(super) context: Context,
}

/// The terms of the last pieces of a conversation. The older a piece is, the less it counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Context {
    /// How many pieces it stands for.
    pub(super) pieces: f32,
    /// Their tokens.
    pub(super) tokens: f32,
    /// How many of them are quoted.
    pub(super) quotes: f32,
    /// How often each term is in them, by its key.
    counts: SortedMap<u32, f32>,
}

/// The digits of all numbers in notes.
const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
/// The number of digits of a term, and of any other number.
const TERM_DIGITS: usize = 4;
const NUMBER_DIGITS: usize = 4;
/// The digits of the number of occurrences of a term.
const COUNT_DIGITS: usize = 2;
/// By how much the share of a digit exceeds that of the one before it.
const STEP: f32 = 1.15;
/// Separates the parts of notes.
const SEPARATOR: char = ' ';
/// The most terms of a context. The most frequent ones are noted.
const MAX_TERMS: usize = 600;
/// The window of a context has at least this many pieces, and at least this many quotes among them: with fewer quotes, new
/// pieces cannot be compared to earlier ones. So the window is longer if the summary is short.
const LEAST_PIECES: usize = 100;
const LEAST_QUOTES: usize = 16;
/// The most pieces of a window.
const MOST_PIECES: usize = 800;

/// True if a window of this many pieces, of which `quotes` are quoted, is long enough.
pub(super) fn is_window(pieces: usize, quotes: usize) -> bool {
    pieces >= MOST_PIECES || (pieces >= LEAST_PIECES && quotes >= LEAST_QUOTES)
}

impl Notes {
    pub(super) fn write(&self) -> String {
        let mut out: String = self.shares.iter().map(|share| digit(level(*share))).collect();
        out.push(SEPARATOR);
        for part in [self.context.pieces, self.context.tokens, self.context.quotes] {
            push(&mut out, in_steps(part), NUMBER_DIGITS);
        }
        let mut counts: Vec<(u32, f32)> =
            self.context.counts.iter().map(|(key, count)| (*key, *count)).collect();
        sort_by(&mut counts, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for (key, count) in counts.into_iter().take(MAX_TERMS) {
            let count = in_steps(count);
            if count == 0 {
                break;
            }
            push(&mut out, key as usize, TERM_DIGITS);
            push(&mut out, count, COUNT_DIGITS);
        }
        out
    }

    /// Reads what [`write`](Self::write) wrote for this number of quotes; nothing of what does not fit them.
    pub(super) fn read(notes: &str, quotes: usize) -> Self {
        let (shares, context) = notes.split_once(SEPARATOR).unwrap_or((notes, ""));
        let table = share_of_digits();
        let share = |byte: u8| table.get(value(byte)?).copied();
        let shares: Option<Vec<f32>> = shares.bytes().map(share).collect();
        let shares = shares.filter(|shares| shares.len() == quotes);
        let read = shares.zip(Context::read(context));
        read.map(|(shares, context)| Self { shares, context }).unwrap_or_default()
    }
}

/// The precision of numbers. They shrink a little with each extract: whole numbers would be rounded down again and again.
const NUMBER_STEP: f32 = 1.0 / 16.0;

fn in_steps(number: f32) -> usize {
    (number / NUMBER_STEP + 0.5) as usize
}

impl Context {
    fn read(text: &str) -> Option<Self> {
        let digits: Vec<usize> = text.bytes().map(value).collect::<Option<_>>()?;
        let (numbers, terms) = digits.split_at_checked(3 * NUMBER_DIGITS)?;
        let value = |digits: &[usize]| number(digits) as f32 * NUMBER_STEP;
        let mut numbers = numbers.chunks(NUMBER_DIGITS).map(value);
        let (pieces, tokens, quotes) = (numbers.next()?, numbers.next()?, numbers.next()?);
        let counts = terms.chunks_exact(TERM_DIGITS + COUNT_DIGITS).filter_map(|entry| {
            let (key, count) = entry.split_at_checked(TERM_DIGITS)?;
            Some((u32::try_from(number(key)).ok()?, value(count)))
        });
        Some(Self { pieces, tokens, quotes, counts: counts.collect() })
    }

    /// How often a term is in these pieces.
    pub(super) fn count(&self, term: Term) -> f32 {
        self.counts.get(&key(term)).copied().unwrap_or(0.0)
    }

    /// The context without its oldest pieces, for a window with `new` more pieces of which `quotes` are quoted.
    pub(super) fn shortened(&self, new: usize, quotes: usize) -> Self {
        let share = |wanted: usize, all: f32| wanted as f32 / all.max(1.0);
        let least = share(LEAST_PIECES.saturating_sub(new), self.pieces);
        let least = least.max(share(LEAST_QUOTES.saturating_sub(quotes), self.quotes));
        let left = least.min(share(MOST_PIECES.saturating_sub(new), self.pieces)).min(1.0);
        let counts = self.counts.iter().map(|(key, count)| (*key, count * left));
        let (pieces, tokens) = (self.pieces * left, self.tokens * left);
        let quotes = self.quotes * left;
        Self { pieces, tokens, quotes, counts: counts.collect() }
    }

    /// Adds a piece.
    pub(super) fn add(&mut self, text: &str, tokens: u32, stop_words: &StopWords) {
        self.pieces += 1.0;
        self.tokens += tokens as f32;
        let mut count = |term| *self.counts.entry(key(term)).or_default() += 1.0;
        term::for_each(text, stop_words, &mut count);
        term::for_each_identifier(text, |identifier, _| count(identifier));
    }
}

/// A short key of a term.
fn key(term: Term) -> u32 {
    term.key(6 * TERM_DIGITS)
}

/// Writes a number, or the largest one of so many digits.
fn push(out: &mut String, value: usize, digits: usize) {
    let value = value.min((1 << (6 * digits)) - 1);
    for place in (0..digits).rev() {
        out.push(digit((value >> (6 * place)) % DIGITS.len()));
    }
}

fn number(digits: &[usize]) -> usize {
    digits.iter().fold(0, |number, digit| number * DIGITS.len() + digit)
}

fn digit(value: usize) -> char {
    DIGITS.get(value).or(DIGITS.last()).map_or('0', |digit| char::from(*digit))
}

fn value(digit: u8) -> Option<usize> {
    DIGITS.iter().position(|own| *own == digit)
}

/// The share of each digit, up to 1.
fn share_of_digits() -> [f32; DIGITS.len()] {
    let mut shares = [1.0; DIGITS.len()];
    let mut share = 1.0;
    for slot in shares.iter_mut().rev() {
        *slot = share;
        share /= STEP;
    }
    shares
}

/// The digit of a share.
fn level(share: f32) -> usize {
    share_of_digits().partition_point(|own| *own < share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_that_are_read_and_written_again_are_the_same() {
        let mut context = Context { quotes: 70.0, ..Context::default() };
        for text in ["the battery of the remote control", "a battery"] {
            context.add(text, 7, &StopWords::default());
        }
        let notes = Notes { shares: vec![0.0, 0.001, 0.05, 0.3, 1.0, 7.0], context };
        let read = Notes::read(&notes.write(), 6);
        assert!(read.shares.is_sorted());
        assert_eq!(read.write(), notes.write());
        assert_eq!(read.context, notes.context);
    }

    #[test]
    fn notes_of_other_quotes_are_not_used() {
        let written = Notes { shares: vec![0.1, 0.2], ..Notes::default() }.write();
        assert_eq!(Notes::read(&written, 2).shares.len(), 2);
        for (notes, quotes) in [(written.as_str(), 3), ("0+ 000000000000", 2), ("00 é", 2), ("", 0)]
        {
            assert_eq!(Notes::read(notes, quotes), Notes::default(), "{notes}");
        }
    }

    #[test]
    fn the_oldest_pieces_leave_a_context() {
        let mut context = Context { quotes: 32.0, ..Context::default() };
        (0..100).for_each(|_| context.add("a battery", 3, &StopWords::default()));
        let shortened = context.shortened(50, 16);
        assert_eq!((shortened.pieces, shortened.tokens, shortened.quotes), (50.0, 150.0, 16.0));
        assert_eq!(context.shortened(150, 8).quotes, 8.0, "quotes keep pieces in it");
        assert_eq!(context.shortened(0, 0), context);
        assert_eq!(context.shortened(100, 16).pieces, 0.0);
        assert_eq!(context.shortened(MOST_PIECES, 0).pieces, 0.0);
    }
}
