//! What the tokens of a vocabulary do to characters: which characters they join, and which they split.
//!
//! It answers two questions that make merging a piece faster.
//!
//! 1. *Where can a piece be split into parts that are merged alone?* A merge across a boundary makes a token that
//!    contains the boundary. If no token contains two characters next to each other, the boundary between them is never
//!    merged across, and the text on each side is merged as if it were a piece of its own. In scripts with thousands of
//!    characters most pairs are in no token. So a long piece splits into short parts, which repeat and are found in the
//!    piece cache.
//! 2. *Can merging start from whole characters instead of bytes?* Merges come in the order of ranks. If every token
//!    that crosses a boundary with only a part of a character has a higher rank than that character, the character is
//!    whole before any of its bytes is merged with others.

use super::batches::in_batches;
use super::hash::MULTIPLIER;
use super::merges::Merges;
use super::merging::Merging;
use super::rank::{BYTES, NONE};
use super::token_bytes::TokenBytes;

/// Bits of the set of joined pairs: 32 kB. The vocabularies in use set one bit in twenty.
const BITS: usize = 1 << 18;
/// Boundaries that are distinguished: by the byte before them, and six bits of the byte after them.
// The six low bits of the byte after it distinguish continuation bytes, and nearly all first bytes.
const CROSSINGS: usize = BYTES << 6;
/// The first character that is looked up in pairs. Scripts below it have few letters, and tokens for most pairs of
/// them.
const WIDE: u32 = 0x1000;
/// The first byte of that character. Characters below it have only lower bytes.
const WIDE_BYTE: u8 = 0xE1;
/// The end of the characters whose tokens are kept. Few alphabets come after it, and a table of all characters would be
/// large.
const LETTERS: u32 = 0x2000;

/// The boundaries of characters that tokens contain, and the characters that are tokens.
#[derive(Clone, Debug)]
pub(super) struct Characters {
    /// A bit for the hash of every two characters that are next to each other in a token, if one of them is wide.
    // Two pairs may share a bit. Then a piece is not split where it could be, and the count stays exact.
    joined: Vec<u64>,
    /// By the boundary's bytes.
    crossings: Vec<Crossing>,
    /// By character, below [`LETTERS`].
    letters: Vec<Letter>,
}

/// The token that a character is.
#[derive(Clone, Copy, Debug)]
struct Letter {
    /// [`NONE`] if the character is not a token.
    rank: u32,
    /// Set by [`Characters::set_token_indexes`].
    token_index: u32,
}

impl Letter {
    const NONE: Self = Self { rank: NONE, token_index: NONE };
}

/// Tokens that cross a boundary of characters and have only a part of one of the two characters: the lowest rank.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    /// Of the tokens with a part of the character before the boundary; [`NONE`] if there are none.
    part_before: u32,
    /// Of the tokens with a part of the character after the boundary; [`NONE`] if there are none.
    part_after: u32,
}

impl Crossing {
    const NONE: Self = Self { part_before: NONE, part_after: NONE };

    #[inline]
    fn is_none(self) -> bool {
        self.part_before.min(self.part_after) == NONE
    }
}

impl Characters {
    /// Analyzes the tokens of a vocabulary. Token indexes are not set yet. Awaits `pause` after every batch.
    pub(super) async fn new(
        singles: &[u32; BYTES],
        merges: &Merges,
        tokens: &TokenBytes,
        pause: &mut impl AsyncFnMut(),
    ) -> Self {
        let letters = vec![Letter::NONE; LETTERS as usize];
        let (joined, crossings) = (vec![0; BITS / 64], vec![Crossing::NONE; CROSSINGS]);
        let mut characters = Self { joined, crossings, letters };
        in_batches(0..tokens.len(), pause, &mut |ranks| {
            for rank in ranks.start as u32..ranks.end as u32 {
                characters.learn(rank, tokens.token(rank));
            }
        })
        .await;
        let mut merging = Merging::default();
        in_batches(0..LETTERS as usize, pause, &mut |codes| {
            for code in codes {
                let letter = char::from_u32(code as u32).unwrap_or_default();
                let letter =
                    merging.ranks(singles, merges, letter.encode_utf8(&mut [0; 4]).as_bytes());
                if let [rank] = *letter
                    && let Some(letter) = characters.letters.get_mut(code)
                {
                    letter.rank = rank;
                }
            }
        })
        .await;
        characters
    }

    /// Sets the token indexes of the characters. `indexes` is by rank.
    pub(super) fn set_token_indexes(&mut self, indexes: &[u32]) {
        for letter in &mut self.letters {
            letter.token_index = indexes.get(letter.rank as usize).copied().unwrap_or(NONE);
        }
    }

    /// Adds what one token joins and splits.
    fn learn(&mut self, rank: u32, token: &[u8]) {
        let mut before: Option<(u32, usize)> = None;
        let mut at = 0;
        while at < token.len() {
            // `None` inside a character that the token has only a part of.
            let after = character(token, at);
            if at > 0
                && let Some(crossing) = self.crossings.get_mut(boundary(token, at))
            {
                crossing.part_before =
                    crossing.part_before.min(if before.is_none() { rank } else { NONE });
                crossing.part_after =
                    crossing.part_after.min(if after.is_none() { rank } else { NONE });
            }
            if let (Some((left, _)), Some((right, _))) = (before, after)
                && left.max(right) >= WIDE
            {
                set(&mut self.joined, pair(left, right));
            }
            at += after.map_or(1, |(_, width)| width);
            before = after;
        }
    }

    /// Splits `piece` where no token joins two characters, and calls `part` for each part, in order. `piece` consists
    /// of whole characters. Parts are not empty, and together they are the piece.
    #[inline]
    pub(super) fn split<'a>(&self, piece: &'a [u8], mut part: impl FnMut(&'a [u8])) {
        // Most pieces have no wide character. A maximum over all bytes has no branch per byte, and is vectorized.
        if piece.iter().fold(0, |most, &byte| byte.max(most)) < WIDE_BYTE {
            return part(piece);
        }
        let (mut start, mut at, mut left) = (0, 0, None);
        while let Some((right, width)) = character(piece, at) {
            if let Some(left) = left
                && right.max(left) >= WIDE
                && !is_set(&self.joined, pair(left, right))
                && self.crossing(piece, at).is_none()
            {
                part(piece.get(start..at).unwrap_or_default());
                start = at;
            }
            left = Some(right);
            at += width;
        }
        part(piece.get(start..).unwrap_or_default());
    }

    /// Calls `start` with the token index of each part that merging `piece` may start from, in order: a whole
    /// character, or each byte of a character that a token may have a part of.
    #[inline]
    pub(super) fn starts(&self, piece: &[u8], mut start: impl FnMut(u32)) {
        if piece.is_ascii() {
            return piece.iter().for_each(|&byte| start(u32::from(byte)));
        }
        let (mut at, mut before) = (0, NONE);
        while let Some((code, width)) = character(piece, at) {
            let end = at + width;
            let crossing =
                if end < piece.len() { self.crossing(piece, end) } else { Crossing::NONE };
            let letter = self.letters.get(code as usize).copied().unwrap_or(Letter::NONE);
            // The character is a token, and is merged before any token that would split it at its start or its end.
            if letter.rank < before && letter.rank < crossing.part_before {
                start(letter.token_index);
            } else {
                let bytes = piece.get(at..end).unwrap_or_default();
                bytes.iter().for_each(|&byte| start(u32::from(byte)));
            }
            (at, before) = (end, crossing.part_after);
        }
    }

    /// The tokens that cross the boundary at `at`, or any boundary with the same number.
    // Boundaries that share a number make a piece start from more bytes than necessary, or split less often. The count
    // stays exact.
    #[inline]
    fn crossing(&self, bytes: &[u8], at: usize) -> Crossing {
        self.crossings
            .get(boundary(bytes, at))
            .copied()
            .unwrap_or(Crossing { part_before: 0, part_after: 0 })
    }
}

/// The code point and the width of the character at `at`; `None` if no whole character starts there.
#[inline]
pub(super) fn character(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let rest = bytes.get(at..)?;
    let six = |byte: u8| (byte & 0xC0 == 0x80).then_some(u32::from(byte & 0x3F));
    match *rest {
        [one @ 0..0x80, ..] => Some((u32::from(one), 1)),
        [one @ 0xC0..0xE0, two, ..] => Some((u32::from(one & 0x1F) << 6 | six(two)?, 2)),
        [one @ 0xE0..0xF0, two, three, ..] => {
            Some((u32::from(one & 0x0F) << 12 | six(two)? << 6 | six(three)?, 3))
        }
        [one @ 0xF0..=0xFF, two, three, four, ..] => {
            let code =
                u32::from(one & 0x07) << 18 | six(two)? << 12 | six(three)? << 6 | six(four)?;
            Some((code, 4))
        }
        _ => None,
    }
}

/// The bit of two characters in the set of joined pairs.
#[inline]
fn pair(left: u32, right: u32) -> usize {
    let both = u64::from(left) << 32 | u64::from(right);
    (both.wrapping_mul(MULTIPLIER) >> (u64::BITS - BITS.trailing_zeros())) as usize
}

/// The number of a boundary, by the bytes before and after it.
#[inline]
fn boundary(bytes: &[u8], at: usize) -> usize {
    let byte = |at: usize| bytes.get(at).map_or(0, |&byte| usize::from(byte));
    byte(at.wrapping_sub(1)) << 6 | byte(at) & 0x3F
}

#[inline]
fn set(bits: &mut [u64], at: usize) {
    if let Some(word) = bits.get_mut(at / 64) {
        *word |= 1 << (at % 64);
    }
}

#[inline]
fn is_set(bits: &[u64], at: usize) -> bool {
    bits.get(at / 64).is_none_or(|word| word >> (at % 64) & 1 == 1)
}
