//! Splits a vocabulary into the tokens that ASCII text needs and the rest; `epitome-tokens` joins them.
//!
//! The first shard is a packed vocabulary with its own ranks, in the same order. The format of the rest:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `EPIVREST` |
//! | 1 | version of the format: 1 |
//! | 4 | number of merges of the rest, little-endian |
//! | 8 | FNV-1a of the content of the whole vocabulary's file, little-endian |
//! | 1 for 8 of all merges | which of them are in the first shard, the lowest bit first |
//! | 6 × merges of the rest | low, middle and high bytes of every left rank in the whole vocabulary, then of every right one |

use std::collections::HashMap;

use super::merges::{BYTES, Merges};
use super::packed;

/// The merges of the ASCII tokens, and the file of all other merges.
pub(super) fn split(merges: &Merges) -> (Merges, Vec<u8>) {
    let mut locals: HashMap<u32, u32> = (0_u32..).take(BYTES).map(|rank| (rank, rank)).collect();
    let single = |rank: u32| merges.bytes.get(rank as usize);
    let mut ascii: Vec<bool> =
        (0_u32..).take(BYTES).map(|rank| single(rank).is_some_and(u8::is_ascii)).collect();
    let (mut pairs, mut rest) = (Vec::new(), Vec::new());
    let mut which = vec![0_u8; merges.pairs.len().div_ceil(8)];
    for (merge, &(left, right)) in merges.pairs.iter().enumerate() {
        let is_ascii =
            [left, right].iter().all(|&half| ascii.get(half as usize).copied().unwrap_or(false));
        ascii.push(is_ascii);
        if !is_ascii {
            rest.push((left, right));
            continue;
        }
        if let (Some(&left), Some(&right)) = (locals.get(&left), locals.get(&right)) {
            locals.insert((BYTES + merge) as u32, (BYTES + pairs.len()) as u32);
            pairs.push((left, right));
        }
        if let Some(bits) = which.get_mut(merge / 8) {
            *bits |= 1 << (merge % 8);
        }
    }
    let mut file = b"EPIVREST\x01".to_vec();
    file.extend(u32::try_from(rest.len()).unwrap_or(u32::MAX).to_le_bytes());
    file.extend(packed::checksum(&packed::content(merges)).to_le_bytes());
    file.extend(which);
    file.extend(packed::planes(&rest));
    (Merges { bytes: merges.bytes.clone(), pairs }, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_tokens_get_new_ranks_and_the_others_keep_theirs() {
        let merges = Merges {
            bytes: (0..=255).collect(),
            pairs: vec![(97, 98), (0xC3, 0xA9), (257, 256), (256, 99)],
        };
        let (ascii, rest) = split(&merges);
        assert_eq!(ascii.pairs, [(97, 98), (256, 99)]);
        assert_eq!(rest.get(9..13), Some([2, 0, 0, 0].as_slice()));
        let planes: &[u8] = &[0b1001, 0xC3, 1, 0, 1, 0, 0, 0xA9, 0, 0, 1, 0, 0];
        assert_eq!(rest.get(21..), Some(planes));
    }
}
