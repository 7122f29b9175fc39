//! The weights of characters, which are fitted to exact counts and read from a file of the crate.
//!
//! `cargo run --example fit` writes `o200k_base.weights`, and `o200k_base.md` with the texts that it was fitted to.

use super::state_machine::{LONG_GRAMS, SHORT_GRAMS, SLOTS};

/// The weight of one token.
pub(super) const ONE: i32 = 1 << 10;
/// The unit of the weights of grams.
pub(super) const GRAM: i32 = ONE / 16;
const FILE: usize = 2 * SLOTS + SHORT_GRAMS + LONG_GRAMS;

/// A weight for each slot and each gram.
pub(super) struct Weights {
    slots: [i16; SLOTS],
    short: [i8; SHORT_GRAMS],
    long: [i8; LONG_GRAMS],
}

pub(super) const O200K_BASE: Weights = Weights::read(include_bytes!("o200k_base.weights"));

impl Weights {
    const fn read(file: &[u8; FILE]) -> Self {
        let mut weights =
            Self { slots: [0; SLOTS], short: [0; SHORT_GRAMS], long: [0; LONG_GRAMS] };
        let (slots, grams) = file.split_at(2 * SLOTS);
        let (mut from, mut to) = (slots, weights.slots.as_mut_slice());
        while let (Some((bytes, after)), Some((first, rest))) =
            (from.split_first_chunk::<2>(), to.split_first_mut())
        {
            *first = i16::from_le_bytes(*bytes);
            (from, to) = (after, rest);
        }
        let (short, long) = grams.split_at(SHORT_GRAMS);
        copy(short, &mut weights.short);
        copy(long, &mut weights.long);
        weights
    }

    /// The weight of a slot: a class in a state. 0 if the slot does not exist.
    pub(super) const fn slot(&self, slot: usize) -> i32 {
        match self.slots.split_at_checked(slot) {
            Some((_, [weight, ..])) => *weight as i32,
            _ => 0,
        }
    }

    /// The weight of a short gram, in units of [`GRAM`].
    pub(super) const fn short(&self, gram: usize) -> i32 {
        at(&self.short, gram)
    }

    /// The weight of a long gram, in units of [`GRAM`].
    pub(super) const fn long(&self, gram: usize) -> i32 {
        at(&self.long, gram)
    }
}

const fn at(weights: &[i8], gram: usize) -> i32 {
    match weights.split_at_checked(gram) {
        Some((_, [weight, ..])) => *weight as i32,
        _ => 0,
    }
}

const fn copy(mut from: &[u8], mut to: &mut [i8]) {
    while let (Some((byte, after)), Some((first, rest))) =
        (from.split_first(), to.split_first_mut())
    {
        *first = *byte as i8;
        (from, to) = (after, rest);
    }
}
