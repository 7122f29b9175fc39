//! Whether a piece of text is one whole token: most pieces are.

use super::batches::in_batches;
use super::hash::{WORD, hash, hash_of_word, word};
use super::rank::{RANK_BITS, RANK_MASK};
use super::token_bytes::TokenBytes;

/// Slots per token: with more the search is faster, with fewer the table is smaller.
const SLOTS_PER_TOKEN: f64 = 1.5;
const EMPTY: u32 = u32::MAX;

/// The tokens of a vocabulary as a set: two hash tables with linear probing.
// Short tokens are their own keys. So the answer for a short piece takes one load from one table, usually; for a long
// piece it takes the slot, the end of the token and its bytes.
#[derive(Clone, Debug)]
pub(super) struct WholeTokens {
    /// The keys of tokens of up to eight bytes that do not begin with a zero byte. No key is 0, which marks empty
    /// slots.
    short: Vec<u64>,
    /// The ranks of all other tokens. The bits above a rank are a tag: bits of the token's hash.
    long: Vec<u32>,
    /// Bytes of the longest token.
    longest: usize,
}

impl WholeTokens {
    /// The set of these tokens. Fails with the rank of a token that is equal to an earlier one.
    pub(super) async fn new(
        tokens: &TokenBytes,
        pause: &mut impl AsyncFnMut(),
    ) -> Result<Self, u32> {
        let (mut count, mut longest) = (0, 0);
        in_batches(0..tokens.len(), pause, &mut |ranks| {
            for rank in ranks {
                let token = tokens.token(rank as u32);
                count += usize::from(is_short(token));
                longest = token.len().max(longest);
            }
        })
        .await;
        let slots = |tokens: usize| (tokens as f64 * SLOTS_PER_TOKEN) as usize + 1;
        let (short, long) = (vec![0; slots(count)], vec![EMPTY; slots(tokens.len() - count)]);
        let mut set = Self { short, long, longest };
        let mut duplicate = None;
        in_batches(0..tokens.len(), pause, &mut |ranks| {
            let mut ranks = ranks.start as u32..ranks.end as u32;
            duplicate = duplicate.or_else(|| ranks.find(|&rank| !set.insert(tokens, rank)));
        })
        .await;
        duplicate.map_or(Ok(set), Err)
    }

    /// Adds a token. Returns false if it is already in the set.
    fn insert(&mut self, tokens: &TokenBytes, rank: u32) -> bool {
        let token = tokens.token(rank);
        if is_short(token) {
            let key = key(word(token), token.len());
            return insert(&mut self.short, hash_of_word(key), 0, key, |slot| slot == key);
        }
        let hash = hash(token);
        insert(&mut self.long, hash, EMPTY, tag(hash) | rank, |slot| {
            tokens.token(slot & RANK_MASK) == token
        })
    }

    /// Whether the bytes of `text` from `start` to before `end` are a token. `None` if only
    /// [`contains_hash`](Self::contains_hash) can answer. `end` is greater than `start`.
    #[inline(always)]
    pub(super) fn contains(&self, text: &[u8], start: usize, end: usize) -> Option<bool> {
        let length = end - start;
        if length > WORD {
            return None;
        }
        // One load of eight bytes, of which `key` discards those after the piece, is faster than a load of exactly the
        // piece's bytes. Only near the end of the text are there fewer than eight.
        let bytes = match text.get(start..).and_then(|rest| rest.first_chunk::<WORD>()) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => word(text.get(start..end).unwrap_or_default()),
        };
        // A key does not hold its length: a leading zero byte would look like a missing one.
        (bytes as u8 != 0).then(|| {
            let key = key(bytes, length);
            find(&self.short, hash_of_word(key), 0, |slot| slot == key)
        })
    }

    /// Whether a piece is one of `tokens`, of which this is the set. `hash` is the piece's [`hash`].
    #[inline]
    pub(super) fn contains_hash(&self, tokens: &TokenBytes, piece: &[u8], hash: u64) -> bool {
        // The tag is compared first: the bytes of a token are in another table, and reading those of every other token
        // on the way would be a cache miss each.
        let is_it = |slot: u32| {
            slot & !RANK_MASK == tag(hash)
                && slot != EMPTY
                && are_equal(tokens.token(slot & RANK_MASK), piece)
        };
        piece.len() <= self.longest && find(&self.long, hash, EMPTY, is_it)
    }
}

#[inline]
fn is_short(token: &[u8]) -> bool {
    token.len() <= WORD && token.first().is_some_and(|&first| first != 0)
}

/// The first `length` bytes of a word, moved to its highest bytes, with zeros below them.
#[inline]
fn key(word: u64, length: usize) -> u64 {
    word << (8 * (WORD - length.min(WORD)) as u32 % u64::BITS)
}

/// Whether two byte strings are equal, eight bytes at a time.
// The strings are short, mostly 9 to 24 bytes, and `==` would call `memcmp`.
#[inline]
fn are_equal(one: &[u8], other: &[u8]) -> bool {
    let ((ones, one), (others, other)) = (one.as_chunks::<WORD>(), other.as_chunks::<WORD>());
    let are_equal = |(one, other): (&[u8; WORD], &[u8; WORD])| {
        u64::from_le_bytes(*one) == u64::from_le_bytes(*other)
    };
    ones.len() == others.len()
        && one.len() == other.len()
        && ones.iter().zip(others).all(are_equal)
        && word(one) == word(other)
}

/// The bits of a hash that are stored above a rank.
#[inline]
fn tag(hash: u64) -> u32 {
    (hash as u32) << RANK_BITS
}

/// The slot where the search for a hash of 32 bits starts, in a table of `length` slots.
#[inline]
fn first_slot(hash: u64, length: usize) -> usize {
    ((hash * length as u64) >> 32) as usize
}

/// Adds a value to a table. Returns false if it is already there.
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
