//! How many tokens a piece had the last time: the same names and numbers come again and again.

use super::tokens::leading;

/// Pieces it has room for; a power of two.
const SLOTS: usize = 1 << 13;
/// Longest piece that is kept, in bytes.
const LONGEST: usize = 32;

/// A small memory of pieces, each in the only slot it can have. What it answers is always right: pieces are
/// kept whole.
#[derive(Debug, Default)]
pub(super) struct Recall {
    /// None until something is kept.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Slot {
    /// The bytes of the piece, with zeros behind it.
    bytes: [u64; 4],
    /// How many those are; 0 where there is no piece.
    length: u32,
    tokens: u32,
}

impl Recall {
    /// How many tokens `piece` has, as `count` says: asked where it is not known.
    #[inline]
    pub(super) fn of(&mut self, piece: &[u8], count: impl FnOnce() -> usize) -> usize {
        let Some(bytes) = padded(piece) else { return count() };
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, Slot::default());
        }
        let mix = |mixed: u64, eight: &u64| {
            (mixed.rotate_left(29) ^ eight).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        let mixed = bytes.iter().fold(0, mix);
        let place = (mixed >> (u64::BITS - SLOTS.trailing_zeros())) as usize;
        let length = piece.len() as u32;
        let Some(slot) = self.slots.get_mut(place) else { return count() };
        if slot.bytes != bytes || slot.length != length {
            *slot = Slot { bytes, length, tokens: count() as u32 };
        }
        slot.tokens as usize
    }
}

/// The bytes of a piece that is not too long to be kept.
#[inline]
fn padded(piece: &[u8]) -> Option<[u64; 4]> {
    if piece.len() > LONGEST {
        return None;
    }
    let (eights, rest) = piece.as_chunks::<8>();
    let numbers = eights.iter().map(|eight| u64::from_be_bytes(*eight));
    let mut bytes = [0; 4];
    for (slot, number) in bytes.iter_mut().zip(numbers.chain([leading(rest)])) {
        *slot = number;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_counted_once_and_never_taken_for_another() {
        let mut recall = Recall::default();
        let longest = [b'x'; LONGEST];
        let pieces =
            [&b"a"[..], b"a\0", b"a\0\0", b"\0", b"abcdefgh", b"abcdefgh\0", longest.as_slice()];
        for (tokens, piece) in pieces.iter().enumerate() {
            assert_eq!(recall.of(piece, || tokens), tokens);
            assert_eq!(recall.of(piece, || 99), tokens, "{piece:?}");
        }
        let longer = [b'x'; LONGEST + 1];
        assert_eq!(recall.of(&longer, || 7), 7);
        assert_eq!(recall.of(&longer, || 8), 8, "too long to be kept");
    }

    #[test]
    fn many_pieces_push_each_other_out_and_are_counted_anew() {
        let mut recall = Recall::default();
        for round in 0..2 {
            for number in 0..20_000_u32 {
                let piece = number.to_le_bytes();
                assert_eq!(recall.of(&piece, || number as usize), number as usize, "{round}");
            }
        }
    }
}
