//! Whether a piece of text is one token as it is: most pieces are.

use super::tokens::{Tokens, leading};
use super::vocabulary::STRETCH;

const SLOTS_PER_TOKEN: f64 = 1.35;
/// Bytes of a token that is its own key.
const SHORT: usize = 8;
const EMPTY: u32 = u32::MAX;

/// The tokens of a vocabulary as a set.
#[derive(Clone, Debug)]
pub(super) struct Words {
    /// The bytes of tokens of up to eight that do not end in a zero; no such token is 0.
    short: Vec<u64>,
    /// The ranks of all others.
    long: Vec<u32>,
    /// Bytes of the longest token.
    longest: usize,
}

impl Words {
    /// The set of these tokens.
    pub(super) async fn new(tokens: &Tokens, rest: &mut impl AsyncFnMut()) -> Self {
        let ranks = 0..tokens.len() as u32;
        let count = ranks.clone().filter(|&rank| is_short(tokens.token(rank))).count();
        let slots = |tokens: usize| (tokens as f64 * SLOTS_PER_TOKEN) as usize + 1;
        let mut words = Self {
            short: vec![0; slots(count)],
            long: vec![EMPTY; slots(tokens.len() - count)],
            longest: ranks.clone().map(|rank| tokens.token(rank).len()).max().unwrap_or(0),
        };
        for first in ranks.step_by(STRETCH) {
            words.take(tokens, first, first + STRETCH as u32);
            rest().await;
        }
        words
    }

    // A function of its own: an engine compiles it well once it was called a few times.
    #[inline(never)]
    fn take(&mut self, tokens: &Tokens, first: u32, end: u32) {
        for rank in first..end.min(tokens.len() as u32) {
            let token = tokens.token(rank);
            if is_short(token) {
                let key = short_key(token);
                insert(&mut self.short, short_hash(key), 0, key);
            } else {
                insert(&mut self.long, long_hash(token), EMPTY, rank);
            }
        }
    }

    /// Whether `text` from `start` to `end` is one of `tokens`.
    #[inline(always)]
    pub(super) fn contains(&self, tokens: &Tokens, text: &[u8], start: usize, end: usize) -> bool {
        let length = end - start;
        if length <= SHORT {
            // What lies behind the piece is quicker to cut off than to leave out.
            let key = match text.get(start..).and_then(|rest| rest.first_chunk::<SHORT>()) {
                Some(eight) => u64::from_le_bytes(*eight) & u64::MAX >> (8 * (SHORT - length)),
                None => short_key(text.get(start..end).unwrap_or_default()),
            };
            // One that ends in a zero looks like a shorter one.
            if key >> (8 * (length.max(1) - 1)) != 0 {
                return find(&self.short, short_hash(key), 0, |slot| slot == key);
            }
        }
        let piece = text.get(start..end).unwrap_or_default();
        piece.len() <= self.longest
            && find(&self.long, long_hash(piece), EMPTY, |slot| tokens.token(slot) == piece)
    }
}

#[inline]
fn is_short(token: &[u8]) -> bool {
    token.len() <= SHORT && token.last().is_some_and(|&last| last != 0)
}

#[inline]
fn short_key(token: &[u8]) -> u64 {
    leading(token).swap_bytes()
}

#[inline]
fn short_hash(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32
}

#[inline]
fn long_hash(token: &[u8]) -> u64 {
    let (eights, rest) = token.as_chunks::<SHORT>();
    let last = short_key(rest) ^ (token.len() as u64) << 56;
    let hash = eights.iter().fold(last, |hash, eight| {
        (hash ^ u64::from_le_bytes(*eight)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    });
    short_hash(hash)
}

/// Where the search for a hash of 32 bits starts in a table of `length` slots.
#[inline]
fn first_slot(hash: u64, length: usize) -> usize {
    ((hash * length as u64) >> 32) as usize
}

fn insert<T: Copy + PartialEq>(slots: &mut [T], hash: u64, empty: T, value: T) {
    let mut at = first_slot(hash, slots.len());
    loop {
        match slots.get_mut(at) {
            Some(slot) if *slot == empty => {
                *slot = value;
                return;
            }
            Some(_) => at += 1,
            None => at = 0,
        }
    }
}

#[inline]
fn find<T: Copy + PartialEq>(slots: &[T], hash: u64, empty: T, is_it: impl Fn(T) -> bool) -> bool {
    let mut at = first_slot(hash, slots.len());
    loop {
        match slots.get(at) {
            Some(&slot) if slot == empty => return false,
            Some(&slot) if is_it(slot) => return true,
            Some(_) => at += 1,
            None => at = 0,
        }
    }
}
