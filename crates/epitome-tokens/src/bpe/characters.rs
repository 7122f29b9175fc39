//! What the tokens of a vocabulary do to characters.
//!
//! Merging makes a token across every border that is merged across. So two characters that no token has side by
//! side are never merged: what is left of their border and what is right of it are merged as if they were pieces
//! of their own. Scripts with thousands of characters have few neighbours that a vocabulary knows: what is left
//! of a long piece is short, and comes again and again.
//!
//! And merges come in the order of ranks. Where every token that has but a part of a character, and reaches out of
//! it, comes after the character itself, that is whole before anything of it is merged with others: merging may
//! start from the character instead of its bytes.

use super::merges::{Merges, NONE};
use super::merging::Merging;
use super::tokens::Tokens;
use super::vocabulary::{BYTES, in_stretches};

/// The bits of a set of pairs of characters: 32 kB, of which the vocabularies in use set one in twenty.
const BITS: usize = 1 << 18;
/// Borders that are told from each other, by the byte before them and six bits of the one behind.
const TEARS: usize = BYTES << 6;
/// The first character of those that are looked at in pairs. Scripts below it have few letters, and tokens for
/// most pairs of them.
const WIDE: u32 = 0x1000;
/// The first byte of the first of them: in no other character is one that is not less.
const WIDE_BYTE: u8 = 0xE1;
/// The first character of those whose own tokens are not kept: behind it there are few alphabets.
const LETTERS: u32 = 0x2000;

/// Borders of characters, and characters that are tokens.
#[derive(Clone, Debug)]
pub(super) struct Characters {
    /// A bit for the hash of every two characters that are side by side in a token, one of them wide.
    joined: Vec<u64>,
    /// By border of characters.
    tears: Vec<Tear>,
    /// Every character below [`LETTERS`].
    letters: Vec<Letter>,
}

/// The token that a character is.
#[derive(Clone, Copy, Debug)]
struct Letter {
    /// Its rank; [`NONE`] where there is none.
    rank: u32,
    /// Its seat, once it has one.
    seat: u32,
}

impl Letter {
    const NONE: Self = Self { rank: NONE, seat: NONE };
}

/// Tokens that reach across a border and have but a part of a character there: the lowest rank of any.
#[derive(Clone, Copy, Debug)]
struct Tear {
    /// A part of the character before the border.
    before: u32,
    /// A part of the one behind it.
    behind: u32,
}

impl Tear {
    const NONE: Self = Self { before: NONE, behind: NONE };

    #[inline]
    fn is_none(self) -> bool {
        self.before.min(self.behind) == NONE
    }
}

impl Characters {
    /// Those of a vocabulary, without seats. Waits for `rest` after every stretch of work.
    pub(super) async fn new(
        singles: &[u32; BYTES],
        merges: &Merges,
        tokens: &Tokens,
        rest: &mut impl AsyncFnMut(),
    ) -> Self {
        let letters = vec![Letter::NONE; LETTERS as usize];
        let (joined, tears) = (vec![0; BITS / 64], vec![Tear::NONE; TEARS]);
        let mut characters = Self { joined, tears, letters };
        in_stretches(0..tokens.len(), rest, &mut |ranks| {
            for rank in ranks.start as u32..ranks.end as u32 {
                characters.learn(rank, tokens.token(rank));
            }
        })
        .await;
        let mut merging = Merging::default();
        in_stretches(0..LETTERS as usize, rest, &mut |codes| {
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

    /// Gives characters the seats of their tokens, which come by rank.
    pub(super) fn sit(&mut self, seats: &[u32]) {
        for letter in &mut self.letters {
            letter.seat = seats.get(letter.rank as usize).copied().unwrap_or(NONE);
        }
    }

    fn learn(&mut self, rank: u32, token: &[u8]) {
        let mut before: Option<(u32, usize)> = None;
        let mut at = 0;
        while at < token.len() {
            let behind = character(token, at);
            if at > 0
                && let Some(tear) = self.tears.get_mut(border(token, at))
            {
                tear.before = tear.before.min(if before.is_none() { rank } else { NONE });
                tear.behind = tear.behind.min(if behind.is_none() { rank } else { NONE });
            }
            if let (Some((left, _)), Some((right, _))) = (before, behind)
                && left.max(right) >= WIDE
            {
                set(&mut self.joined, pair(left, right));
            }
            at += behind.map_or(1, |(_, width)| width);
            before = behind;
        }
    }

    /// Calls `part` for every part of `piece`, from the first to the last, that no token reaches out of. They
    /// are not empty, and together they are the piece, which is whole characters.
    #[inline]
    pub(super) fn split<'a>(&self, piece: &'a [u8], mut part: impl FnMut(&'a [u8])) {
        if piece.iter().fold(0, |most, &byte| byte.max(most)) < WIDE_BYTE {
            return part(piece);
        }
        let (mut start, mut at, mut left) = (0, 0, None);
        while let Some((right, width)) = character(piece, at) {
            if let Some(left) = left
                && right.max(left) >= WIDE
                && !is_set(&self.joined, pair(left, right))
                && self.tear(piece, at).is_none()
            {
                part(piece.get(start..at).unwrap_or_default());
                start = at;
            }
            left = Some(right);
            at += width;
        }
        part(piece.get(start..).unwrap_or_default());
    }

    /// Calls `start` with what merging `piece` may start from, from the first to the last: seats of characters, and
    /// of single bytes where a token may have them without the rest of their character.
    #[inline]
    pub(super) fn starts(&self, piece: &[u8], mut start: impl FnMut(u32)) {
        if piece.is_ascii() {
            return piece.iter().for_each(|&byte| start(u32::from(byte)));
        }
        let (mut at, mut before) = (0, NONE);
        while let Some((code, width)) = character(piece, at) {
            let end = at + width;
            let tear = if end < piece.len() { self.tear(piece, end) } else { Tear::NONE };
            let letter = self.letters.get(code as usize).copied().unwrap_or(Letter::NONE);
            if letter.rank < before && letter.rank < tear.before {
                start(letter.seat);
            } else {
                let bytes = piece.get(at..end).unwrap_or_default();
                bytes.iter().for_each(|&byte| start(u32::from(byte)));
            }
            (at, before) = (end, tear.behind);
        }
    }

    /// What tears the characters at the border at `at`, or another one that is not told from it.
    #[inline]
    fn tear(&self, bytes: &[u8], at: usize) -> Tear {
        self.tears.get(border(bytes, at)).copied().unwrap_or(Tear { before: 0, behind: 0 })
    }
}

/// Number and width of the character at `at`; nothing where there is none, or not all of it.
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

/// The bit of two characters.
#[inline]
fn pair(left: u32, right: u32) -> usize {
    let both = u64::from(left) << 32 | u64::from(right);
    (both.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - BITS.trailing_zeros())) as usize
}

/// The place of a border by the bytes before and behind it.
#[inline]
fn border(bytes: &[u8], at: usize) -> usize {
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
