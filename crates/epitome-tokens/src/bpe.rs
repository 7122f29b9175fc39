//! Exact counts of a byte-pair encoding, from a vocabulary that is loaded when it is needed.

mod characters;
mod class;
#[cfg(test)]
mod dice;
mod eight;
mod few;
mod halves;
mod hugging_face;
mod merges;
mod merging;
mod packed;
mod pairs;
mod queue;
mod recall;
mod scan;
mod seats;
mod shard;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod sixteen;
mod splitter;
mod tokens;
mod vocabulary;
mod words;

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use class::Classes;
use epitome::policy::Encoding;
use epitome::tokens::{TokenOverhead, Tokenizer};
pub use hugging_face::{TokenizerJson, TokenizerJsonError};
pub use packed::VocabularyError;
pub use shard::join_shards;
use splitter::Splitter;
use vocabulary::{Room, SharedRoom, Vocabulary};

/// Counts tokens exactly as a byte-pair encoding does: `o200k_base`, `cl100k_base`.
///
/// Text is cut into pieces as the encoding's regular expression does, and each piece is one token, or
/// encoded. Both take time linear in the text, whatever it is. The text of special tokens is plain text.
///
/// Holds 2 MB for `o200k_base`, and 11 MB with its index and what it remembers of texts; one serves every
/// conversation.
#[derive(Clone, Debug)]
pub struct BytePairs {
    splitter: Splitter,
    classes: Classes,
    vocabulary: Vocabulary,
    room: SharedRoom,
}

impl BytePairs {
    /// Reads a packed vocabulary, a file that `cargo xtask vocab` has written, with its index. Takes a few
    /// tens of milliseconds for 200,000 tokens.
    pub fn read(file: impl AsRef<[u8]>) -> Result<Self, VocabularyError> {
        let read = Self::open(file)?;
        at_once(read.build_index(async || {}))?;
        Ok(read)
    }

    /// Reads a packed vocabulary, and no more: a few milliseconds for 200,000 tokens. It counts exactly from
    /// here on, and several times as fast once [`Self::build_index`] is done.
    pub fn open(file: impl AsRef<[u8]>) -> Result<Self, VocabularyError> {
        let (splitter, vocabulary) = packed::read(file)?;
        Ok(Self { splitter, classes: Classes::new(), vocabulary, room: SharedRoom::default() })
    }

    /// Builds what makes counting faster, and waits for `rest` after every millisecond's work or so: where a
    /// long stretch would keep a page from being drawn, the host may pause there. Counting goes on meanwhile.
    ///
    /// Fails where two tokens are the same, or one is too long for a vocabulary of this kind.
    pub async fn build_index(&self, mut rest: impl AsyncFnMut()) -> Result<(), VocabularyError> {
        let built = self.vocabulary.build_index(&mut rest).await;
        built.map_err(|rank| VocabularyError::WrongToken { rank })
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
        let mut room = Room::default();
        self.splitter.split(text, &self.classes, |start, end| {
            let piece = text.as_bytes().get(start..end).unwrap_or_default();
            numbers.extend(self.vocabulary.ranks(&mut room, piece));
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

impl Tokenizer for BytePairs {
    fn count(&self, text: &str) -> u32 {
        let mut total = 0_usize;
        self.room.with(|room| {
            let mut count = self.vocabulary.counter(room, text);
            self.splitter.split(text, &self.classes, |start, end| total += count(start, end));
        });
        u32::try_from(total).unwrap_or(u32::MAX)
    }

    /// Nothing: the count is the encoding's own.
    fn error_band(&self) -> f64 {
        0.0
    }

    fn overhead(&self) -> TokenOverhead {
        TokenOverhead::OPENAI
    }
}
