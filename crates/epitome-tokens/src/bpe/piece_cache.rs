//! How many tokens a piece had the last time: the same names, numbers and phrases come again and again.

use super::words::{EIGHT, eight};

/// Pieces it has room for; a power of two.
const SLOTS: usize = 1 << 15;
/// Slots that a piece can have, side by side.
const WAYS: usize = 2;
/// Room for their bytes, in eights; a power of two.
const ROOM: usize = 1 << 16;
/// Longest piece that is kept, in bytes.
const LONGEST: usize = 256;

/// A memory of pieces, each in one of two slots; new ones overwrite the oldest. What it answers is always right:
/// pieces are kept whole.
#[derive(Debug, Default)]
pub(super) struct Recall {
    /// None until something is kept.
    slots: Vec<Slot>,
    /// The bytes of the pieces, each from a new eight on, with zeros behind it.
    ring: Vec<u64>,
    /// Eights that have been written, those included that are overwritten by now.
    written: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Eights that had been written before this piece.
    start: u32,
    /// Bytes of the piece, and above them bits of its hash; 0 where there is none. Most that are something else are not
    /// looked at: they are far away in memory.
    mark: u16,
    tokens: u16,
}

impl Recall {
    /// How many tokens `piece` has, where that is known. `hash` is its [`hash`](super::words::hash).
    #[inline]
    pub(super) fn get(&self, piece: &[u8], hash: u64) -> Option<usize> {
        if piece.len() > LONGEST {
            return None;
        }
        let (first, mark) = place(piece, hash);
        let slots = self.slots.get(first..first + WAYS)?;
        let slot = slots.iter().find(|slot| {
            slot.mark == mark && self.age(slot) <= ROOM && self.holds(piece, slot.start)
        })?;
        Some(usize::from(slot.tokens))
    }

    /// Eights that have been written since the piece in a slot.
    #[inline]
    fn age(&self, slot: &Slot) -> usize {
        self.written.wrapping_sub(slot.start) as usize
    }

    /// Notes that `piece` has so many tokens.
    pub(super) fn keep(&mut self, piece: &[u8], hash: u64, tokens: usize) {
        let Ok(tokens) = u16::try_from(tokens) else { return };
        if piece.len() > LONGEST {
            return;
        }
        let eights = piece.len().div_ceil(EIGHT);
        let start = self.make_room(eights);
        let first = start as usize % ROOM;
        // It grows until it is full: what is never written need not be there.
        self.ring.resize(self.ring.len().max(first + eights), 0);
        let ring = self.ring.get_mut(first..).unwrap_or_default();
        for (slot, bytes) in ring.iter_mut().zip(piece.chunks(EIGHT)) {
            *slot = eight(bytes);
        }
        let ((first, mark), written) = (place(piece, hash), self.written);
        let slots = self.slots.get_mut(first..first + WAYS).unwrap_or_default();
        if let Some(oldest) = slots.iter_mut().max_by_key(|slot| written.wrapping_sub(slot.start)) {
            *oldest = Slot { start, mark, tokens };
        }
    }

    /// Where so many eights may be written one behind the other.
    fn make_room(&mut self, eights: usize) -> u32 {
        if self.slots.is_empty() || self.written as usize > u32::MAX as usize - 2 * ROOM {
            self.slots = vec![Slot::default(); SLOTS];
            self.ring = Vec::with_capacity(ROOM);
            self.written = 0;
        }
        let left = ROOM - self.written as usize % ROOM;
        let skipped = if left < eights { left } else { 0 };
        let start = self.written + skipped as u32;
        self.written = start + eights as u32;
        start
    }

    /// Whether the bytes that were written from `start` on are those of `piece`.
    #[inline]
    fn holds(&self, piece: &[u8], start: u32) -> bool {
        let ring = self.ring.get(start as usize % ROOM..).unwrap_or_default();
        let (eights, rest) = piece.as_chunks::<EIGHT>();
        let (kept, last) = ring.split_at_checked(eights.len()).unwrap_or_default();
        let same = kept.iter().zip(eights).all(|(kept, now)| *kept == u64::from_le_bytes(*now));
        same && (rest.is_empty() || last.first() == Some(&eight(rest)))
    }
}

/// The first of the slots that a piece can have, and the mark of those that may be its own.
#[inline]
fn place(piece: &[u8], hash: u64) -> (usize, u16) {
    let sets = SLOTS / WAYS;
    let first = WAYS * (hash >> (u32::BITS - sets.trailing_zeros())) as usize;
    (first, piece.len() as u16 | (hash as u16) << (LONGEST.ilog2() + 1))
}

#[cfg(test)]
mod tests {
    use super::super::words::hash;
    use super::*;

    fn check(recall: &mut Recall, piece: &[u8], expected: Option<usize>) {
        assert_eq!(recall.get(piece, hash(piece)), expected, "{piece:?}");
    }

    #[test]
    fn a_piece_is_known_once_it_was_kept_and_never_taken_for_another() {
        let mut recall = Recall::default();
        let longest = [b'x'; LONGEST];
        let pieces =
            [&b"a"[..], b"a\0", b"a\0\0", b"\0", b"abcdefgh", b"abcdefgh\0", longest.as_slice()];
        for (tokens, piece) in pieces.iter().enumerate() {
            check(&mut recall, piece, None);
            recall.keep(piece, hash(piece), tokens);
        }
        for (tokens, piece) in pieces.iter().enumerate() {
            check(&mut recall, piece, Some(tokens));
        }
        let longer = [b'x'; LONGEST + 1];
        recall.keep(&longer, hash(&longer), 7);
        check(&mut recall, &longer, None);
    }

    #[test]
    fn what_is_overwritten_is_not_known_any_more() {
        let mut recall = Recall::default();
        let piece = |number: u32| [number.to_le_bytes(); 15].concat();
        let last = ROOM as u32;
        for number in 0..last {
            recall.keep(&piece(number), hash(&piece(number)), number as usize % 1000);
            check(&mut recall, &piece(number), Some(number as usize % 1000));
        }
        let known =
            (0..last).filter(|&number| recall.get(&piece(number), hash(&piece(number))).is_some());
        let fitting = ROOM / piece(0).len().div_ceil(EIGHT);
        let known: Vec<u32> = known.collect();
        assert!(known.iter().all(|&number| number + fitting as u32 >= last), "{known:?}");
        assert!(known.len() > fitting / 2, "{} of {fitting}", known.len());
        for number in known {
            check(&mut recall, &piece(number), Some(number as usize % 1000));
        }
    }
}
