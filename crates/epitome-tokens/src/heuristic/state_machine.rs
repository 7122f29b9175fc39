//! One pass over a text: a state machine that knows where an encoder cuts, and the letters just read.
//!
//! Each character is a *step* from one state to the next. States say what a piece has been so far: what led
//! it, its case, how many characters it has. Which characters they were is told by two *grams*: numbers of the
//! last few characters, hashed. Where a piece of `o200k_base` begins, the step says so; a contraction and the
//! quote behind a word are taken for part of the word, since telling them apart needs a look ahead.

use super::script_class::{self, CAPITAL, CLASSES, DIGIT, LATIN_CAPITAL, LETTERS, NEWLINE, QUOTE};
use super::script_class::{BLANK, SPACE as SPACE_CLASS};

/// Bits of the number of a class in the number of a slot.
pub(crate) const CLASS_BITS: usize = 5;
/// Slots there are: one for each state and class, whether a text can reach it or not.
pub(crate) const SLOTS: usize = 1 << 12;
/// How many numbers a short gram can have.
pub(crate) const SHORT_GRAMS: usize = 1 << SHORT_BITS;
/// How many numbers a long gram can have.
pub(crate) const LONG_GRAMS: usize = 1 << LONG_BITS;
pub(crate) const SHORT_BITS: u32 = 13;
pub(crate) const LONG_BITS: u32 = 14;

// The states. Those with more than one number count characters, and the last of them stays.
const START: u8 = 0;
const SPACE: u8 = 1;
const SPACES: u8 = 2;
const TAB: u8 = 3;
const LINE: u8 = 4;
const LINES: u8 = 5;
const DIGITS: u8 = 6;
const LAST_DIGITS: u8 = DIGITS + 2;
const MARKS: u8 = LAST_DIGITS + 1;
const SPACED_MARKS: u8 = MARKS + MARK_LENGTHS;
const LAST_SPACED_MARKS: u8 = SPACED_MARKS + MARK_LENGTHS - 1;
const MARKED_LINE: u8 = LAST_SPACED_MARKS + 1;
const QUOTED: u8 = MARKED_LINE + 1;
const MIXED: u8 = QUOTED + 1;
const SMALL: u8 = MIXED + MIXED_LENGTHS;
const CAPITALS: u8 = SMALL + 3 * LENGTHS;
const CAPPED: u8 = CAPITALS + 4 * CAPITAL_LENGTHS;
pub(crate) const STATES: u8 = CAPPED + 4 * LENGTHS;

const LENGTHS: u8 = 10;
const CAPITAL_LENGTHS: u8 = 5;
const MIXED_LENGTHS: u8 = 4;
const MARK_LENGTHS: u8 = 4;

// What leads a word: the number of its block of states.
const BY_SPACE: u8 = 0;
const BY_MARK: u8 = 1;
const BY_NOTHING: u8 = 2;
const BY_LETTER: u8 = 3;

/// Set in a transition where a new piece begins with the character.
pub(crate) const BEGINS: u8 = 0x80;

const _: () = assert!(STATES < BEGINS && CLASSES <= 1 << CLASS_BITS);

/// The state behind a character, and [`BEGINS`] where a piece begins with it.
pub(crate) const fn transition_at(slot: usize) -> u8 {
    let (state, class) = ((slot >> CLASS_BITS) as u8, (slot & ((1 << CLASS_BITS) - 1)) as u8);
    if state < STATES { transition(state, class) } else { START }
}

/// What is known about one character.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The state before the character, and the character's class.
    pub(crate) slot: usize,
    /// The number of the shorter gram that ends with the character.
    pub(crate) short: usize,
    /// The number of the longer gram that ends with the character.
    pub(crate) long: usize,
    /// The class of the character.
    pub(crate) class: u8,
    /// Whether a piece begins with the character.
    pub(crate) begins: bool,
}

/// Calls `each` for every character of the text, in order. Linear, in constant memory.
#[inline(always)]
pub(crate) fn scan(text: &str, mut each: impl FnMut(Step)) {
    let mut walk = Walk { state: START, window: 0 };
    for character in text.chars() {
        let code = character as u32;
        let (class, code) = script_class::of(code);
        each(walk.step(class, code));
    }
}

/// Where a scan is.
struct Walk {
    state: u8,
    /// The last four characters, the last one lowest.
    window: u64,
}

impl Walk {
    #[inline(always)]
    fn step(&mut self, class: u8, code: u16) -> Step {
        self.window = self.window << 16 | u64::from(code);
        let [short, long] = script_class::reach(class);
        let slot = (usize::from(self.state) << CLASS_BITS | usize::from(class)) & (SLOTS - 1);
        let transition = transition_at(slot);
        self.state = transition & !BEGINS;
        Step {
            slot,
            short: gram::<SHORT_BITS>(self.last(short)),
            long: gram::<LONG_BITS>(self.last(long)),
            class,
            begins: transition & BEGINS != 0,
        }
    }

    /// So many characters of the window, and no others.
    fn last(&self, characters: u32) -> u64 {
        self.window & ((1 << (16 * characters)) - 1)
    }
}

/// The characters at the end of the window as a number.
fn gram<const BITS: u32>(characters: u64) -> usize {
    number::<BITS>(share(characters))
}

/// What characters have in the number of a gram. That of a window is that of its last character, that of the one
/// before moved by sixteen bits, and so on, added up.
#[inline(always)]
pub(crate) const fn share(characters: u64) -> u64 {
    characters.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The number of the gram whose characters have these shares together.
#[inline(always)]
pub(crate) fn number<const BITS: u32>(shares: u64) -> usize {
    (shares >> (u64::BITS - BITS)) as usize
}

/// What is behind the first of `lengths` states that begin with `first`, where `state` is among them.
const fn longer(state: u8, first: u8, lengths: u8) -> u8 {
    let block = (state - first) / lengths * lengths + first;
    let length = state - block + 1;
    block + if length < lengths { length } else { lengths - 1 }
}

const fn transition(state: u8, class: u8) -> u8 {
    let begins = if state == START { 0 } else { BEGINS };
    match class {
        SPACE_CLASS => match state {
            SPACE | SPACES | TAB => SPACES,
            _ => SPACE | begins,
        },
        BLANK => match state {
            SPACE | SPACES | TAB => TAB,
            _ => TAB | begins,
        },
        NEWLINE => match state {
            SPACE | SPACES | TAB => LINE,
            LINE | LINES => LINES,
            MARKS..=QUOTED => MARKED_LINE,
            _ => LINE | begins,
        },
        DIGIT => match state {
            DIGITS..LAST_DIGITS => state + 1,
            _ => DIGITS | begins,
        },
        CAPITAL | LATIN_CAPITAL => capital(state, begins),
        _ if LETTERS >> class & 1 != 0 => small(state, begins),
        QUOTE if state >= MIXED => QUOTED,
        _ => mark(state, begins),
    }
}

const fn capital(state: u8, begins: u8) -> u8 {
    match state {
        SPACE => CAPITALS + BY_SPACE * CAPITAL_LENGTHS,
        SPACES => (CAPITALS + BY_SPACE * CAPITAL_LENGTHS) | begins,
        TAB | MARKS | QUOTED => CAPITALS + BY_MARK * CAPITAL_LENGTHS,
        CAPITALS..CAPPED => longer(state, CAPITALS, CAPITAL_LENGTHS),
        MIXED.. => (CAPITALS + BY_LETTER * CAPITAL_LENGTHS) | BEGINS,
        _ => (CAPITALS + BY_NOTHING * CAPITAL_LENGTHS) | begins,
    }
}

const fn small(state: u8, begins: u8) -> u8 {
    match state {
        SPACE => SMALL + BY_SPACE * LENGTHS,
        SPACES => (SMALL + BY_SPACE * LENGTHS) | begins,
        TAB | MARKS | QUOTED => SMALL + BY_MARK * LENGTHS,
        MIXED..SMALL => longer(state, MIXED, MIXED_LENGTHS),
        SMALL..CAPITALS => longer(state, SMALL, LENGTHS),
        CAPITALS..CAPPED if (state - CAPITALS).is_multiple_of(CAPITAL_LENGTHS) => {
            CAPPED + (state - CAPITALS) / CAPITAL_LENGTHS * LENGTHS
        }
        CAPITALS..CAPPED => MIXED,
        CAPPED.. => longer(state, CAPPED, LENGTHS),
        _ => (SMALL + BY_NOTHING * LENGTHS) | begins,
    }
}

const fn mark(state: u8, begins: u8) -> u8 {
    match state {
        SPACE => SPACED_MARKS,
        SPACES => SPACED_MARKS | begins,
        MARKS..=LAST_SPACED_MARKS => longer(state, MARKS, MARK_LENGTHS),
        QUOTED => MARKS + 1,
        _ => MARKS | begins,
    }
}
