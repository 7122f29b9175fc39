//! The trait of everything that counts tokens, exactly or by an estimate.

use std::any::Any;
use std::sync::Arc;

use super::TokenOverhead;

/// Counts tokens for one family of models: those of texts, and by its [`TokenOverhead`] everything else.
///
/// `epitome-tokens` has implementations; an app may use its own.
pub trait Tokenizer {
    /// Tokens of `text`, without any message overhead. Linear in the text. Must not panic. The text of a
    /// special token counts as plain text.
    fn count(&self, text: &str) -> u32;

    /// Half-width of the relative error to expect over a conversation: 0.1 means ±10 %.
    /// 0 means that the count is exact.
    fn error_band(&self) -> f64;

    /// The tokens that the provider of these models counts in addition to texts.
    fn overhead(&self) -> TokenOverhead {
        TokenOverhead::DEFAULT
    }

    /// Where a long text can be divided: an offset in bytes, `from` or greater, so that the tokens of both parts add up to those of
    /// the text, for an estimate within its error. A very long message is counted by such parts, so that a page can be drawn between
    /// them. The end of the text, which leaves it whole, if there is no such place or none that is found in constant time.
    fn divide(&self, text: &str, from: usize) -> usize {
        let _ = from;
        text.len()
    }

    /// Does a step of [`Self::count`] for a long text, so that a page can be drawn between two steps. The tokens,
    /// once they are known. The text is the same in each call; `state` is new for another text. Without steps, the text is counted
    /// at once.
    fn count_on(&self, text: &str, state: &mut CountState) -> Option<u32> {
        let _ = state;
        Some(self.count(text))
    }
}

/// What a tokenizer knows of a text that it counts in steps; see [`Tokenizer::count_on`].
#[derive(Debug, Default)]
pub struct CountState(Option<Box<dyn Any + Send + Sync>>);

impl CountState {
    /// The tokenizer's own state, which begins as `begin` makes it.
    pub fn get<T: Any + Send + Sync>(&mut self, begin: impl FnOnce() -> T) -> Option<&mut T> {
        self.0.get_or_insert_with(|| Box::new(begin())).downcast_mut()
    }
}

/// A tokenizer that several conversations share.
impl<T: Tokenizer + ?Sized> Tokenizer for Arc<T> {
    fn count(&self, text: &str) -> u32 {
        (**self).count(text)
    }

    fn error_band(&self) -> f64 {
        (**self).error_band()
    }

    fn overhead(&self) -> TokenOverhead {
        (**self).overhead()
    }

    fn divide(&self, text: &str, from: usize) -> usize {
        (**self).divide(text, from)
    }

    fn count_on(&self, text: &str, state: &mut CountState) -> Option<u32> {
        (**self).count_on(text, state)
    }
}

/// A tokenizer with the overhead of another provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithOverhead<T> {
    /// Counts texts.
    pub tokenizer: T,
    /// The tokens of everything else.
    pub overhead: TokenOverhead,
}

impl<T: Tokenizer> Tokenizer for WithOverhead<T> {
    fn count(&self, text: &str) -> u32 {
        self.tokenizer.count(text)
    }

    fn error_band(&self) -> f64 {
        self.tokenizer.error_band()
    }

    fn overhead(&self) -> TokenOverhead {
        self.overhead
    }

    fn divide(&self, text: &str, from: usize) -> usize {
        self.tokenizer.divide(text, from)
    }

    fn count_on(&self, text: &str, state: &mut CountState) -> Option<u32> {
        self.tokenizer.count_on(text, state)
    }
}

/// Characters divided by a constant, rounded up: the cheapest estimate.
///
/// With 4 characters per token, the average error per message is 29 % over several kinds of text in Latin
/// script, and far more in other scripts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CharactersPer(
    /// Characters per token.
    pub u32,
);

impl CharactersPer {
    /// Tokens of a text given as UTF-8 bytes. Never panics; the count of bytes that are not UTF-8 means nothing.
    pub fn count_utf8(self, text: &[u8]) -> u32 {
        // Every character has exactly one byte that is not a continuation byte.
        let characters = text.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        u32::try_from(characters).unwrap_or(u32::MAX).div_ceil(self.0.max(1))
    }
}

impl Tokenizer for CharactersPer {
    fn count(&self, text: &str) -> u32 {
        self.count_utf8(text.as_bytes())
    }

    fn error_band(&self) -> f64 {
        0.6
    }
}
