//! The bytes of all tokens, by rank.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::halves::Halves;
use super::vocabulary::{BYTES, LONGEST, STRETCH};

/// Tokens that begin with the same two bytes are sorted together.
const GROUPS: usize = 1 << 16;

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
        for first in (BYTES..halves.len()).step_by(STRETCH) {
            tokens.spell_some(halves, halves.len().min(first + STRETCH))?;
            rest().await;
        }
        tokens.text.shrink_to_fit();
        Ok(tokens)
    }

    // A function of its own: an engine compiles it well once it was called a few times.
    #[inline(never)]
    fn spell_some(&mut self, halves: &Halves, end: usize) -> Result<(), u32> {
        for rank in self.ends.len() as u32..end as u32 {
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
    fn range(&self, rank: u32) -> std::ops::Range<usize> {
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

    /// The ranks of all tokens longer than a byte, in the order of their bytes.
    pub(super) async fn order(&self, rest: &mut impl AsyncFnMut()) -> Result<Vec<u32>, u32> {
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
        let (mut keyed, mut start, mut rested) = (BinaryHeap::new(), 0, 0);
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
    fn sort(&self, ranks: &mut [u32], keyed: &mut BinaryHeap<(u64, u32)>) -> Result<(), u32> {
        // Most tokens differ in their first eight bytes, and comparing two numbers is quick. Sorting with a heap
        // takes a module far less room than what a slice is sorted with.
        keyed.extend(ranks.iter().map(|&rank| (leading(self.token(rank)), rank)));
        let mut last = u64::MAX;
        for end in (0..ranks.len()).rev() {
            let Some((key, rank)) = keyed.pop() else { break };
            if let Some(slot) = ranks.get_mut(end) {
                *slot = rank;
            }
            if key == last {
                self.put_in_order(ranks.get_mut(end..).unwrap_or_default())?;
            }
            last = key;
        }
        Ok(())
    }

    /// Moves the first of some ranks to where it belongs; those behind it are in order. Fails with a rank whose token
    /// is there twice.
    fn put_in_order(&self, ranks: &mut [u32]) -> Result<(), u32> {
        for at in 1..ranks.len() {
            let Some([one, other]) = ranks.get_mut(at - 1..=at) else { break };
            match self.token(*one).cmp(self.token(*other)) {
                Ordering::Less => break,
                Ordering::Equal => return Err(*one.max(other)),
                Ordering::Greater => std::mem::swap(one, other),
            }
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
