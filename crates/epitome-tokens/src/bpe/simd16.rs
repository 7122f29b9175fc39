//! Sixteen characters at once, by the vector instructions of WebAssembly. Answers what [`super::eight`] does.

use std::arch::wasm32::{
    u8x16_bitmask, u8x16_eq, u8x16_gt, u8x16_lt, u8x16_splat, u8x16_sub, u64x2, v128, v128_and,
    v128_andnot, v128_or,
};

/// Sixteen bytes of text.
#[derive(Clone, Copy)]
pub(super) struct Sixteen(v128);

/// A set of sixteen bytes: all bits of each that is in it; at least the highest.
#[derive(Clone, Copy)]
pub(super) struct Flags(v128);

impl Sixteen {
    pub(super) const BYTES: usize = 16;

    #[inline(always)]
    pub(super) fn new(bytes: [u8; Self::BYTES]) -> Self {
        let both = u128::from_le_bytes(bytes);
        Self(u64x2(both as u64, (both >> 64) as u64))
    }

    /// Bytes that are not ASCII.
    #[inline(always)]
    pub(super) fn wide(self) -> Flags {
        Flags(self.0)
    }

    #[inline(always)]
    pub(super) fn letters(self) -> Flags {
        Self(v128_or(self.0, u8x16_splat(0x20))).between(b'a', b'z')
    }

    /// The small ones of some letters.
    #[inline(always)]
    pub(super) fn small(self, letters: Flags) -> Flags {
        Flags(v128_and(letters.0, u8x16_gt(self.0, u8x16_splat(b'Z'))))
    }

    /// Bytes that are `byte`.
    #[inline(always)]
    pub(super) fn is(self, byte: u8) -> Flags {
        Flags(u8x16_eq(self.0, u8x16_splat(byte)))
    }

    /// Bytes from `first` to `last`.
    #[inline(always)]
    pub(super) fn between(self, first: u8, last: u8) -> Flags {
        Flags(u8x16_lt(u8x16_sub(self.0, u8x16_splat(first)), u8x16_splat(last - first + 1)))
    }
}

impl Flags {
    #[inline(always)]
    pub(super) fn or(self, other: Self) -> Self {
        Self(v128_or(self.0, other.0))
    }

    #[inline(always)]
    pub(super) fn without(self, other: Self) -> Self {
        Self(v128_andnot(self.0, other.0))
    }

    /// A bit for each byte, that of the first one lowest.
    #[inline(always)]
    pub(super) fn bits(self) -> u64 {
        u64::from(u8x16_bitmask(self.0))
    }
}
