//! Exact token counts by byte-pair encoding (BPE), with a vocabulary that is loaded at run time.
//!
//! # Stages
//!
//! A text is split into *pieces* (pre-tokens), and each piece is merged on its own: neighbouring *parts*, which are
//! bytes at first, are merged into tokens until no two neighbours merge. The merge with the lowest *rank* comes first.
//!
//! 1. **Load** a vocabulary: which tokens there are, and which two tokens each was merged from.
//!    - `rank.rs`: ranks and limits. `batches.rs`: long work with pauses. `hash.rs`: hashes of bytes.
//!    - `merge_sources.rs`: the two tokens that each token was merged from.
//!    - `packed.rs`: the file format. `shard.rs`: the format of two files, ASCII and the rest.
//! 2. **Merge by rank**: counts as soon as a vocabulary is loaded, and pieces of any length.
//!    - `merges.rs`: which token two tokens merge into. `radix_heap.rs`: the pending merges.
//!    - `merging.rs`: merges one piece, by definition. `long_piece.rs`: one of megabytes, window by window.
//! 3. **Index** a vocabulary: tables that make counting several times as fast.
//!    - `token_bytes.rs`: the bytes of all tokens.
//!    - `characters.rs`: where a piece splits into parts, and which characters are tokens.
//!    - `token_index.rs`: a number for each token. It places tokens of one script close together in memory.
//!    - `pairs.rs`: which token two tokens merge into, by token index. `whole_token.rs`: whether a piece is one token.
//! 4. **Pre-tokenize** a text: find the ends of its pieces, as the regular expression of the encoding does.
//!    - `class.rs`: the classes of characters. `text.rs`: a text with these classes.
//!    - `swar8.rs`, `simd16.rs`: eight and sixteen characters at once.
//!    - `splitter/part.rs`: shared sub-patterns. `splitter/cl100k.rs`, `splitter/o200k.rs`: one piece.
//!      `splitter/block.rs`: all pieces among 64 characters. `splitter.rs`: all pieces of a text.
//! 5. **Merge by token index**: `short_piece.rs`, for pieces of fewer than 64 parts.
//! 6. **Cache**: `piece_cache.rs` stores how many tokens a piece has.
//! 7. **Count**: `vocabulary.rs` chooses the fastest way for each piece; `steps.rs` pauses in between. [`BytePairs`] counts by `o200k_base` and
//!    `cl100k_base`, [`TokenizerJson`] by the `tokenizer.json` of a model (`hugging_face/`).
//!
//! # Import order
//!
//! Each file imports only files that come before it in this list:
//!
//! ```text
//! prng.rs
//! rank.rs
//! batches.rs
//! hash.rs
//! merge_sources.rs
//! packed.rs
//! shard.rs
//! merges.rs
//! radix_heap.rs
//! merging.rs
//! long_piece.rs
//! token_bytes.rs
//! characters.rs
//! token_index.rs
//! pairs.rs
//! whole_token.rs
//! class/runs.rs
//! class.rs
//! text.rs
//! swar8.rs
//! simd16.rs
//! splitter/part.rs
//! splitter/cl100k.rs
//! splitter/o200k.rs
//! splitter/block.rs
//! splitter.rs
//! short_piece.rs
//! piece_cache.rs
//! vocabulary.rs
//! vocabulary/tests.rs
//! steps.rs
//! hugging_face/error.rs
//! hugging_face/alphabet.rs
//! hugging_face/file.rs
//! hugging_face/byte_map.rs
//! hugging_face/normalizer.rs
//! hugging_face/pattern/punctuation/boundaries.rs
//! hugging_face/pattern/punctuation.rs
//! hugging_face/pattern/gpt2.rs
//! hugging_face/pattern/deepseek.rs
//! hugging_face/pattern.rs
//! hugging_face/pre_tokenizer.rs
//! hugging_face/learned.rs
//! hugging_face.rs
//! ```

mod batches;
mod characters;
mod class;
mod hash;
mod hugging_face;
mod long_piece;
mod merge_sources;
mod merges;
mod merging;
mod packed;
mod pairs;
mod piece_cache;
#[cfg(test)]
mod prng;
mod radix_heap;
mod rank;
mod shard;
mod short_piece;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd16;
mod splitter;
mod steps;
mod swar8;
mod text;
mod token_bytes;
mod token_index;
mod vocabulary;
mod whole_token;

use batches::run_now;
use class::Classes;
use epitome::policy::Encoding;
use epitome::tokens::{CountState, TokenOverhead, Tokenizer};
pub use hugging_face::{TokenizerJson, TokenizerJsonError};
use packed::Packed;
pub use packed::VocabularyError;
pub use shard::join_shards;
use steps::Steps;
use vocabulary::{SharedWorkspace, Vocabulary, Workspace};

/// Counts tokens exactly, by `o200k_base` or `cl100k_base`.
///
/// The text of special tokens, such as `<|endoftext|>`, counts as plain text.
///
/// Cost: linear in the text, for any text. Memory: 2 MB for `o200k_base`, and 11 MB with its index and its cache. One
/// value can serve all conversations.
#[derive(Clone, Debug)]
pub struct BytePairs {
    encoding: Encoding,
    classes: Classes,
    vocabulary: Vocabulary,
    workspace: SharedWorkspace,
}

impl BytePairs {
    /// Reads a packed vocabulary, which `cargo xtask vocab` writes, and builds its index. Takes a few tens of
    /// milliseconds for 200,000 tokens.
    pub fn read(file: impl AsRef<[u8]>) -> Result<Self, VocabularyError> {
        let read = Self::open(file)?;
        run_now(read.build_index(async || {}))?;
        Ok(read)
    }

    /// Reads a packed vocabulary without building its index. Takes a few milliseconds for 200,000 tokens. It counts
    /// exactly at once, and several times as fast after [`Self::build_index`].
    pub fn open(file: impl AsRef<[u8]>) -> Result<Self, VocabularyError> {
        let Packed { encoding, bytes, sources } = packed::unpack(file.as_ref())?;
        // The file is freed before the merges are allocated, which lowers the peak of memory by its size.
        drop(file);
        let vocabulary = Vocabulary::new(&bytes, sources)
            .map_err(|rank| VocabularyError::WrongToken { rank })?;
        let (classes, workspace) = (Classes::new(), SharedWorkspace::default());
        Ok(Self { encoding, classes, vocabulary, workspace })
    }

    /// Builds the index, which makes counting faster, and awaits `pause` after about every millisecond of work. In a
    /// browser the app can yield in `pause`, so that the page stays responsive. Counting works in the meantime.
    ///
    /// Fails if two tokens are equal, or if one is too long.
    pub async fn build_index(&self, mut pause: impl AsyncFnMut()) -> Result<(), VocabularyError> {
        let built = self.vocabulary.build_index(&mut pause).await;
        built.map_err(|rank| VocabularyError::WrongToken { rank })
    }

    /// The encoding of this vocabulary.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Tokens of UTF-8 text as bytes. Invalid bytes count as the replacement characters that a decoder puts in their
    /// place.
    pub fn count_utf8(&self, bytes: &[u8]) -> u32 {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.count(text),
            Err(_) => self.count(&String::from_utf8_lossy(bytes)),
        }
    }

    /// The numbers of the tokens of `text`, in order.
    // It merges by definition, without index and cache, because only tests and tools use it, to check `count`.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut numbers = Vec::new();
        let mut workspace = Workspace::default();
        splitter::split(self.encoding, text, &self.classes, |start, end| {
            let piece = text.as_bytes().get(start..end).unwrap_or_default();
            numbers.extend(self.vocabulary.ranks(&mut workspace, piece));
        });
        numbers
    }

    /// The tokens of the pieces of a text but for those of more bytes than `longest`, whose starts and ends it appends to `longer`.
    // One instance of the loop over pieces for all counts, because it is a quarter of a module that counts.
    fn count_pieces(
        &self,
        workspace: &mut Workspace,
        text: &str,
        longest: usize,
        longer: &mut Vec<(usize, usize)>,
    ) -> usize {
        let mut total = 0_usize;
        let mut count = self.vocabulary.counter(workspace, text);
        splitter::split(self.encoding, text, &self.classes, |start, end| {
            match end - start > longest {
                true => longer.push((start, end)),
                false => total += count(start, end),
            }
        });
        total
    }
}

impl Tokenizer for BytePairs {
    fn count(&self, text: &str) -> u32 {
        let count =
            |workspace: &mut _| self.count_pieces(workspace, text, usize::MAX, &mut Vec::new());
        u32::try_from(self.workspace.with(count)).unwrap_or(u32::MAX)
    }

    /// 0: the count is exact.
    fn error_band(&self) -> f64 {
        0.0
    }

    fn overhead(&self) -> TokenOverhead {
        TokenOverhead::OPENAI
    }

    fn count_on(&self, text: &str, state: &mut CountState) -> Option<u32> {
        let steps = state.get(Steps::default)?;
        let tokens = self.workspace.with(|workspace| {
            let count = |workspace: &mut _, part: &str, longest, longer: &mut _| {
                self.count_pieces(workspace, part, longest, longer)
            };
            steps.advance(&self.vocabulary, workspace, text, count)
        })?;
        Some(u32::try_from(tokens).unwrap_or(u32::MAX))
    }
}
