//! What a walk needs to know of a character, by a table lookup for a UTF-16 unit or an ASCII byte.

use super::script_class::{self, CLASSES};
use super::state_machine::{CLASS_BITS, share};
use super::table::Row;

/// The properties of a unit.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) row: Row,
    /// The bits in which the unit differs from the one that represents it in grams: a small letter, the digit 0.
    fold: u16,
    /// A mask: all ones if the unit has a short gram, as all units outside ASCII have.
    short: i32,
    /// A mask: 0 if both grams have one character less, as those of classes with many characters.
    back: i64,
}

/// The properties of an ASCII character, which has only a long gram.
#[derive(Clone, Copy)]
pub(super) struct Letter {
    pub(super) row: Row,
    /// Its share in grams.
    pub(super) share: u64,
}

impl Kind {
    /// The properties of a unit, without a branch.
    #[inline(always)]
    pub(super) fn of(unit: u16) -> Self {
        let block = BLOCKS.get(usize::from(unit / BLOCK)).copied();
        let Block { first, mask } = block.unwrap_or(Block { first: 0, mask: 0 });
        let place = usize::from(first) + (usize::from(unit) & usize::from(mask));
        KINDS.get(place).copied().unwrap_or(Self::of_class(script_class::OTHER, 0))
    }

    /// The properties of a character of a class. `fold` is as in the struct.
    pub(super) const fn of_class(class: u8, fold: u16) -> Self {
        let [short, long] = script_class::reach(class);
        Self { row: Row::of(class), fold, short: -((short > 0) as i32), back: -((long > 2) as i64) }
    }

    /// Whether the unit is a surrogate: half of a character.
    #[inline(always)]
    pub(super) fn is_surrogate(self) -> bool {
        self.row == Row::of(SURROGATE)
    }

    /// The share of the unit in grams.
    #[inline(always)]
    pub(super) fn share(self, unit: u16) -> u64 {
        share(u64::from(u32::from(unit) ^ u32::from(self.fold)))
    }

    /// The mask for the short gram.
    #[inline(always)]
    pub(super) fn short(self) -> usize {
        self.short as usize
    }

    /// The mask for the earliest character of both grams.
    #[inline(always)]
    pub(super) fn back(self) -> u64 {
        self.back as u64
    }
}

impl Letter {
    /// The properties of a byte. Its highest bit is ignored.
    #[inline(always)]
    pub(super) fn of(byte: u8) -> Self {
        LETTERS.get(usize::from(byte)).copied().unwrap_or(Self { row: Row::of(0), share: 0 })
    }
}

/// The class of surrogates. It has no weights.
const SURROGATE: u8 = (1 << CLASS_BITS) - 1;
const _: () = assert!(CLASSES <= SURROGATE as usize);

/// Units per block. Outside ASCII, all units of a block have one class.
const BLOCK: u16 = 64;
const ASCII: usize = 128;

/// The position in [`KINDS`] of the units of a block.
#[derive(Clone, Copy)]
struct Block {
    first: u8,
    /// The bits of a unit that are added to `first`: its position in an ASCII block, none in other blocks.
    mask: u8,
}

static BLOCKS: [Block; (u16::MAX / BLOCK) as usize + 1] = blocks();
/// The kinds of ASCII, and after them one for each class. Large enough for the sum of any two bytes, so that the
/// compiler checks no bounds.
static KINDS: [Kind; 2 << u8::BITS] = kinds();
static LETTERS: [Letter; 256] = letters();

const fn blocks() -> [Block; (u16::MAX / BLOCK) as usize + 1] {
    let mut table = [Block { first: 0, mask: 0 }; (u16::MAX / BLOCK) as usize + 1];
    let (mut unit, mut rest) = (0, table.as_mut_slice());
    while let Some((block, after)) = rest.split_first_mut() {
        *block = match unit {
            0..0x80 => Block { first: unit as u8, mask: BLOCK as u8 - 1 },
            0xD800..0xE000 => Block { first: ASCII as u8 + SURROGATE, mask: 0 },
            _ => Block { first: ASCII as u8 + script_class::of_wide(unit), mask: 0 },
        };
        rest = after;
        unit += BLOCK as u32;
    }
    table
}

const fn kinds() -> [Kind; 2 << u8::BITS] {
    let mut table = [Kind::of_class(script_class::OTHER, 0); 2 << u8::BITS];
    let (mut place, mut rest) = (0, table.as_mut_slice());
    while let Some((first, after)) = rest.split_first_mut() {
        if place < ASCII {
            let (class, folded) = script_class::of_ascii(place as u8);
            *first = Kind::of_class(class, folded ^ place as u16);
        } else if place - ASCII <= SURROGATE as usize {
            *first = Kind::of_class((place - ASCII) as u8, 0);
        }
        rest = after;
        place += 1;
    }
    table
}

const fn letters() -> [Letter; 256] {
    let mut table = [Letter { row: Row::of(0), share: 0 }; 256];
    let (mut byte, mut rest) = (0_u8, table.as_mut_slice());
    while let Some((first, after)) = rest.split_first_mut() {
        let (class, folded) = script_class::of_ascii(byte & 0x7F);
        *first = Letter { row: Row::of(class), share: share(folded as u64) };
        rest = after;
        byte = byte.wrapping_add(1);
    }
    table
}
