//! Whether a piece of text is one token as it is: most pieces are.

use super::tokens::{Tokens, leading};
use super::vocabulary::{RANK, RANK_BITS, in_stretches};

/// Slots for every token: more are quicker, fewer are smaller.
const SLOTS_PER_TOKEN: f64 = 1.5;
/// Bytes of a token that is its own key.
pub(super) const EIGHT: usize = 8;
const EMPTY: u32 = u32::MAX;

/// The tokens of a vocabulary as a set.
#[derive(Clone, Debug)]
pub(super) struct Words {
    /// The keys of tokens of up to eight bytes that do not begin with a zero. No key is 0.
    short: Vec<u64>,
    /// The ranks of all others, each below some bits of its token's hash.
    long: Vec<u32>,
    /// Bytes of the longest token.
    longest: usize,
}

impl Words {
    /// The set of these tokens. Fails with the rank of one that is there twice.
    pub(super) async fn new(tokens: &Tokens, rest: &mut impl AsyncFnMut()) -> Result<Self, u32> {
        let (mut count, mut longest) = (0, 0);
        in_stretches(0..tokens.len(), rest, &mut |ranks| {
            for rank in ranks {
                let token = tokens.token(rank as u32);
                count += usize::from(is_short(token));
                longest = token.len().max(longest);
            }
        })
        .await;
        let slots = |tokens: usize| (tokens as f64 * SLOTS_PER_TOKEN) as usize + 1;
        let (short, long) = (vec![0; slots(count)], vec![EMPTY; slots(tokens.len() - count)]);
        let mut words = Self { short, long, longest };
        let mut twice = None;
        in_stretches(0..tokens.len(), rest, &mut |ranks| {
            let mut ranks = ranks.start as u32..ranks.end as u32;
            twice = twice.or_else(|| ranks.find(|&rank| !words.insert(tokens, rank)));
        })
        .await;
        twice.map_or(Ok(words), Err)
    }

    /// Adds a token. Returns whether it is a new one.
    fn insert(&mut self, tokens: &Tokens, rank: u32) -> bool {
        let token = tokens.token(rank);
        if is_short(token) {
            let key = key(eight(token), token.len());
            return insert(&mut self.short, short_hash(key), 0, key, |slot| slot == key);
        }
        let hash = hash(token);
        insert(&mut self.long, hash, EMPTY, tag(hash) | rank, |slot| {
            tokens.token(slot & RANK) == token
        })
    }

    /// Whether `text` from `start` to `end`, which is behind it, is a token; nothing where a hash has to tell.
    #[inline(always)]
    pub(super) fn contains(&self, text: &[u8], start: usize, end: usize) -> Option<bool> {
        let length = end - start;
        if length > EIGHT {
            return None;
        }
        // What lies behind the piece is quicker to cut off than to leave out.
        let bytes = match text.get(start..).and_then(|rest| rest.first_chunk::<EIGHT>()) {
            Some(eight) => u64::from_le_bytes(*eight),
            None => eight(text.get(start..end).unwrap_or_default()),
        };
        // One that begins with a zero looks like a shorter one.
        (bytes as u8 != 0).then(|| {
            let key = key(bytes, length);
            find(&self.short, short_hash(key), 0, |slot| slot == key)
        })
    }

    /// Whether a piece is one of `tokens`, as its [`hash`] tells.
    #[inline]
    pub(super) fn contains_hash(&self, tokens: &Tokens, piece: &[u8], hash: u64) -> bool {
        // Most of those that are something else are not looked at: they are far away in memory.
        let is_it = |slot: u32| {
            slot & !RANK == tag(hash) && slot != EMPTY && are_same(tokens.token(slot & RANK), piece)
        };
        piece.len() <= self.longest && find(&self.long, hash, EMPTY, is_it)
    }
}

#[inline]
fn is_short(token: &[u8]) -> bool {
    token.len() <= EIGHT && token.first().is_some_and(|&first| first != 0)
}

/// Up to eight bytes as a number, the first one lowest; zeros stand for missing ones.
#[inline]
pub(super) fn eight(token: &[u8]) -> u64 {
    leading(token).swap_bytes()
}

/// The first bytes of eight, above zeros for the others.
#[inline]
fn key(eight: u64, length: usize) -> u64 {
    eight << (8 * (EIGHT - length.min(EIGHT)) as u32 % u64::BITS)
}

/// Whether two byte strings are equal: eight bytes at a time.
#[inline]
fn are_same(one: &[u8], other: &[u8]) -> bool {
    let ((ones, one), (others, other)) = (one.as_chunks::<EIGHT>(), other.as_chunks::<EIGHT>());
    let are_same = |(one, other): (&[u8; EIGHT], &[u8; EIGHT])| {
        u64::from_le_bytes(*one) == u64::from_le_bytes(*other)
    };
    ones.len() == others.len()
        && one.len() == other.len()
        && ones.iter().zip(others).all(are_same)
        && eight(one) == eight(other)
}

#[inline]
fn short_hash(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32
}

/// 32 bits that depend on every byte.
#[inline]
pub(super) fn hash(token: &[u8]) -> u64 {
    let (eights, rest) = token.as_chunks::<EIGHT>();
    let last = eight(rest) ^ (token.len() as u64) << 56;
    let mixed = eights.iter().fold(last, |mixed, eight| {
        (mixed ^ u64::from_le_bytes(*eight)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    });
    short_hash(mixed)
}

/// The bits of a hash that are kept above a rank.
#[inline]
fn tag(hash: u64) -> u32 {
    (hash as u32) << RANK_BITS
}

/// Where the search for a hash of 32 bits starts in a table of `length` slots.
#[inline]
fn first_slot(hash: u64, length: usize) -> usize {
    ((hash * length as u64) >> 32) as usize
}

/// Puts a value in, unless it is there. Returns whether it was not.
fn insert<T: Copy + PartialEq>(
    slots: &mut [T],
    hash: u64,
    empty: T,
    value: T,
    is_it: impl Fn(T) -> bool,
) -> bool {
    let mut at = first_slot(hash, slots.len());
    loop {
        match slots.get_mut(at) {
            Some(slot) if *slot == empty => {
                *slot = value;
                return true;
            }
            Some(slot) if is_it(*slot) => return false,
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
            Some(&slot) if is_it(slot) => return true,
            Some(&slot) if slot == empty => return false,
            Some(_) => at += 1,
            None => at = 0,
        }
    }
}
