//! Reads the file of a packed vocabulary, which `cargo xtask vocab` writes.
//!
//! `crates/xtask/src/vocab/packed.rs` describes the layout.

use epitome::policy::Encoding;
use thiserror::Error;

use super::merge_sources::{MergeSources, PLANES};
use super::rank::BYTES;

const MAGIC: &[u8; 8] = b"EPIVOCAB";
const VERSION: u8 = 1;

/// Why a file is not a vocabulary that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VocabularyError {
    /// The file is not a packed vocabulary.
    #[error("not a packed vocabulary")]
    NoVocabulary,
    /// The file has a format that this version does not support.
    #[error("a packed vocabulary of format {version}, not {VERSION}")]
    UnknownFormat {
        /// The version of the format, as in the file.
        version: u8,
    },
    /// The file needs a pre-tokenizer that this version does not support.
    #[error("a packed vocabulary that cuts text in an unknown way, {number}")]
    UnknownSplitter {
        /// The number of the pre-tokenizer, as in the file.
        number: u8,
    },
    /// The file is shorter or longer than its header says.
    #[error("a packed vocabulary of {found} bytes instead of {expected}")]
    WrongLength {
        /// The bytes that the file should have.
        expected: usize,
        /// The bytes that the file has.
        found: usize,
    },
    /// The content is not what was written.
    #[error("a packed vocabulary with a wrong checksum")]
    WrongChecksum,
    /// A token cannot be merged from earlier tokens, is too long, or is equal to an earlier one.
    #[error("a packed vocabulary whose token of rank {rank} cannot be made")]
    WrongToken {
        /// The rank of that token.
        rank: u32,
    },
}

/// The content of a packed vocabulary.
pub(super) struct Packed {
    pub(super) encoding: Encoding,
    /// The single bytes, by rank.
    pub(super) bytes: [u8; BYTES],
    pub(super) sources: MergeSources,
}

/// Reads a file, and checks its length and its checksum.
pub(super) fn unpack(file: &[u8]) -> Result<Packed, VocabularyError> {
    let mut rest = file;
    if take(&mut rest) != Some(*MAGIC) {
        return Err(VocabularyError::NoVocabulary);
    }
    let [version, number] = take(&mut rest).ok_or(VocabularyError::NoVocabulary)?;
    if version != VERSION {
        return Err(VocabularyError::UnknownFormat { version });
    }
    let mut encodings = Encoding::ALL.into_iter();
    let encoding = encodings
        .find(|encoding| splitter_number(*encoding) == number)
        .ok_or(VocabularyError::UnknownSplitter { number })?;
    let merges = take(&mut rest).map(u32::from_le_bytes).ok_or(VocabularyError::NoVocabulary)?;
    let expected = take(&mut rest).map(u64::from_le_bytes).ok_or(VocabularyError::NoVocabulary)?;
    let merges = merges as usize;
    let content = merges.saturating_mul(PLANES).saturating_add(BYTES);
    // Before anything is allocated: the count of merges is any number in a damaged file.
    if rest.len() != content {
        let header = file.len() - rest.len();
        let expected = content.saturating_add(header);
        return Err(VocabularyError::WrongLength { expected, found: file.len() });
    }
    if checksum(rest) != expected {
        return Err(VocabularyError::WrongChecksum);
    }
    let bytes = take::<BYTES>(&mut rest).ok_or(VocabularyError::WrongChecksum)?;
    let mut planes = rest.chunks_exact(merges.max(1));
    let planes = [(); PLANES].map(|()| planes.next().unwrap_or_default());
    Ok(Packed { encoding, bytes, sources: MergeSources::from_planes(planes) })
}

/// The number that stands for an encoding's pre-tokenizer in files.
fn splitter_number(encoding: Encoding) -> u8 {
    match encoding {
        Encoding::Cl100kBase => 1,
        Encoding::O200kBase => 2,
    }
}

/// Removes the first `N` bytes from `rest` and returns them; `None` if there are fewer.
pub(super) fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, remaining) = rest.split_first_chunk::<N>()?;
    *rest = remaining;
    Some(*taken)
}

/// FNV-1a over words of eight bytes, little-endian. Zeros fill the last word.
// Eight bytes per step instead of one: reading a vocabulary of 1.2 MB takes a fraction of a millisecond.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
    words.iter().chain([&last]).fold(0xCBF2_9CE4_8422_2325, |hash, word| {
        (hash ^ u64::from_le_bytes(*word)).wrapping_mul(0x0100_0000_01B3)
    })
}
