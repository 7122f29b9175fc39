//! A vocabulary in two files: the shard for ASCII text, and the rest.
//!
//! ASCII text only has tokens that are ASCII, so a vocabulary of those tokens counts it exactly. The shard for ASCII is
//! a packed vocabulary like any other. `crates/xtask/src/vocab/shard.rs` describes the layout of the rest.

use super::merge_sources::PLANES;
use super::packed::{VocabularyError, checksum, take};
use super::rank::BYTES;

const MAGIC: &[u8; 8] = b"EPIVREST";
const VERSION: u8 = 1;
/// Bytes of the header of a packed vocabulary.
const HEADER: usize = 22;
/// The position of the number of merges in the header.
const COUNT: usize = 10;

/// Joins the shard for ASCII and the rest to the packed vocabulary that they were split from.
///
/// `cargo xtask vocab` writes both files. With the shard alone, a [`BytePairs`](super::BytePairs) counts ASCII text
/// exactly, and other text too high; its token numbers are not those of the encoding. Fails if a file is not one of
/// these, or if the two do not belong together. Takes a few milliseconds.
pub fn join_shards(ascii: &[u8], rest: &[u8]) -> Result<Vec<u8>, VocabularyError> {
    use VocabularyError::{NoVocabulary, UnknownFormat, WrongChecksum};

    let (header, content) = ascii.split_at_checked(HEADER).ok_or(NoVocabulary)?;
    let (singles, ascii_planes) = content.split_at_checked(BYTES).ok_or(NoVocabulary)?;
    let mut remaining = rest;
    if take(&mut remaining) != Some(*MAGIC) {
        return Err(NoVocabulary);
    }
    let [version] = take(&mut remaining).ok_or(NoVocabulary)?;
    if version != VERSION {
        return Err(UnknownFormat { version });
    }
    let count = take(&mut remaining).map(u32::from_le_bytes).ok_or(NoVocabulary)? as usize;
    let expected = take(&mut remaining).map(u64::from_le_bytes).ok_or(NoVocabulary)?;
    let merges = ascii_planes.len() / PLANES + count;
    // A bit for each merge of the whole vocabulary: whether the shard has it.
    let (which, rest_planes) =
        remaining.split_at_checked(merges.div_ceil(8)).ok_or(WrongChecksum)?;
    if rest_planes.len() != count.saturating_mul(PLANES) {
        let expected = rest.len() - rest_planes.len() + count.saturating_mul(PLANES);
        return Err(VocabularyError::WrongLength { expected, found: rest.len() });
    }

    // For each rank of the shard, the rank of the same token in the whole vocabulary. The shard has fewer tokens, so
    // its ranks are different.
    let mut ranks: Vec<u32> = (0..BYTES as u32).collect();
    let (mut shard, mut others) = (pairs(ascii_planes), pairs(rest_planes));
    let mut joined: Vec<(u32, u32)> = Vec::with_capacity(merges);
    for merge in 0..merges {
        let is_ascii = which.get(merge / 8).is_some_and(|bits| bits >> (merge % 8) & 1 != 0);
        let pair = if is_ascii {
            let (left, right) = shard.next().ok_or(WrongChecksum)?;
            let rank = |local: u32| ranks.get(local as usize).copied().ok_or(WrongChecksum);
            let pair = (rank(left)?, rank(right)?);
            ranks.push((BYTES + merge) as u32);
            pair
        } else {
            others.next().ok_or(WrongChecksum)?
        };
        joined.push(pair);
    }

    let mut whole = singles.to_vec();
    whole.reserve(merges * PLANES);
    for side in [|pair: &(u32, u32)| pair.0, |pair: &(u32, u32)| pair.1] {
        for place in [0, 8, 16] {
            whole.extend(joined.iter().map(|pair| (side(pair) >> place) as u8));
        }
    }
    let checksum = checksum(&whole);
    if checksum != expected {
        return Err(WrongChecksum);
    }
    let mut file = header.get(..COUNT).unwrap_or_default().to_vec();
    file.extend((merges as u32).to_le_bytes());
    file.extend(checksum.to_le_bytes());
    file.extend(whole);
    Ok(file)
}

/// The pairs of ranks that planes hold.
fn pairs(planes: &[u8]) -> impl Iterator<Item = (u32, u32)> {
    let mut planes = planes.chunks_exact((planes.len() / PLANES).max(1));
    let mut side = || {
        let mut plane = || planes.next().unwrap_or_default().iter().copied().map(u32::from);
        let (low, middle, high) = (plane(), plane(), plane());
        low.zip(middle).zip(high).map(|((low, middle), high)| low | middle << 8 | high << 16)
    };
    let (left, right) = (side(), side());
    left.zip(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_not_shards_are_errors() {
        let ascii = [b"EPIVOCAB\x01\x02".as_slice(), &[0; 12 + BYTES]].concat();
        let rest = |count: u8| [MAGIC.as_slice(), &[VERSION, count], &[0; 11 + 1 + 6]].concat();
        let refused = [
            (&b""[..], &rest(1)[..]),
            (&ascii[..100], &rest(1)[..]),
            (&ascii, b""),
            (&ascii, b"EPIVREST"),
            (&ascii, b"EPIVREST\x02"),
            (&ascii, &rest(2)),
            (&ascii, &rest(1)),
            (&ascii, &rest(255)),
        ];
        for (ascii, rest) in refused {
            assert!(join_shards(ascii, rest).is_err(), "{ascii:?} {rest:?}");
        }
    }
}
