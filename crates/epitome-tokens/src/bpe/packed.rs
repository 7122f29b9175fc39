//! Reads the file of a packed vocabulary, which `cargo xtask vocab` writes.
//!
//! The layout is described in `crates/xtask/src/vocab/packed.rs`.

use std::error::Error;
use std::fmt;

use super::halves::Halves;
use super::splitter::Splitter;
use super::vocabulary::{BYTES, Vocabulary};

const MAGIC: &[u8] = b"EPIVOCAB";
const VERSION: u8 = 1;
/// Low, middle and high bytes of the left and of the right ranks.
pub(super) const PLANES: usize = 6;

/// Why a file is no vocabulary that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VocabularyError {
    /// It is no packed vocabulary at all.
    NoVocabulary,
    /// It is one of a format that this version does not know.
    UnknownFormat {
        /// The version that the file names.
        version: u8,
    },
    /// It wants text cut in a way that this version does not know.
    UnknownSplitter {
        /// The number that the file names.
        number: u8,
    },
    /// It is shorter or longer than it says.
    WrongLength {
        /// Bytes that belong to the file.
        expected: usize,
        /// Bytes that are there.
        found: usize,
    },
    /// Its content is not what was written.
    WrongChecksum,
    /// A token cannot be made, or is there already.
    WrongToken {
        /// The rank of that token.
        rank: u32,
    },
}

impl fmt::Display for VocabularyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoVocabulary => f.write_str("not a packed vocabulary"),
            Self::UnknownFormat { version } => {
                write!(f, "a packed vocabulary of format {version}, not {VERSION}")
            }
            Self::UnknownSplitter { number } => {
                write!(f, "a packed vocabulary that cuts text in an unknown way, {number}")
            }
            Self::WrongLength { expected, found } => {
                write!(f, "a packed vocabulary of {found} bytes instead of {expected}")
            }
            Self::WrongChecksum => f.write_str("a packed vocabulary with a wrong checksum"),
            Self::WrongToken { rank } => {
                write!(f, "a packed vocabulary whose token of rank {rank} cannot be made")
            }
        }
    }
}

impl Error for VocabularyError {}

/// The way of cutting and the vocabulary that `file` holds, without an index. Lets go of the file before it
/// makes that.
pub(super) fn read(file: impl AsRef<[u8]>) -> Result<(Splitter, Vocabulary), VocabularyError> {
    let Content { splitter, bytes, halves } = unpack(file.as_ref())?;
    drop(file);
    let vocabulary = Vocabulary::new(&bytes, halves);
    Ok((splitter, vocabulary.map_err(|rank| VocabularyError::WrongToken { rank })?))
}

/// What a file says.
struct Content {
    splitter: Splitter,
    /// The bytes that are tokens by themselves, by rank.
    bytes: [u8; BYTES],
    /// The two ranks that each token is made of; a single byte is its own half.
    halves: Halves,
}

fn unpack(file: &[u8]) -> Result<Content, VocabularyError> {
    let mut rest = file;
    if take(&mut rest) != Some(MAGIC.first_chunk::<8>().copied().unwrap_or_default()) {
        return Err(VocabularyError::NoVocabulary);
    }
    let [version, number] = take(&mut rest).ok_or(VocabularyError::NoVocabulary)?;
    if version != VERSION {
        return Err(VocabularyError::UnknownFormat { version });
    }
    let splitter = match number {
        1 => Splitter::Cl100k,
        2 => Splitter::O200k,
        _ => return Err(VocabularyError::UnknownSplitter { number }),
    };
    let merges = take(&mut rest).map(u32::from_le_bytes).ok_or(VocabularyError::NoVocabulary)?;
    let expected = take(&mut rest).map(u64::from_le_bytes).ok_or(VocabularyError::NoVocabulary)?;
    let merges = merges as usize;
    let content = merges.saturating_mul(PLANES).saturating_add(BYTES);
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
    Ok(Content { splitter, bytes, halves: Halves::of_planes(planes) })
}

pub(super) fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, behind) = rest.split_first_chunk::<N>()?;
    *rest = behind;
    Some(*taken)
}

/// FNV-1a over eight bytes at a time, little-endian, with zeros behind the last.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
    words.iter().chain([&last]).fold(0xCBF2_9CE4_8422_2325, |hash, word| {
        (hash ^ u64::from_le_bytes(*word)).wrapping_mul(0x0100_0000_01B3)
    })
}
