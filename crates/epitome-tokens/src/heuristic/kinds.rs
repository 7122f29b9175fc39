//! What a walk has to know of a character, found at once for a unit of UTF-16 and for a byte of ASCII.

use super::script_class::{self, CLASSES};
use super::state_machine::{CLASS_BITS, share};
use super::table::Row;

/// What a unit is.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) row: Row,
    /// The bits in which it differs from what stands for it in grams.
    fold: u16,
    /// All bits where a shorter gram counts, which it does outside ASCII.
    short: i32,
    /// All bits where each gram reaches back one character further than it does for those that are many.
    back: i64,
}

/// What a character of ASCII is, of which only the longer gram counts.
#[derive(Clone, Copy)]
pub(super) struct Letter {
    pub(super) row: Row,
    /// Its share in grams.
    pub(super) share: u64,
}

impl Kind {
    /// That of a unit, without a branch.
    #[inline(always)]
    pub(super) fn of(unit: u16) -> Self {
        let block = BLOCKS.get(usize::from(unit / BLOCK)).copied();
        let Block { first, mask } = block.unwrap_or(Block { first: 0, mask: 0 });
        let place = usize::from(first) + (usize::from(unit) & usize::from(mask));
        KINDS.get(place).copied().unwrap_or(Self::of_class(script_class::OTHER, 0))
    }

    /// That of a character of a class, with the bits in which it differs from what stands for it in grams.
    pub(super) const fn of_class(class: u8, fold: u16) -> Self {
        let [short, long] = script_class::reach(class);
        Self { row: Row::of(class), fold, short: -((short > 0) as i32), back: -((long > 2) as i64) }
    }

    /// Whether the unit is half of a character.
    #[inline(always)]
    pub(super) fn is_surrogate(self) -> bool {
        self.row == Row::of(SURROGATE)
    }

    /// The share of the unit in grams.
    #[inline(always)]
    pub(super) fn share(self, unit: u16) -> u64 {
        share(u64::from(u32::from(unit) ^ u32::from(self.fold)))
    }

    /// All bits where a shorter gram counts.
    #[inline(always)]
    pub(super) fn short(self) -> usize {
        self.short as usize
    }

    /// All bits where each gram reaches back one character further than it does for those that are many.
    #[inline(always)]
    pub(super) fn back(self) -> u64 {
        self.back as u64
    }
}

impl Letter {
    /// That of a byte, whose highest bit is of no account.
    #[inline(always)]
    pub(super) fn of(byte: u8) -> Self {
        LETTERS.get(usize::from(byte)).copied().unwrap_or(Self { row: Row::of(0), share: 0 })
    }
}

/// The class of halves of characters, which no price is for.
const SURROGATE: u8 = (1 << CLASS_BITS) - 1;
const _: () = assert!(CLASSES <= SURROGATE as usize);

/// Units that are of one class outside ASCII.
const BLOCK: u16 = 64;
const ASCII: usize = 128;

/// Where in [`KINDS`] the units of a block are.
#[derive(Clone, Copy)]
struct Block {
    first: u8,
    /// The bits of a unit that tell it from others of the block.
    mask: u8,
}

static BLOCKS: [Block; (u16::MAX / BLOCK) as usize + 1] = blocks();
/// The kinds of ASCII, and behind them those of all classes. Any two bytes make a place.
static KINDS: [Kind; 2 << u8::BITS] = kinds();
static LETTERS: [Letter; 256] = letters();

const fn blocks() -> [Block; (u16::MAX / BLOCK) as usize + 1] {
    let mut table = [Block { first: 0, mask: 0 }; (u16::MAX / BLOCK) as usize + 1];
    let (mut unit, mut rest) = (0, table.as_mut_slice());
    while let Some((block, behind)) = rest.split_first_mut() {
        *block = match unit {
            0..0x80 => Block { first: unit as u8, mask: BLOCK as u8 - 1 },
            0xD800..0xE000 => Block { first: ASCII as u8 + SURROGATE, mask: 0 },
            _ => Block { first: ASCII as u8 + script_class::of_wide(unit), mask: 0 },
        };
        rest = behind;
        unit += BLOCK as u32;
    }
    table
}

const fn kinds() -> [Kind; 2 << u8::BITS] {
    let mut table = [Kind::of_class(script_class::OTHER, 0); 2 << u8::BITS];
    let (mut place, mut rest) = (0, table.as_mut_slice());
    while let Some((first, behind)) = rest.split_first_mut() {
        if place < ASCII {
            let (class, folded) = script_class::of_ascii(place as u8);
            *first = Kind::of_class(class, folded ^ place as u16);
        } else if place - ASCII <= SURROGATE as usize {
            *first = Kind::of_class((place - ASCII) as u8, 0);
        }
        rest = behind;
        place += 1;
    }
    table
}

const fn letters() -> [Letter; 256] {
    let mut table = [Letter { row: Row::of(0), share: 0 }; 256];
    let (mut byte, mut rest) = (0_u8, table.as_mut_slice());
    while let Some((first, behind)) = rest.split_first_mut() {
        let (class, folded) = script_class::of_ascii(byte & 0x7F);
        *first = Letter { row: Row::of(class), share: share(folded as u64) };
        rest = behind;
        byte = byte.wrapping_add(1);
    }
    table
}
