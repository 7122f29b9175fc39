//! The bytes of all tokens, by rank.

use std::ops::Range;

use super::halves::Halves;
use super::vocabulary::{BYTES, LONGEST, in_stretches};

/// The bytes of all tokens, in the order of their ranks.
#[derive(Clone, Debug)]
pub(super) struct Tokens {
    text: Vec<u8>,
    ends: Vec<u32>,
}

impl Tokens {
    /// The bytes of tokens that are made of two earlier ranks each, single bytes first. Fails with the rank of
    /// one that is too long.
    pub(super) async fn spell(
        singles: &[u32; BYTES],
        halves: &Halves,
        rest: &mut impl AsyncFnMut(),
    ) -> Result<Self, u32> {
        let mut tokens = Self {
            text: Vec::with_capacity(halves.len().saturating_mul(7)),
            ends: Vec::with_capacity(halves.len()),
        };
        tokens.text.resize(BYTES, 0);
        for (byte, &rank) in (0..=u8::MAX).zip(singles) {
            if let Some(slot) = tokens.text.get_mut(rank as usize) {
                *slot = byte;
            }
        }
        tokens.ends.extend(1..=BYTES as u32);
        let mut spelled = Ok(());
        in_stretches(BYTES..halves.len(), rest, &mut |ranks| {
            spelled = spelled.and_then(|()| tokens.push(halves, ranks));
        })
        .await;
        spelled?;
        tokens.text.shrink_to_fit();
        Ok(tokens)
    }

    /// Adds the next tokens, by rank.
    fn push(&mut self, halves: &Halves, ranks: Range<usize>) -> Result<(), u32> {
        for rank in ranks.start as u32..ranks.end as u32 {
            let (left, right) = halves.get(rank);
            let (left, right) = (self.range(left), self.range(right));
            if left.len() + right.len() > LONGEST {
                return Err(rank);
            }
            self.text.extend_from_within(left);
            self.text.extend_from_within(right);
            self.ends.push(u32::try_from(self.text.len()).map_err(|_| rank)?);
        }
        Ok(())
    }

    /// How many tokens there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where the bytes of a token are in those of all.
    #[inline]
    fn range(&self, rank: u32) -> Range<usize> {
        let rank = rank as usize;
        let end = |rank: usize| self.ends.get(rank).map_or(0, |&end| end as usize);
        let start = rank.checked_sub(1).map_or(0, end);
        start..end(rank)
    }

    /// The bytes of the token of a rank.
    #[inline]
    pub(super) fn token(&self, rank: u32) -> &[u8] {
        self.text.get(self.range(rank)).unwrap_or_default()
    }
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
