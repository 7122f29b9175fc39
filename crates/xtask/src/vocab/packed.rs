//! The file format of a packed vocabulary; `epitome-tokens` reads it.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `EPIVOCAB` |
//! | 1 | version of the format: 1 |
//! | 1 | how text is pre-tokenized: 1 as in `cl100k_base`, 2 as in `o200k_base` |
//! | 4 | number of merges, little-endian |
//! | 8 | FNV-1a of everything after it, eight bytes at a time, little-endian |
//! | 256 | the bytes of ranks 0 to 255 |
//! | 6 × merges | low, middle and high bytes of every left rank, then of every right rank |
//!
//! Bytes of one kind are stored together, because general-purpose compression then saves an eighth more than with the
//! tokens' text in any order.

use super::merges::Merges;

const MAGIC: &[u8; 8] = b"EPIVOCAB";
const VERSION: u8 = 1;

/// The file that holds `merges`.
pub(super) fn file(splitter: u8, merges: &Merges) -> Vec<u8> {
    let content = content(merges);
    let count = u32::try_from(merges.pairs.len()).unwrap_or(u32::MAX);
    let mut file = MAGIC.to_vec();
    file.extend([VERSION, splitter]);
    file.extend(count.to_le_bytes());
    file.extend(checksum(&content).to_le_bytes());
    file.extend(content);
    file
}

/// The bytes after the checksum.
pub(super) fn content(merges: &Merges) -> Vec<u8> {
    let mut content = merges.bytes.clone();
    content.extend(planes(&merges.pairs));
    content
}

/// Low, middle and high bytes of every left rank, then of every right rank.
pub(super) fn planes(pairs: &[(u32, u32)]) -> Vec<u8> {
    let mut planes = Vec::with_capacity(pairs.len() * 6);
    for side in [|pair: &(u32, u32)| pair.0, |pair: &(u32, u32)| pair.1] {
        for place in 0..3 {
            planes.extend(pairs.iter().map(|pair| side(pair).to_le_bytes()).map(
                |[low, middle, high, _]| match place {
                    0 => low,
                    1 => middle,
                    _ => high,
                },
            ));
        }
    }
    planes
}

/// FNV-1a over eight bytes at a time, little-endian, with the last eight filled up with zeros.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
    words.iter().chain([&last]).fold(0xCBF2_9CE4_8422_2325, |hash, word| {
        (hash ^ u64::from_le_bytes(*word)).wrapping_mul(0x0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_low_bytes_of_all_left_ranks_come_first() {
        let merges =
            Merges { bytes: (0..=255).collect(), pairs: vec![(0x0A_0201, 0x03), (0x05, 0x07)] };
        let file = file(2, &merges);
        assert_eq!(file.get(..14), Some(b"EPIVOCAB\x01\x02\x02\0\0\0".as_slice()));
        let planes: &[u8] = &[0x01, 0x05, 0x02, 0, 0x0A, 0, 0x03, 0x07, 0, 0, 0, 0];
        assert_eq!(file.get(22 + 256..), Some(planes));
    }
}
