//! A text by byte position: the class and the width of each character, and runs of one class.

use super::class::{Class, Classes};

/// A text with the table of character classes.
// Copied, not borrowed: two pointers in registers, which the pre-tokenizers pass down to inlined functions.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    classes: &'a Classes,
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str, classes: &'a Classes) -> Self {
        Self { bytes: text.as_bytes(), classes }
    }

    /// The length of the text in bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The byte at `at`; 0 after the end.
    // No pattern matches a zero byte specially, so callers can look ahead without a check for the end.
    #[inline]
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The `N` bytes at `at`; `None` if there are fewer.
    #[inline(always)]
    pub(super) fn block<const N: usize>(&self, at: usize) -> Option<&'a [u8; N]> {
        self.bytes.get(at..)?.first_chunk()
    }

    /// The bytes from `at` to the end, at most `N`, with zeros after them.
    #[inline]
    pub(super) fn last_block<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut block = [0; N];
        let bytes = self.bytes.get(at..).unwrap_or_default();
        block.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = *byte);
        block
    }

    /// The class and the width of the character that starts at `at`; `None` at the end.
    #[inline(always)]
    pub(super) fn at(&self, at: usize) -> Option<(Class, usize)> {
        let first = *self.bytes.get(at)?;
        if first < 0x80 {
            return Some((self.classes.of_ascii(first), 1));
        }
        let (code, width) = self.long(at, first);
        Some((self.classes.of(code), width))
    }

    /// The code point and the width of the character that starts at `at`; `None` at the end.
    #[inline]
    pub(super) fn code(&self, at: usize) -> Option<(u32, usize)> {
        let first = *self.bytes.get(at)?;
        Some(if first < 0x80 { (u32::from(first), 1) } else { self.long(at, first) })
    }

    /// The code point and the width of the character that starts at `at` with the byte `first`, and is not ASCII.
    // Decoded without checks: the text is a `str`, so its bytes are valid UTF-8.
    #[inline(always)]
    fn long(&self, at: usize, first: u8) -> (u32, usize) {
        let six = |more: usize| u32::from(self.byte(at + more) & 0x3F);
        match first {
            0x80..0xE0 => (u32::from(first & 0x1F) << 6 | six(1), 2),
            0xE0..0xF0 => (u32::from(first & 0x0F) << 12 | six(1) << 6 | six(2), 3),
            _ => (u32::from(first & 0x07) << 18 | six(1) << 12 | six(2) << 6 | six(3), 4),
        }
    }

    /// The end of the run of characters of the classes `set` that starts at `at`.
    #[inline]
    pub(super) fn run(&self, mut at: usize, set: Class) -> usize {
        loop {
            at = self.ascii_run(at, set);
            match self.at(at) {
                Some((class, width)) if class.is(set) => at += width,
                _ => return at,
            }
        }
    }

    /// The end of the run of ASCII characters of the classes `set` that starts at `at`.
    #[inline]
    pub(super) fn ascii_run(&self, at: usize, set: Class) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let is_in = |byte: &&u8| self.classes.of_ascii(**byte).is(set);
        at + rest.iter().take_while(is_in).count()
    }

    /// The end of the run of ASCII letters that starts at `at`.
    #[inline]
    pub(super) fn ascii_letters(&self, at: usize) -> usize {
        self.ascii_run(at, Class::LETTER)
    }
}
