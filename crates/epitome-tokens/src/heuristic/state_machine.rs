//! The state machine of the estimate: where a piece of `o200k_base` begins, and what is known of each character.
//!
//! Each character is a *step* from one state to the next. A state says what the current piece is so far: what came
//! before its word, its case, how many characters it has. Two *grams* say which characters they were: hashes of the
//! last few characters. A step also says whether a piece begins with the character. Contractions and quotes after a
//! word count as part of the word, since only the characters after them could distinguish the two.

use super::script_class::{self, CAPITAL, CLASSES, DIGIT, LATIN_CAPITAL, LETTERS, NEWLINE, QUOTE};
use super::script_class::{BLANK, SPACE as SPACE_CLASS};

/// Bits of a class in the number of a slot.
pub(crate) const CLASS_BITS: usize = 5;
/// The number of slots: one for each state and class, including those that no text reaches.
pub(crate) const SLOTS: usize = 1 << 12;
/// The number of short grams.
pub(crate) const SHORT_GRAMS: usize = 1 << SHORT_BITS;
/// The number of long grams.
pub(crate) const LONG_GRAMS: usize = 1 << LONG_BITS;
pub(crate) const SHORT_BITS: u32 = 13;
pub(crate) const LONG_BITS: u32 = 14;

// The states. A state with several numbers counts the characters of the piece; the last number stands for all more.
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

// What comes before a word in its piece, as the number of its block of states.
const BY_SPACE: u8 = 0;
const BY_MARK: u8 = 1;
const BY_NOTHING: u8 = 2;
const BY_LETTER: u8 = 3;

/// The bit of a transition that says that a piece begins with the character.
pub(crate) const BEGINS: u8 = 0x80;

const _: () = assert!(STATES < BEGINS && CLASSES <= 1 << CLASS_BITS);

/// The state after the character of a slot, with [`BEGINS`] if a piece begins with it.
pub(crate) const fn transition_at(slot: usize) -> u8 {
    let (state, class) = ((slot >> CLASS_BITS) as u8, (slot & ((1 << CLASS_BITS) - 1)) as u8);
    if state < STATES { transition(state, class) } else { START }
}

/// What is known of one character.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The state before the character, and the character's class.
    pub(crate) slot: usize,
    /// The short gram that ends with the character.
    pub(crate) short: usize,
    /// The long gram that ends with the character.
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

/// The state of a scan.
struct Walk {
    state: u8,
    /// The last four characters, the last one in the lowest bits.
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

    /// The last characters of the window, as many as `characters` says.
    fn last(&self, characters: u32) -> u64 {
        self.window & ((1 << (16 * characters)) - 1)
    }
}

/// The gram of some characters.
fn gram<const BITS: u32>(characters: u64) -> usize {
    number::<BITS>(share(characters))
}

/// The share of characters in the hash of a gram.
// A multiplication is linear: the share of a window is the sum of the shares of its characters, each shifted by 16 bits
// per character after it. So a walk computes one share per character, and forms all grams by shifts and additions.
#[inline(always)]
pub(crate) const fn share(characters: u64) -> u64 {
    characters.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The gram whose characters have this sum of shares.
#[inline(always)]
pub(crate) fn number<const BITS: u32>(shares: u64) -> usize {
    (shares >> (u64::BITS - BITS)) as usize
}

/// The state after `state` for one more character. `state` is in a block of `lengths` states, of which the first block
/// starts at `first`. The last state of a block stays.
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
