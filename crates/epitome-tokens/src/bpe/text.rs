//! Characters of a text by position and kind.

use super::class::{Class, Classes};

/// A text, and the kinds of its characters.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    bytes: &'a [u8],
    classes: &'a Classes,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str, classes: &'a Classes) -> Self {
        Self { bytes: text.as_bytes(), classes }
    }

    /// Bytes of the text.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The byte at `at`; 0 behind the end.
    #[inline]
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The bytes at `at`; nothing where there are fewer.
    #[inline(always)]
    pub(super) fn block<const N: usize>(&self, at: usize) -> Option<&'a [u8; N]> {
        self.bytes.get(at..)?.first_chunk()
    }

    /// The bytes from `at` to the end, which are not more than fit, with zeros behind them.
    #[inline]
    pub(super) fn last_block<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut block = [0; N];
        let bytes = self.bytes.get(at..).unwrap_or_default();
        block.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = *byte);
        block
    }

    /// Kind and width of the character that starts at `at`; nothing behind the end.
    #[inline(always)]
    pub(super) fn at(&self, at: usize) -> Option<(Class, usize)> {
        let first = *self.bytes.get(at)?;
        if first < 0x80 {
            return Some((self.classes.of_ascii(first), 1));
        }
        let (code, width) = self.long(at, first);
        Some((self.classes.of(code), width))
    }

    /// Number and width of the character that starts at `at`; nothing behind the end.
    #[inline]
    pub(super) fn code(&self, at: usize) -> Option<(u32, usize)> {
        let first = *self.bytes.get(at)?;
        Some(if first < 0x80 { (u32::from(first), 1) } else { self.long(at, first) })
    }

    /// Number and width of the character that starts at `at`, which is not ASCII, with the byte `first`.
    #[inline(always)]
    fn long(&self, at: usize, first: u8) -> (u32, usize) {
        let six = |more: usize| u32::from(self.byte(at + more) & 0x3F);
        match first {
            0x80..0xE0 => (u32::from(first & 0x1F) << 6 | six(1), 2),
            0xE0..0xF0 => (u32::from(first & 0x0F) << 12 | six(1) << 6 | six(2), 3),
            _ => (u32::from(first & 0x07) << 18 | six(1) << 12 | six(2) << 6 | six(3), 4),
        }
    }

    /// Where the run of characters in `set` ends that starts at `at`.
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

    /// Where the run of ASCII characters in `set` ends that starts at `at`.
    #[inline]
    pub(super) fn ascii_run(&self, at: usize, set: Class) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let is_in = |byte: &&u8| self.classes.of_ascii(**byte).is(set);
        at + rest.iter().take_while(is_in).count()
    }

    /// Where the run of ASCII letters ends that starts at `at`.
    #[inline]
    pub(super) fn ascii_letters(&self, at: usize) -> usize {
        self.ascii_run(at, Class::LETTER)
    }
}
