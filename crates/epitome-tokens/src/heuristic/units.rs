//! The UTF-16 units of a text in UTF-8 or UTF-16. Nearly every character is one unit, so one table serves both.

use std::ops::ControlFlow;

/// A unit in little-endian order.
pub(super) type Unit = [u8; 2];

/// The highest bit of every byte: set for bytes that are not ASCII.
const HIGH: u64 = 0x8080_8080_8080_8080;
const REPLACEMENT: u32 = 0xFFFD;

/// A source of units.
pub(super) trait Units {
    /// Calls `each` for at most `most` units, until it breaks, and returns what it broke with. Of a character with two
    /// units only the first one is passed.
    fn each<B>(&mut self, most: usize, each: impl FnMut(u16) -> ControlFlow<B>) -> Option<B>;

    /// The character that the last unit, a surrogate, starts. Advances past it.
    fn supplementary(&mut self, surrogate: u16) -> u32;
}

/// UTF-16. An unpaired surrogate is U+FFFD.
pub(super) struct Utf16<'a>(pub(super) &'a [Unit]);

impl Units for Utf16<'_> {
    #[inline(always)]
    fn each<B>(&mut self, most: usize, mut each: impl FnMut(u16) -> ControlFlow<B>) -> Option<B> {
        let (mut next, after) = self.0.split_at_checked(most).unwrap_or((self.0, &[]));
        let mut broke = None;
        while let Some((first, rest)) = next.split_first() {
            next = rest;
            if let ControlFlow::Break(with) = each(u16::from_le_bytes(*first)) {
                broke = Some(with);
                break;
            }
        }
        self.0 = self.0.get(self.0.len() - after.len() - next.len()..).unwrap_or_default();
        broke
    }

    fn supplementary(&mut self, surrogate: u16) -> u32 {
        let Some((low, rest)) = self.0.split_first() else { return REPLACEMENT };
        match (surrogate, u16::from_le_bytes(*low)) {
            (0xD800..0xDC00, low @ 0xDC00..0xE000) => {
                self.0 = rest;
                0x1_0000 + (u32::from(surrogate & 0x3FF) << 10 | u32::from(low & 0x3FF))
            }
            _ => REPLACEMENT,
        }
    }
}

/// UTF-8, up to the next eight ASCII characters in a row, which the caller reads faster. Invalid bytes are some units.
pub(super) struct Utf8<'a>(pub(super) &'a [u8]);

impl Units for Utf8<'_> {
    #[inline(always)]
    fn each<B>(&mut self, most: usize, mut each: impl FnMut(u16) -> ControlFlow<B>) -> Option<B> {
        let mut rest = self.0;
        let mut broke = None;
        for _ in 0..most {
            let word = match rest.first_chunk::<8>() {
                Some(eight) => u64::from_le_bytes(*eight),
                None if rest.is_empty() => break,
                None => padded(rest) | HIGH << 56,
            };
            if word & HIGH == 0 {
                break;
            }
            let lead = Lead::of(word as u8);
            rest = rest.get(usize::from(lead.width)..).unwrap_or_default();
            if let ControlFlow::Break(with) = each(lead.unit(word as u32)) {
                broke = Some(with);
                break;
            }
        }
        self.0 = rest;
        broke
    }

    fn supplementary(&mut self, _: u16) -> u32 {
        let (character, rest) = self.0.split_at_checked(4).unwrap_or((self.0, &[]));
        self.0 = rest;
        let word = padded(character) as u32;
        let tail = |at: u32| word >> (8 * at) & 0x3F;
        (word & 7) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)
    }
}

/// How the first byte of a character decodes.
// A table instead of a branch per width: in mixed text a processor mispredicts those.
#[derive(Clone, Copy)]
struct Lead {
    /// Bytes of the character; 0 if it has two units.
    width: u8,
    /// The right shift that removes the bits of bytes that do not belong to the character.
    beyond: u8,
    bits: u16,
}

static LEADS: [Lead; 256] = leads();

impl Lead {
    #[inline(always)]
    fn of(byte: u8) -> Self {
        LEADS.get(usize::from(byte)).copied().unwrap_or(Self { width: 1, beyond: 12, bits: 0 })
    }

    /// The first unit of the character at the start of four bytes.
    #[inline(always)]
    fn unit(self, word: u32) -> u16 {
        let bits = u32::from(self.bits) << 12 | word >> 2 & 0xFC0 | word >> 16 & 0x3F;
        bits.wrapping_shr(u32::from(self.beyond)) as u16
    }
}

const fn leads() -> [Lead; 256] {
    let mut table = [Lead { width: 1, beyond: 12, bits: 0 }; 256];
    let (mut byte, mut rest) = (0_u8, table.as_mut_slice());
    while let Some((first, after)) = rest.split_first_mut() {
        *first = match byte {
            0..0xC0 => Lead { width: 1, beyond: 12, bits: byte as u16 & 0x7F },
            0xC0..0xE0 => Lead { width: 2, beyond: 6, bits: byte as u16 & 0x1F },
            0xE0..0xF0 => Lead { width: 3, beyond: 0, bits: byte as u16 & 0xF },
            _ => Lead { width: 0, beyond: 12, bits: 0xD800 },
        };
        rest = after;
        byte = byte.wrapping_add(1);
    }
    table
}

/// Fewer than eight bytes as a number, with zeros after them.
fn padded(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// The ASCII prefix of a text.
#[inline(always)]
pub(super) fn ascii_run(text: &[u8]) -> &[u8] {
    let mut run = 0;
    while let Some(eight) = text.get(run..).and_then(|rest| rest.first_chunk::<8>()) {
        let high = u64::from_le_bytes(*eight) & HIGH;
        if high != 0 {
            run += high.trailing_zeros() as usize / 8;
            return text.get(..run).unwrap_or_default();
        }
        run += 8;
    }
    while text.get(run).is_some_and(u8::is_ascii) {
        run += 1;
    }
    text.get(..run).unwrap_or_default()
}
