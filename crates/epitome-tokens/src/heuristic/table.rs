//! Where an encoder cuts and what characters cost, laid out for a walk.
//!
//! A *place* is that of a class and of the state before it; those of one class are a *row*. From one state to the next
//! it takes an addition and a look, and nothing else has to wait for that.

use super::packed_sum::PackedSum;
use super::script_class::CLASSES;
use super::state_machine::{
    BEGINS, CLASS_BITS, LONG_BITS, LONG_GRAMS, SHORT_BITS, SHORT_GRAMS, STATES, number,
    transition_at,
};
use super::weights::{GRAM, Weights};

const STATE_BITS: usize = 7;
const STATE_NUMBERS: usize = 1 << STATE_BITS;
/// Any byte may be added to the first place of any class.
const PLACES: usize = ROW_MASK + (1 << u8::BITS);
/// The bits of the first places of classes.
const ROW_MASK: usize = ((1 << CLASS_BITS) - 1) << STATE_BITS;
const _: () = assert!(STATES as usize <= STATE_NUMBERS && CLASSES <= 1 << CLASS_BITS);
/// Weights of long grams are kept so much higher, and those of places lower: then none is below zero, which saves a
/// step.
const LIFT: i32 = 1 << 7;

/// The tables for one vocabulary: 70 kB.
pub(super) struct Table {
    states: [u8; PLACES],
    /// What [`PackedSum`] adds at a place. The price of the short gram of no characters is in it, which is all that ASCII
    /// has.
    steps: [u64; PLACES],
    /// How much more a short gram costs than that one, in parts of [`GRAM`].
    short: [i8; SHORT_GRAMS],
    /// What a long gram costs, in the same parts and lifted.
    long: [u8; LONG_GRAMS],
}

/// The first place of a class.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Row(u16);

impl Row {
    pub(super) const fn of(class: u8) -> Self {
        Self((class as u16) << STATE_BITS)
    }

    pub(super) fn class(self) -> u8 {
        (self.0 >> STATE_BITS) as u8
    }
}

impl Table {
    /// What the cuts and the prices say, by place and by gram. Takes a fraction of a millisecond.
    // A function of its own: an engine may well compile it anew while it runs, the only time.
    #[inline(never)]
    pub(super) fn new(prices: &Weights) -> Self {
        let mut table = Self {
            states: [0; PLACES],
            steps: [0; PLACES],
            short: [0; SHORT_GRAMS],
            long: [0; LONG_GRAMS],
        };
        let none = prices.short(0);
        let places = table.states.iter_mut().zip(&mut table.steps);
        for (place, (state, step)) in places.enumerate() {
            let (class, before) = (place / STATE_NUMBERS, place % STATE_NUMBERS);
            let slot = (before << CLASS_BITS) | class;
            let transition = transition_at(slot);
            *state = transition & !BEGINS;
            let price = prices.slot(slot) + (none - LIFT) * GRAM;
            *step = PackedSum::step(price, transition & BEGINS != 0);
        }
        for (gram, short) in table.short.iter_mut().enumerate() {
            *short = (prices.short(gram) - none) as i8;
        }
        for (gram, long) in table.long.iter_mut().enumerate() {
            *long = (prices.long(gram) + LIFT) as u8;
        }
        table
    }

    /// The place of a class and of the state before it.
    #[inline(always)]
    pub(super) fn place(row: Row, state: usize) -> usize {
        (usize::from(row.0) & ROW_MASK) + state
    }

    /// The state behind a place.
    #[inline(always)]
    pub(super) fn state(&self, place: usize) -> usize {
        self.states.get(place).copied().map_or(0, usize::from)
    }

    /// What is added at a place besides the prices of grams.
    #[inline(always)]
    pub(super) fn step(&self, place: usize) -> u64 {
        self.steps.get(place).copied().unwrap_or(0)
    }

    /// How much more the short gram of these shares costs than that of no characters; nothing where `mask` is nothing,
    /// and else all of its bits are set.
    #[inline(always)]
    pub(super) fn short(&self, shares: u64, mask: usize) -> i32 {
        self.short
            .get(number::<SHORT_BITS>(shares) & mask)
            .map_or(0, |&price| i32::from(price) * GRAM)
    }

    /// What the long gram of these shares costs, lifted.
    #[inline(always)]
    pub(super) fn long(&self, shares: u64) -> i32 {
        self.long.get(number::<LONG_BITS>(shares)).map_or(0, |&price| i32::from(price) * GRAM)
    }
}
