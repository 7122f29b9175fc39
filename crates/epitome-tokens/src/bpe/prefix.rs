//! The longest token that a text starts with, and the tokens that start it.
//!
//! All tokens lie in the order of their bytes. The last one that is not behind the text begins with every
//! token that the text begins with, so it and its own beginnings are all there is to look at.

use super::tokens::{Tokens, leading};
use super::vocabulary::{BYTES, MOST, STRETCH};

/// Bytes that lead to a group of neighbours without a search.
const STEM: usize = 3;
const SLOTS_PER_STEM: f64 = 1.6;

/// One token; what is asked for together lies together.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Its rank, and above that how many bytes it has.
    rank_and_width: u32,
    /// The longest other token that it begins with.
    shorter: u32,
}

const RANK_BITS: u32 = MOST.trailing_zeros();
const RANK: u32 = (1 << RANK_BITS) - 1;

/// The tokens of a vocabulary by place.
#[derive(Clone, Debug)]
pub(super) struct Prefixes {
    tokens: Tokens,
    entries: Vec<Entry>,
    /// The four bytes of each behind its stem.
    keys: Vec<u32>,
    /// The longest token of at most two bytes, by the two bytes it is found in.
    doubles: Vec<u32>,
    /// First place and end of the tokens that begin with the same three bytes, until all are there.
    stems: Vec<(u32, u32, u32)>,
    /// The stems by their hash: the three bytes, first place and end in 24, 20 and 20 bits. No stem is 0.
    slots: Vec<u64>,
}

impl Prefixes {
    /// Tokens by place, and the ranks of the single bytes. Fails with the rank of a token that is there twice.
    pub(super) async fn new(
        tokens: Tokens,
        singles: &[u32; BYTES],
        rest: &mut impl AsyncFnMut(),
    ) -> Result<Self, u32> {
        let count = tokens.len();
        let mut prefixes = Self {
            tokens,
            entries: Vec::with_capacity(count),
            keys: Vec::with_capacity(count),
            doubles: (0..BYTES as u32).flat_map(|first| [first; BYTES]).collect(),
            // As many as the vocabularies in use have.
            stems: Vec::with_capacity(count / 8),
            slots: Vec::new(),
        };
        for (place, &rank) in (0_u32..).zip(singles) {
            prefixes.entries.push(Entry { rank_and_width: rank | 1 << RANK_BITS, shorter: place });
            prefixes.keys.push(0);
        }
        // What is given back soon is taken last, so that it leaves no hole.
        let order = prefixes.tokens.order(rest).await?;
        for stretch in order.chunks(STRETCH) {
            prefixes.push_some(stretch);
            rest().await;
        }
        drop(order);
        prefixes.finish();
        rest().await;
        Ok(prefixes)
    }

    // A function of its own: an engine compiles it well once it was called a few times.
    #[inline(never)]
    fn push_some(&mut self, ranks: &[u32]) {
        ranks.iter().for_each(|&rank| self.push(rank));
    }

    /// Adds a token of several bytes.
    fn push(&mut self, rank: u32) {
        let token = self.tokens.token(rank);
        let [first, second, ref behind @ ..] = *token else { return };
        let place = self.entries.len() as u32;
        // What begins a token stands before it, with only tokens between that begin with it as well.
        let before = place.saturating_sub(1);
        let shorter = if place > BYTES as u32 {
            self.not_longer(before, shared_width(self.token(before), token))
        } else {
            u32::from(first)
        };
        let shorter = if shorter < BYTES as u32 { u32::from(first) } else { shorter };
        let rank_and_width = rank | (token.len() as u32) << RANK_BITS;
        let key = key(token.get(STEM..).unwrap_or_default());
        if let Some(&third) = behind.first() {
            let stem = stem(first, second, third);
            match self.stems.last_mut() {
                Some((last, _, end)) if *last == stem => *end = place + 1,
                _ => self.stems.push((stem, place, place + 1)),
            }
        } else if let Some(slot) = self.doubles.get_mut(double(first, second)) {
            *slot = place;
        }
        self.entries.push(Entry { rank_and_width, shorter });
        self.keys.push(key);
    }

    /// To be called when every token is there.
    fn finish(&mut self) {
        let stems = std::mem::take(&mut self.stems);
        self.slots = vec![0; (stems.len() as f64 * SLOTS_PER_STEM) as usize + 1];
        for (stem, first, end) in stems {
            let packed = u64::from(stem) << 40 | u64::from(first) << 20 | u64::from(end);
            let mut at = stem_slot(stem, self.slots.len());
            loop {
                match self.slots.get_mut(at) {
                    Some(slot) if *slot == 0 => {
                        *slot = packed;
                        break;
                    }
                    Some(_) => at += 1,
                    None => at = 0,
                }
            }
        }
    }

    /// The tokens by rank.
    pub(super) fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// The rank of the token at `place`.
    #[inline]
    pub(super) fn rank(&self, place: u32) -> u32 {
        self.entries.get(place as usize).map_or(0, |entry| entry.rank_and_width & RANK)
    }

    /// The longest other token that the one at `place` begins with; a single byte begins with itself.
    #[inline]
    pub(super) fn shorter(&self, place: u32) -> u32 {
        self.entries.get(place as usize).map_or(0, |entry| entry.shorter)
    }

    /// Bytes of the token at `place`.
    #[inline]
    pub(super) fn width(&self, place: u32) -> usize {
        self.entries
            .get(place as usize)
            .map_or(0, |entry| (entry.rank_and_width >> RANK_BITS) as usize)
    }

    /// The bytes of the token at `place`.
    #[inline]
    fn token(&self, place: u32) -> &[u8] {
        self.tokens.token(self.rank(place))
    }

    /// The longest token that `text` begins with; for an empty text, any.
    #[inline]
    pub(super) fn longest(&self, text: &[u8]) -> u32 {
        let [first, second, rest @ ..] = text else {
            return text.first().map_or(0, |&byte| u32::from(byte));
        };
        let double = || self.doubles.get(double(*first, *second)).copied().unwrap_or(0);
        let [third, behind @ ..] = rest else { return double() };
        let Some((from, to)) = self.group(stem(*first, *second, *third)) else { return double() };
        let keys = self.keys.get(from..to).unwrap_or_default();
        let key = key(behind);
        let mut left = keys.partition_point(|&token| token <= key);
        if let Some(at) = left.checked_sub(1)
            && keys.get(at) == Some(&key)
        {
            if text.starts_with(self.token((from + at) as u32)) {
                return (from + at) as u32;
            }
            let less = keys.partition_point(|&token| token < key);
            left = less + self.not_behind(text, from + less, left - less);
            if left > less {
                let place = (from + left - 1) as u32;
                return self.not_longer(place, shared_width(self.token(place), text));
            }
        }
        let Some(at) = left.checked_sub(1) else { return double() };
        let token = keys.get(at).copied().unwrap_or(0);
        let shared = STEM + ((token ^ key).leading_zeros() / 8) as usize;
        self.not_longer((from + at) as u32, shared)
    }

    /// Of `count` tokens from `first` on, how many are not behind `text`.
    fn not_behind(&self, text: &[u8], first: usize, count: usize) -> usize {
        let (mut from, mut to) = (0, count);
        while from < to {
            let middle = usize::midpoint(from, to);
            if self.token((first + middle) as u32) <= text {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    /// First place and end of the tokens that begin with `stem`.
    #[inline]
    fn group(&self, stem: u32) -> Option<(usize, usize)> {
        let mut at = stem_slot(stem, self.slots.len());
        loop {
            match self.slots.get(at) {
                Some(0) => return None,
                Some(slot) if slot >> 40 == u64::from(stem) => {
                    let place = |bits: u64| (bits & 0xF_FFFF) as usize;
                    return Some((place(slot >> 20), place(*slot)));
                }
                Some(_) => at += 1,
                None => at = 0,
            }
        }
    }

    /// Of the token at `place` and those that it begins with, the first that is not longer than `width`.
    #[inline]
    fn not_longer(&self, mut place: u32, width: usize) -> u32 {
        while place >= BYTES as u32 && self.width(place) > width {
            place = self.shorter(place);
        }
        place
    }
}

/// How many bytes two texts have in common from the start.
#[inline]
fn shared_width(one: &[u8], other: &[u8]) -> usize {
    let most = one.len().min(other.len());
    for at in (0..most).step_by(8) {
        let eight = |bytes: &[u8]| leading(bytes.get(at..).unwrap_or_default());
        let different = eight(one) ^ eight(other);
        if different != 0 {
            return most.min(at + (different.leading_zeros() / 8) as usize);
        }
    }
    most
}

/// The first four bytes as a number that compares as they do; zeros stand for missing ones.
#[inline]
fn key(bytes: &[u8]) -> u32 {
    (leading(bytes) >> u32::BITS) as u32
}

fn double(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

fn stem(first: u8, second: u8, third: u8) -> u32 {
    u32::from_be_bytes([0, first, second, third])
}

/// Where the search for a stem starts in a table of `length` slots.
#[inline]
fn stem_slot(stem: u32, length: usize) -> usize {
    let hash = u64::from(stem.wrapping_mul(0x9E37_79B1));
    ((hash * length as u64) >> 32) as usize
}
