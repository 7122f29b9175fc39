//! Choices that bytes determine: the same bytes always give the same choices.

/// The bytes that were not used for a choice yet. After the last byte, every choice is the first alternative.
pub(crate) struct Choices<'a> {
    rest: &'a [u8],
}

impl<'a> Choices<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *first
    }

    /// A number from 0 to `bound` - 1, and 0 if `bound` is 0. Takes no byte for a bound of 1.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        match bound {
            0 | 1 => 0,
            2..=256 => usize::from(self.byte()) % bound,
            _ => usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % bound,
        }
    }

    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// True for one of `times` equally likely choices.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        // After the last byte every choice is 0. It gives false here, which ends the loops that ask for more.
        self.below(times) == times - 1
    }

    /// Up to `most` bytes; a choice before them says how many.
    pub(crate) fn bytes(&mut self, most: usize) -> &'a [u8] {
        let length = self.below(most + 1).min(self.rest.len());
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// Up to `most` bytes as text.
    pub(crate) fn text(&mut self, most: usize) -> String {
        String::from_utf8_lossy(self.bytes(most)).into_owned()
    }

    /// All that is left, as bytes.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// All that is left, as text.
    pub(crate) fn rest_as_text(&mut self) -> String {
        String::from_utf8_lossy(self.rest()).into_owned()
    }
}
