//! The tokens of a byte-pair encoding: which there are, and which merges make them.
//!
//! A token has a *rank*, the order in which it was learned and its number in the encoding, and a *place*:
//! the single bytes come first, by value, and then all longer tokens in the order of their bytes.

use super::merges::Merges;
use super::prefix::Prefixes;
use super::words::Words;

/// Tokens that are a single byte.
pub(super) const BYTES: usize = 256;
/// Longest token that a vocabulary may have; the longest in use has 128 bytes.
pub(super) const LONGEST: usize = 1 << 10;
/// A vocabulary has fewer tokens.
pub(super) const MOST: usize = 1 << 20;
/// Tokens after which whoever builds a vocabulary may rest: well below a millisecond's work.
pub(super) const STRETCH: usize = 1 << 12;
/// Tokens that begin with the same two bytes are sorted together.
const GROUPS: usize = 1 << 16;

/// A vocabulary, ready to be searched. For 200,000 tokens about 11 MB, built in a few tens of
/// milliseconds.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    pub(super) merges: Merges,
    pub(super) prefixes: Prefixes,
    pub(super) words: Words,
}

impl Vocabulary {
    /// The vocabulary whose first 256 ranks are `bytes`, and whose later tokens are made of two earlier
    /// ranks each; the halves of the first are these themselves. Fails with the rank of a token that cannot
    /// be made or is there twice. After every stretch of work it waits for `rest`.
    pub(super) async fn new(
        bytes: &[u8; BYTES],
        halves: Vec<(u32, u32)>,
        rest: &mut impl AsyncFnMut(),
    ) -> Result<Self, u32> {
        if halves.len() >= MOST {
            return Err(MOST as u32);
        }
        let ranked = Ranked::spell(bytes, &halves, rest).await?;
        let order = ranked.order(rest).await?;
        let mut prefixes = Prefixes::with_capacity(order.len(), ranked.text.len());
        let mut single = [0_u32; BYTES];
        for (rank, byte) in (0_u32..).zip(bytes) {
            if let Some(slot) = single.get_mut(usize::from(*byte)) {
                *slot = rank;
            }
        }
        prefixes.push_bytes(&single);
        for stretch in order.chunks(STRETCH) {
            for &rank in stretch {
                prefixes.push(ranked.token(rank), rank);
            }
            rest().await;
        }
        drop((order, ranked));
        prefixes.finish();
        rest().await;
        let words = Words::new(&prefixes, rest).await;
        Ok(Self { merges: Merges::new(halves, rest).await, prefixes, words })
    }
}

#[cfg(test)]
impl Vocabulary {
    /// The vocabulary of these pairs, at once.
    pub(super) fn of(bytes: &[u8; BYTES], pairs: &[(u32, u32)]) -> Result<Self, u32> {
        let halves = (0..BYTES as u32).map(|rank| (rank, rank)).chain(pairs.iter().copied());
        super::at_once(Self::new(bytes, halves.collect(), &mut async || {}))
    }
}

/// The bytes of all tokens, in the order of their ranks.
struct Ranked {
    text: Vec<u8>,
    ends: Vec<u32>,
}

impl Ranked {
    async fn spell(
        bytes: &[u8; BYTES],
        halves: &[(u32, u32)],
        rest: &mut impl AsyncFnMut(),
    ) -> Result<Self, u32> {
        let mut seen = [false; BYTES];
        let mut ranked = Self {
            text: Vec::with_capacity(halves.len().saturating_mul(8)),
            ends: Vec::with_capacity(halves.len()),
        };
        for (rank, byte) in (0_u32..).zip(bytes) {
            if seen.get_mut(usize::from(*byte)).is_none_or(|seen| std::mem::replace(seen, true)) {
                return Err(rank);
            }
            ranked.text.push(*byte);
            ranked.ends.push(rank + 1);
        }
        for (rank, &(left, right)) in (0_u32..).zip(halves).skip(BYTES) {
            if left >= rank || right >= rank {
                return Err(rank);
            }
            let (left, right) = (ranked.range(left), ranked.range(right));
            if left.len() + right.len() > LONGEST {
                return Err(rank);
            }
            ranked.text.extend_from_within(left);
            ranked.text.extend_from_within(right);
            ranked.ends.push(u32::try_from(ranked.text.len()).map_err(|_| rank)?);
            if ranked.ends.len().is_multiple_of(STRETCH) {
                rest().await;
            }
        }
        Ok(ranked)
    }

    fn range(&self, rank: u32) -> std::ops::Range<usize> {
        let rank = rank as usize;
        let end = |rank: usize| self.ends.get(rank).map_or(0, |&end| end as usize);
        let start = rank.checked_sub(1).map_or(0, end);
        start..end(rank)
    }

    fn token(&self, rank: u32) -> &[u8] {
        self.text.get(self.range(rank)).unwrap_or_default()
    }

    /// The ranks of all tokens longer than a byte, in the order of their bytes.
    async fn order(&self, rest: &mut impl AsyncFnMut()) -> Result<Vec<u32>, u32> {
        let ranks = BYTES as u32..self.ends.len() as u32;
        let mut places = vec![0_usize; GROUPS];
        for rank in ranks.clone() {
            if let Some(count) = places.get_mut(group(self.token(rank))) {
                *count += 1;
            }
        }
        let mut first = 0;
        for place in &mut places {
            first += std::mem::replace(place, first);
        }
        rest().await;
        let mut order = vec![0; ranks.len()];
        for rank in ranks {
            let place = places.get_mut(group(self.token(rank)));
            if let Some(place) = place
                && let Some(slot) = order.get_mut(*place)
            {
                *slot = rank;
                *place += 1;
            }
        }
        rest().await;
        // Each place is now where its group ends.
        let (mut keyed, mut start, mut rested) = (Vec::new(), 0, 0);
        for end in places {
            let group = order.get_mut(start..end).unwrap_or_default();
            self.sort(group, &mut keyed)?;
            start = end;
            if end - rested > STRETCH {
                rested = end;
                rest().await;
            }
        }
        Ok(order)
    }

    /// Puts some ranks in the order of the bytes of their tokens. `keyed` is room for it.
    fn sort(&self, ranks: &mut [u32], keyed: &mut Vec<(u64, u32)>) -> Result<(), u32> {
        // Most tokens differ in their first eight bytes, and comparing two numbers is quick.
        keyed.clear();
        keyed.extend(ranks.iter().map(|&rank| (leading(self.token(rank)), rank)));
        keyed.sort_unstable_by(|one, other| {
            one.0.cmp(&other.0).then_with(|| self.token(one.1).cmp(self.token(other.1)))
        });
        for pair in keyed.windows(2) {
            if let [(key, one), (next, other)] = pair
                && key == next
                && self.token(*one) == self.token(*other)
            {
                return Err(*one.max(other));
            }
        }
        for (slot, (_, rank)) in ranks.iter_mut().zip(keyed) {
            *slot = *rank;
        }
        Ok(())
    }
}

/// The first two bytes of a token as a number.
fn group(token: &[u8]) -> usize {
    token.first_chunk::<2>().map_or(0, |two| usize::from(u16::from_be_bytes(*two)))
}

/// The first eight bytes as a number that compares as they do; zeros stand for missing ones.
#[inline]
pub(super) fn leading(bytes: &[u8]) -> u64 {
    if let Some(eight) = bytes.first_chunk::<8>() {
        return u64::from_be_bytes(*eight);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // The two halves overlap where both hold the same bytes.
        let [first, last] = [*first, *last].map(|half| u64::from(u32::from_be_bytes(half)));
        return (first << 32) | (last << (64 - 8 * bytes.len()));
    }
    match *bytes {
        [one, two, three] => u64::from_be_bytes([one, two, three, 0, 0, 0, 0, 0]),
        [one, two] => u64::from_be_bytes([one, two, 0, 0, 0, 0, 0, 0]),
        [one] => u64::from(one) << 56,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(u32, u32)], expected: Result<(), u32>) {
        let bytes: [u8; BYTES] = std::array::from_fn(|rank| rank as u8);
        assert_eq!(Vocabulary::of(&bytes, pairs).map(|_| ()), expected, "{pairs:?}");
    }

    #[test]
    fn a_token_is_made_of_earlier_ones() {
        check(&[], Ok(()));
        check(&[(97, 98), (256, 256)], Ok(()));
        check(&[(97, 256)], Err(256));
        check(&[(97, 98), (300, 98)], Err(257));
    }

    #[test]
    fn a_token_that_is_there_already_is_refused() {
        check(&[(97, 98), (98, 99), (256, 99), (97, 257)], Err(259));
        let twice = [7; BYTES];
        assert_eq!(Vocabulary::of(&twice, &[]).map(|_| ()), Err(1));
    }

    #[test]
    fn tokens_that_double_all_the_time_are_refused_before_they_fill_the_memory() {
        let doubling: Vec<(u32, u32)> =
            std::iter::once((97, 97)).chain((256..400).map(|rank| (rank, rank))).collect();
        check(&doubling, Err(266));
    }
}
