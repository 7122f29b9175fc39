//! Sixteen characters at once, with the vector instructions of WebAssembly: the same operations as `swar8.rs`.
//!
//! Only compiled for wasm with `simd128`, the target that users count on. All other targets use `swar8.rs`.

use std::arch::wasm32::{
    u8x16_bitmask, u8x16_eq, u8x16_gt, u8x16_lt, u8x16_splat, u8x16_sub, u64x2, v128, v128_and,
    v128_andnot, v128_or,
};

/// Sixteen bytes of text.
#[derive(Clone, Copy)]
pub(super) struct Simd16(v128);

/// A set of bytes: the highest bit of each byte that is in it. The other bits may have any value.
#[derive(Clone, Copy)]
pub(super) struct Flags(v128);

impl Simd16 {
    pub(super) const BYTES: usize = 16;

    #[inline(always)]
    pub(super) fn new(bytes: [u8; Self::BYTES]) -> Self {
        // Through a number and not through a pointer: `v128_load` is unsafe, and this compiles to the same instruction.
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

    /// The small letters among `letters`.
    #[inline(always)]
    pub(super) fn small(self, letters: Flags) -> Flags {
        Flags(v128_and(letters.0, u8x16_gt(self.0, u8x16_splat(b'Z'))))
    }

    /// Bytes that are `byte`.
    #[inline(always)]
    pub(super) fn is(self, byte: u8) -> Flags {
        Flags(u8x16_eq(self.0, u8x16_splat(byte)))
    }

    /// Bytes from `first` to `last`, both included.
    #[inline(always)]
    pub(super) fn between(self, first: u8, last: u8) -> Flags {
        // One comparison instead of two: bytes below `first` wrap around to large numbers.
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

    /// A bit for each byte, the first byte lowest.
    #[inline(always)]
    pub(super) fn bits(self) -> u64 {
        u64::from(u8x16_bitmask(self.0))
    }
}
