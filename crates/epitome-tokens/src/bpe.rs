//! Exact counts of a byte-pair encoding, from a vocabulary that is loaded when it is needed.

mod class;
mod cover;
mod hugging_face;
mod merges;
mod packed;
mod prefix;
mod scan;
mod shard;
mod splitter;
mod vocabulary;
mod words;

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use class::Classes;
use cover::Cover;
use epitome::meter::Tokenizer;
use epitome::policy::Encoding;
pub use hugging_face::{TokenizerJson, TokenizerJsonError};
pub use packed::VocabularyError;
pub use shard::join_shards;
use splitter::Splitter;
use vocabulary::Vocabulary;

/// Longer pieces are seldom one token, and those that are come out as one all the same.
const LONGEST_WORD: usize = 24;

/// Counts tokens exactly as a byte-pair encoding does: `o200k_base`, `cl100k_base`.
///
/// Text is cut into pieces as the encoding's regular expression does, and each piece is one token, or
/// encoded. Both take time linear in the text, whatever it is. The text of special tokens is plain text.
///
/// Holds about 11 MB for `o200k_base`, and is read-only: one serves every conversation.
#[derive(Clone, Debug)]
pub struct BytePairs {
    splitter: Splitter,
    classes: Classes,
    vocabulary: Vocabulary,
}

impl BytePairs {
    /// Reads a packed vocabulary, a file that `cargo xtask vocab` has written. Takes a few
    /// tens of milliseconds for 200,000 tokens.
    pub fn read(file: impl AsRef<[u8]>) -> Result<Self, VocabularyError> {
        at_once(Self::read_in_stretches(file, async || {}))
    }

    /// Reads a packed vocabulary, and waits for `rest` after every millisecond's work or so: where a long
    /// stretch would keep a page from being drawn, the host may pause there. Lets go of the file early.
    pub async fn read_in_stretches(
        file: impl AsRef<[u8]>,
        mut rest: impl AsyncFnMut(),
    ) -> Result<Self, VocabularyError> {
        let (splitter, vocabulary) = packed::read(file, &mut rest).await?;
        Ok(Self { splitter, classes: Classes::new(), vocabulary })
    }

    /// The encoding that this is.
    pub fn encoding(&self) -> Encoding {
        self.splitter.encoding()
    }

    /// Tokens of UTF-8 text that comes as bytes. What is no UTF-8 counts as the replacement characters
    /// that a decoder would put there.
    pub fn count_utf8(&self, bytes: &[u8]) -> u32 {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.count(text),
            Err(_) => self.count(&String::from_utf8_lossy(bytes)),
        }
    }

    /// The numbers of the tokens of `text`, in order.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut numbers = Vec::new();
        let mut cover = Cover::default();
        let prefixes = &self.vocabulary.prefixes;
        self.splitter.split(text, &self.classes, |start, end| {
            let piece = text.as_bytes().get(start..end).unwrap_or_default();
            let places = cover.of(&self.vocabulary, piece);
            numbers.extend(places.iter().map(|&place| prefixes.rank(place)));
        });
        numbers
    }
}

/// What a future comes to that waits for nothing.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return result;
        }
    }
}

impl Vocabulary {
    /// Tokens of the piece of `text` from `start` to `end`.
    #[inline]
    fn count(&self, cover: &mut Cover, text: &str, start: usize, end: usize) -> usize {
        if self.is_word(text, start, end) {
            return 1;
        }
        let piece = text.as_bytes().get(start..end).unwrap_or_default();
        cover.of(self, piece).len()
    }

    /// Whether the piece of `text` from `start` to `end` is one token at first sight.
    #[inline]
    fn is_word(&self, text: &str, start: usize, end: usize) -> bool {
        let Self { prefixes, words, .. } = self;
        end - start <= LONGEST_WORD && words.contains(prefixes, text.as_bytes(), start, end)
    }
}

impl Tokenizer for BytePairs {
    fn count(&self, text: &str) -> u32 {
        let mut cover = Cover::default();
        let mut total = 0_usize;
        self.splitter.split(text, &self.classes, |start, end| {
            total += self.vocabulary.count(&mut cover, text, start, end);
        });
        u32::try_from(total).unwrap_or(u32::MAX)
    }

    /// Nothing: the count is the encoding's own.
    fn error_band(&self) -> f64 {
        0.0
    }
}
