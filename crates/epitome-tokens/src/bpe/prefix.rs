//! The longest token that a text starts with, and the tokens that start it.
//!
//! All tokens lie in the order of their bytes. The last one that is not behind the text begins with every
//! token that the text begins with, so it and its own beginnings are all there is to look at.

use super::vocabulary::{BYTES, leading};

/// Bytes that lead to a group of neighbours without a search.
const STEM: usize = 3;
const SLOTS_PER_STEM: f64 = 1.6;

/// One token; what is asked for together lies together.
#[derive(Clone, Copy, Debug)]
struct Token {
    /// Where it ends in the text of all; it starts where the one before it ends.
    end: u32,
    rank: u32,
    /// The longest other token that it begins with.
    shorter: u32,
}

/// The tokens of a vocabulary by place.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefixes {
    /// The bytes of all tokens.
    text: Vec<u8>,
    tokens: Vec<Token>,
    /// The eight bytes of each behind its stem.
    keys: Vec<u64>,
    /// The longest token of at most two bytes, by the two bytes it is found in.
    doubles: Vec<u32>,
    /// First place and end of the tokens that begin with the same three bytes.
    stems: Vec<(u32, u32, u32)>,
    /// The stems by their hash: the three bytes, first place and end in 24, 20 and 20 bits. No stem is 0.
    slots: Vec<u64>,
    longest: usize,
}

impl Prefixes {
    pub(super) fn with_capacity(tokens: usize, bytes: usize) -> Self {
        let tokens = tokens + BYTES;
        Self {
            text: Vec::with_capacity(bytes),
            tokens: Vec::with_capacity(tokens),
            keys: Vec::with_capacity(tokens),
            doubles: (0..BYTES as u32).flat_map(|first| [first; BYTES]).collect(),
            stems: Vec::new(),
            slots: Vec::new(),
            longest: 1,
        }
    }

    /// Adds the single bytes, whose ranks are given by value. They come first.
    pub(super) fn push_bytes(&mut self, ranks: &[u32; BYTES]) {
        for (byte, &rank) in (0..=u8::MAX).zip(ranks) {
            self.text.push(byte);
            let shorter = u32::from(byte);
            self.tokens.push(Token { end: shorter + 1, rank, shorter });
            self.keys.push(0);
        }
    }

    /// Adds a longer token. They come in the order of their bytes.
    pub(super) fn push(&mut self, token: &[u8], rank: u32) {
        let [first, second, ref behind @ ..] = *token else { return };
        let place = self.tokens.len() as u32;
        if let Some(&third) = behind.first() {
            let stem = stem(first, second, third);
            match self.stems.last_mut() {
                Some((last, _, end)) if *last == stem => *end = place + 1,
                _ => self.stems.push((stem, place, place + 1)),
            }
        } else if let Some(slot) = self.doubles.get_mut(double(first, second)) {
            *slot = place;
        }
        // What begins a token stands before it, with only tokens between that begin with it as well.
        let before = place.saturating_sub(1);
        let shorter = if place > BYTES as u32 {
            self.not_longer(before, shared_width(self.token(before), token))
        } else {
            u32::from(first)
        };
        let shorter = if shorter < BYTES as u32 { u32::from(first) } else { shorter };
        self.text.extend_from_slice(token);
        self.tokens.push(Token { end: self.text.len() as u32, rank, shorter });
        self.keys.push(leading(token.get(STEM..).unwrap_or_default()));
        self.longest = self.longest.max(token.len());
    }

    /// To be called when every token is there.
    pub(super) fn finish(&mut self) {
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

    /// How many tokens there are.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Bytes of the longest token.
    pub(super) fn longest_token(&self) -> usize {
        self.longest
    }

    /// The rank of the token at `place`.
    #[inline]
    pub(super) fn rank(&self, place: u32) -> u32 {
        self.tokens.get(place as usize).map_or(0, |token| token.rank)
    }

    /// The longest other token that the one at `place` begins with; a single byte begins with itself.
    #[inline]
    pub(super) fn shorter(&self, place: u32) -> u32 {
        self.tokens.get(place as usize).map_or(0, |token| token.shorter)
    }

    /// Bytes of the token at `place`.
    #[inline]
    pub(super) fn width(&self, place: u32) -> usize {
        let (start, end) = self.span(place);
        end - start
    }

    /// The bytes of the token at `place`.
    #[inline]
    pub(super) fn token(&self, place: u32) -> &[u8] {
        let (start, end) = self.span(place);
        self.text.get(start..end).unwrap_or_default()
    }

    #[inline]
    fn span(&self, place: u32) -> (usize, usize) {
        let place = place as usize;
        let end = |place: usize| self.tokens.get(place).map(|token| token.end as usize);
        let start = place.checked_sub(1).and_then(end).unwrap_or(0);
        (start, end(place).unwrap_or(start))
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
        let key = leading(behind);
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
