//! The state machine and the weights as tables that a walk reads.
//!
//! A *cell* belongs to a class and to the state before the character. The cells of one class are a *row*. The next
//! state takes one addition and one load. Each character waits for the state of the one before it, so this is the only
//! chain of dependent work in a walk, and its length decides the speed.

use super::packed_sum::PackedSum;
use super::script_class::CLASSES;
use super::state_machine::{
    BEGINS, CLASS_BITS, LONG_BITS, LONG_GRAMS, SHORT_BITS, SHORT_GRAMS, STATES, number,
    transition_at,
};
use super::weights::{GRAM, Weights};

const STATE_BITS: usize = 7;
const STATE_NUMBERS: usize = 1 << STATE_BITS;
// Any byte may be added to the first cell of any class: so the compiler sees that a cell exists, and checks nothing.
const CELLS: usize = ROW_MASK + (1 << u8::BITS);
/// The bits of the first cells of classes.
const ROW_MASK: usize = ((1 << CLASS_BITS) - 1) << STATE_BITS;
const _: () = assert!(STATES as usize <= STATE_NUMBERS && CLASSES <= 1 << CLASS_BITS);
/// Added to the weights of long grams, and subtracted from those of cells.
// A weight is then never negative and is stored as `u8`, whose load needs no sign extension.
const LIFT: i32 = 1 << 7;

/// The tables of the weights: 70 kB.
pub(super) struct Table {
    states: [u8; CELLS],
    /// The step that a [`PackedSum`] adds for a cell. It includes the weight of the empty short gram, the only short
    /// gram that ASCII characters have.
    steps: [u64; CELLS],
    /// The weight of a short gram minus that of the empty one, in units of [`GRAM`].
    short: [i8; SHORT_GRAMS],
    /// The weight of a long gram plus [`LIFT`], in units of [`GRAM`].
    long: [u8; LONG_GRAMS],
}

/// The first cell of a class.
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
    /// Lays out the weights. Takes a fraction of a millisecond.
    // Not inlined: a JavaScript engine recompiles a function while its loop runs, and its caller with it if it is
    // inlined.
    #[inline(never)]
    pub(super) fn new(weights: &Weights) -> Self {
        let mut table = Self {
            states: [0; CELLS],
            steps: [0; CELLS],
            short: [0; SHORT_GRAMS],
            long: [0; LONG_GRAMS],
        };
        let none = weights.short(0);
        let places = table.states.iter_mut().zip(&mut table.steps);
        for (cell, (state, step)) in places.enumerate() {
            let (class, before) = (cell / STATE_NUMBERS, cell % STATE_NUMBERS);
            let slot = (before << CLASS_BITS) | class;
            let transition = transition_at(slot);
            *state = transition & !BEGINS;
            let weight = weights.slot(slot) + (none - LIFT) * GRAM;
            *step = PackedSum::step(weight, transition & BEGINS != 0);
        }
        for (gram, short) in table.short.iter_mut().enumerate() {
            *short = (weights.short(gram) - none) as i8;
        }
        for (gram, long) in table.long.iter_mut().enumerate() {
            *long = (weights.long(gram) + LIFT) as u8;
        }
        table
    }

    /// The cell of a class, after a state.
    #[inline(always)]
    pub(super) fn cell(row: Row, state: usize) -> usize {
        (usize::from(row.0) & ROW_MASK) + state
    }

    /// The state after a cell.
    #[inline(always)]
    pub(super) fn state(&self, cell: usize) -> usize {
        self.states.get(cell).copied().map_or(0, usize::from)
    }

    /// The step of a cell, without the weights of grams.
    #[inline(always)]
    pub(super) fn step(&self, cell: usize) -> u64 {
        self.steps.get(cell).copied().unwrap_or(0)
    }

    /// The weight of the short gram with this sum of shares, minus that of the empty gram. `mask` is all ones, or 0 for
    /// the empty gram.
    #[inline(always)]
    pub(super) fn short(&self, shares: u64, mask: usize) -> i32 {
        self.short
            .get(number::<SHORT_BITS>(shares) & mask)
            .map_or(0, |&weight| i32::from(weight) * GRAM)
    }

    /// The weight of the long gram with this sum of shares, plus [`LIFT`].
    #[inline(always)]
    pub(super) fn long(&self, shares: u64) -> i32 {
        self.long.get(number::<LONG_BITS>(shares)).map_or(0, |&weight| i32::from(weight) * GRAM)
    }
}
