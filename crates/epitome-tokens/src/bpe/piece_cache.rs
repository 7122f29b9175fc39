//! A cache of how many tokens a piece has: texts repeat the same names, numbers and phrases.

use super::hash::{WORD, word};

/// Pieces that the cache holds; a power of two.
const SLOTS: usize = 1 << 15;
/// Slots of a set: the slots next to each other that a piece may be in.
// With one slot, two frequent pieces with the same set would replace each other again and again.
const WAYS: usize = 2;
/// Words of eight bytes for the bytes of the pieces; a power of two.
const WORDS: usize = 1 << 16;
/// Bytes of the longest piece that is cached.
const LONGEST: usize = 256;

/// A set-associative cache. A new piece replaces the older one of its set. The answer is always right: the bytes of the
/// piece are stored and compared.
#[derive(Debug, Default)]
pub(super) struct PieceCache {
    /// Empty until the first piece is stored.
    // A counter that is never used should not take the memory of a full cache, 768 kB.
    slots: Vec<Slot>,
    /// The bytes of the pieces, as a ring buffer. Each piece starts with a new word, and ends with zero bytes.
    ring: Vec<u64>,
    /// Words that were ever written, including those that are overwritten.
    written: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// The value of `written` before this piece.
    start: u32,
    /// The length of the piece in bytes, and above it bits of its hash. 0 if the slot is empty.
    // Compared before the bytes: those are in another table, and reading them for each different piece would be a cache
    // miss.
    tag: u16,
    tokens: u16,
}

impl PieceCache {
    /// How many tokens `piece` has, if it is in the cache. `hash` is its [`hash`](super::hash::hash).
    #[inline]
    pub(super) fn get(&self, piece: &[u8], hash: u64) -> Option<usize> {
        if piece.len() > LONGEST {
            return None;
        }
        let (first, tag) = set(piece, hash);
        let slots = self.slots.get(first..first + WAYS)?;
        let slot = slots.iter().find(|slot| {
            slot.tag == tag && self.age(slot) <= WORDS && self.holds(piece, slot.start)
        })?;
        Some(usize::from(slot.tokens))
    }

    /// Words that were written since the start of the piece in a slot. If they are more than the ring has, some of the
    /// piece is overwritten.
    #[inline]
    fn age(&self, slot: &Slot) -> usize {
        self.written.wrapping_sub(slot.start) as usize
    }

    /// Stores how many tokens `piece` has.
    pub(super) fn insert(&mut self, piece: &[u8], hash: u64, tokens: usize) {
        let Ok(tokens) = u16::try_from(tokens) else { return };
        if piece.len() > LONGEST {
            return;
        }
        let words = piece.len().div_ceil(WORD);
        let start = self.reserve(words);
        let first = start as usize % WORDS;
        // The ring grows as it is written, so that a few short texts do not take all of its memory.
        self.ring.resize(self.ring.len().max(first + words), 0);
        let ring = self.ring.get_mut(first..).unwrap_or_default();
        for (slot, bytes) in ring.iter_mut().zip(piece.chunks(WORD)) {
            *slot = word(bytes);
        }
        let ((first, tag), written) = (set(piece, hash), self.written);
        let slots = self.slots.get_mut(first..first + WAYS).unwrap_or_default();
        if let Some(oldest) = slots.iter_mut().max_by_key(|slot| written.wrapping_sub(slot.start)) {
            *oldest = Slot { start, tag, tokens };
        }
    }

    /// The value of `written` from where on `words` words may be written without a gap.
    fn reserve(&mut self, words: usize) -> u32 {
        // Starts over before `written` overflows: an old slot would look new again.
        if self.slots.is_empty() || self.written as usize > u32::MAX as usize - 2 * WORDS {
            self.slots = vec![Slot::default(); SLOTS];
            self.ring = Vec::with_capacity(WORDS);
            self.written = 0;
        }
        let left = WORDS - self.written as usize % WORDS;
        let skipped = if left < words { left } else { 0 };
        let start = self.written + skipped as u32;
        self.written = start + words as u32;
        start
    }

    /// Whether the bytes that were written from `start` on are those of `piece`. The length is already compared.
    #[inline]
    fn holds(&self, piece: &[u8], start: u32) -> bool {
        let ring = self.ring.get(start as usize % WORDS..).unwrap_or_default();
        let (words, rest) = piece.as_chunks::<WORD>();
        let (stored, last) = ring.split_at_checked(words.len()).unwrap_or_default();
        let same =
            stored.iter().zip(words).all(|(stored, now)| *stored == u64::from_le_bytes(*now));
        same && (rest.is_empty() || last.first() == Some(&word(rest)))
    }
}

/// The first slot of a piece's set, and its tag.
#[inline]
fn set(piece: &[u8], hash: u64) -> (usize, u16) {
    let sets = SLOTS / WAYS;
    // The highest bits of the hash choose the set and the lowest go into the tag, so that they are independent.
    let first = WAYS * (hash >> (u32::BITS - sets.trailing_zeros())) as usize;
    (first, piece.len() as u16 | (hash as u16) << (LONGEST.ilog2() + 1))
}

#[cfg(test)]
mod tests {
    use super::super::hash::hash;
    use super::*;

    fn check(cache: &mut PieceCache, piece: &[u8], expected: Option<usize>) {
        assert_eq!(cache.get(piece, hash(piece)), expected, "{piece:?}");
    }

    #[test]
    fn a_piece_is_found_after_it_was_inserted_and_is_never_taken_for_another() {
        let mut cache = PieceCache::default();
        let longest = [b'x'; LONGEST];
        let pieces =
            [&b"a"[..], b"a\0", b"a\0\0", b"\0", b"abcdefgh", b"abcdefgh\0", longest.as_slice()];
        for (tokens, piece) in pieces.iter().enumerate() {
            check(&mut cache, piece, None);
            cache.insert(piece, hash(piece), tokens);
        }
        for (tokens, piece) in pieces.iter().enumerate() {
            check(&mut cache, piece, Some(tokens));
        }
        let longer = [b'x'; LONGEST + 1];
        cache.insert(&longer, hash(&longer), 7);
        check(&mut cache, &longer, None);
    }

    #[test]
    fn an_overwritten_piece_is_not_found() {
        let mut cache = PieceCache::default();
        let piece = |number: u32| [number.to_le_bytes(); 15].concat();
        let last = WORDS as u32;
        for number in 0..last {
            cache.insert(&piece(number), hash(&piece(number)), number as usize % 1000);
            check(&mut cache, &piece(number), Some(number as usize % 1000));
        }
        let known =
            (0..last).filter(|&number| cache.get(&piece(number), hash(&piece(number))).is_some());
        let fitting = WORDS / piece(0).len().div_ceil(WORD);
        let known: Vec<u32> = known.collect();
        assert!(known.iter().all(|&number| number + fitting as u32 >= last), "{known:?}");
        assert!(known.len() > fitting / 2, "{} of {fitting}", known.len());
        for number in known {
            check(&mut cache, &piece(number), Some(number as usize % 1000));
        }
    }
}
