//! The two tokens that each token is merged from. Merging a token's bytes by all lower ranks leaves exactly these two.

use std::collections::HashMap;

use crate::failure::{Failure, Result};

/// The number of tokens that are a single byte.
pub(super) const BYTES: usize = 256;

/// A vocabulary as the merges that build it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Merges {
    /// The bytes of the first 256 ranks.
    pub(super) bytes: Vec<u8>,
    /// The two ranks that each later token is merged from.
    pub(super) pairs: Vec<(u32, u32)>,
}

impl Merges {
    /// Fails unless the first 256 ranks are the single bytes and every later token can be merged from two
    /// tokens of lower rank.
    pub(super) fn of(tokens: &[Vec<u8>]) -> Result<Self> {
        let mut ranks: HashMap<&[u8], u32> = HashMap::with_capacity(tokens.len());
        let mut bytes = Vec::with_capacity(BYTES);
        let mut pairs = Vec::with_capacity(tokens.len().saturating_sub(BYTES));
        for (token, rank) in tokens.iter().zip(0_u32..) {
            let whole = match token.as_slice() {
                [byte] if bytes.len() < BYTES => {
                    bytes.push(*byte);
                    true
                }
                longer if bytes.len() == BYTES => match merge(longer, &ranks).as_slice() {
                    [left, right] => {
                        pairs.push((*left, *right));
                        true
                    }
                    _ => false,
                },
                _ => false,
            };
            if !whole || ranks.insert(token, rank).is_some() {
                return Err(Failure::new(format!("rank {rank} is not a merge of two lower ranks")));
            }
        }
        if bytes.len() < BYTES {
            return Err(Failure::new("the first 256 ranks are not the single bytes"));
        }
        Ok(Self { bytes, pairs })
    }
}

/// Byte-pair encoding by its definition: of all neighbours that together are a token, the one with the lowest rank is merged
/// first, and of several the leftmost. Quadratic, which is fast enough for single tokens.
fn merge(bytes: &[u8], ranks: &HashMap<&[u8], u32>) -> Vec<u32> {
    let mut starts: Vec<usize> = (0..=bytes.len()).collect();
    let rank_from = |starts: &[usize], at: usize| {
        let (from, to) = (starts.get(at)?, starts.get(at + 2)?);
        ranks.get(bytes.get(*from..*to)?).copied()
    };
    let mut joined: Vec<Option<u32>> = (0..bytes.len()).map(|at| rank_from(&starts, at)).collect();
    while let Some((at, _)) = joined
        .iter()
        .enumerate()
        .filter_map(|(at, rank)| rank.map(|rank| (at, rank)))
        .min_by_key(|&(at, rank)| (rank, at))
    {
        starts.remove(at + 1);
        joined.remove(at);
        for changed in [Some(at), at.checked_sub(1)].into_iter().flatten() {
            if let Some(rank) = joined.get_mut(changed) {
                *rank = rank_from(&starts, changed);
            }
        }
    }
    let ends = starts.iter().skip(1);
    let parts = starts.iter().zip(ends).filter_map(|(&from, &to)| bytes.get(from..to));
    parts.filter_map(|part| ranks.get(part).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(longer: &[&str]) -> Vec<Vec<u8>> {
        let single = (0..=255_u8).map(|byte| vec![byte]);
        single.chain(longer.iter().map(|token| token.as_bytes().to_vec())).collect()
    }

    #[test]
    fn a_token_is_split_at_its_last_merge() {
        let (a, b, c) = (u32::from(b'a'), u32::from(b'b'), u32::from(b'c'));
        let merges = Merges::of(&vocabulary(&["bc", "ab", "abc", "abcabc"])).unwrap();
        assert_eq!(merges.pairs, [(b, c), (a, b), (a, 256), (258, 258)]);
    }

    #[test]
    fn a_token_that_no_merge_makes_is_refused() {
        assert!(Merges::of(&vocabulary(&["abc"])).is_err());
        assert!(Merges::of(&vocabulary(&["ab", "ab"])).is_err());
        assert!(Merges::of(&vocabulary(&[])[..255]).is_err());
    }
}
