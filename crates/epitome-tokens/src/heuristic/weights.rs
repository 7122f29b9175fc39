//! What characters cost: fitted against exact counts, and read from a file of the crate.
//!
//! `cargo run --example fit` writes the files, and beside each what it was fitted on.

use super::state_machine::{LONG_GRAMS, SHORT_GRAMS, SLOTS};

/// What one token is in prices.
pub(super) const ONE: i32 = 1 << 10;
/// What the prices of grams are parts of, in prices.
pub(super) const GRAM: i32 = ONE / 16;
const FILE: usize = 2 * SLOTS + SHORT_GRAMS + LONG_GRAMS;

/// A price for each slot and each gram.
pub(super) struct Weights {
    slots: [i16; SLOTS],
    short: [i8; SHORT_GRAMS],
    long: [i8; LONG_GRAMS],
}

pub(super) const O200K_BASE: Weights = Weights::read(include_bytes!("o200k_base.weights"));

impl Weights {
    const fn read(file: &[u8; FILE]) -> Self {
        let mut prices = Self { slots: [0; SLOTS], short: [0; SHORT_GRAMS], long: [0; LONG_GRAMS] };
        let (slots, grams) = file.split_at(2 * SLOTS);
        let (mut from, mut to) = (slots, prices.slots.as_mut_slice());
        while let (Some((bytes, behind)), Some((first, rest))) =
            (from.split_first_chunk::<2>(), to.split_first_mut())
        {
            *first = i16::from_le_bytes(*bytes);
            (from, to) = (behind, rest);
        }
        let (short, long) = grams.split_at(SHORT_GRAMS);
        copy(short, &mut prices.short);
        copy(long, &mut prices.long);
        prices
    }

    /// The price of a class in a state; nothing where there is no such slot.
    pub(super) const fn slot(&self, slot: usize) -> i32 {
        match self.slots.split_at_checked(slot) {
            Some((_, [price, ..])) => *price as i32,
            _ => 0,
        }
    }

    /// The price of a short gram, in parts of [`GRAM`].
    pub(super) const fn short(&self, gram: usize) -> i32 {
        at(&self.short, gram)
    }

    /// The price of a long gram, in parts of [`GRAM`].
    pub(super) const fn long(&self, gram: usize) -> i32 {
        at(&self.long, gram)
    }
}

const fn at(prices: &[i8], gram: usize) -> i32 {
    match prices.split_at_checked(gram) {
        Some((_, [price, ..])) => *price as i32,
        _ => 0,
    }
}

const fn copy(mut from: &[u8], mut to: &mut [i8]) {
    while let (Some((byte, behind)), Some((first, rest))) =
        (from.split_first(), to.split_first_mut())
    {
        *first = *byte as i8;
        (from, to) = (behind, rest);
    }
}
