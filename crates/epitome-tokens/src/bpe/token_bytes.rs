//! The bytes of all tokens, by rank.

use std::ops::Range;

use super::batches::in_batches;
use super::merge_sources::MergeSources;
use super::rank::{BYTES, LONGEST_TOKEN};

/// The bytes of all tokens, in the order of their ranks.
#[derive(Clone, Debug)]
pub(super) struct TokenBytes {
    text: Vec<u8>,
    ends: Vec<u32>,
}

impl TokenBytes {
    /// Spells out each token from its two sources. Fails with the rank of a token that is too long.
    pub(super) async fn spell(
        singles: &[u32; BYTES],
        sources: &MergeSources,
        pause: &mut impl AsyncFnMut(),
    ) -> Result<Self, u32> {
        let mut tokens = Self {
            // Enough for the vocabularies in use, so that the bytes are not copied while the vector grows.
            text: Vec::with_capacity(sources.len().saturating_mul(7)),
            ends: Vec::with_capacity(sources.len()),
        };
        tokens.text.resize(BYTES, 0);
        for (byte, &rank) in (0..=u8::MAX).zip(singles) {
            if let Some(slot) = tokens.text.get_mut(rank as usize) {
                *slot = byte;
            }
        }
        tokens.ends.extend(1..=BYTES as u32);
        let mut spelled = Ok(());
        in_batches(BYTES..sources.len(), pause, &mut |ranks| {
            spelled = spelled.and_then(|()| tokens.push(sources, ranks));
        })
        .await;
        spelled?;
        tokens.text.shrink_to_fit();
        Ok(tokens)
    }

    /// Adds the next tokens, by rank.
    fn push(&mut self, sources: &MergeSources, ranks: Range<usize>) -> Result<(), u32> {
        for rank in ranks.start as u32..ranks.end as u32 {
            let (left, right) = sources.get(rank);
            let (left, right) = (self.range(left), self.range(right));
            // A file can define tokens that double in length, which would fill the memory within a few dozen ranks.
            if left.len() + right.len() > LONGEST_TOKEN {
                return Err(rank);
            }
            self.text.extend_from_within(left);
            self.text.extend_from_within(right);
            self.ends.push(u32::try_from(self.text.len()).map_err(|_| rank)?);
        }
        Ok(())
    }

    /// How many tokens the vocabulary has.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The position of a token's bytes in `text`.
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
