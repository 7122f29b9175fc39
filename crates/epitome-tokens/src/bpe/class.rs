//! What kind of character each one is, as far as cutting text before merging goes.

mod runs;

use runs::RUNS;

/// A set of kinds of characters. Every character is of exactly one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class(u8);

impl Class {
    /// No kind at all.
    const NONE: Self = Self(0);
    /// None of the others: punctuation, symbols, control characters, what is unassigned.
    pub(super) const OTHER: Self = Self(1);
    /// `\p{Lu}` and `\p{Lt}`.
    pub(super) const UPPER: Self = Self(1 << 1);
    /// `\p{Ll}`.
    pub(super) const LOWER: Self = Self(1 << 2);
    /// `\p{Lm}` and `\p{Lo}`.
    pub(super) const CASELESS: Self = Self(1 << 3);
    /// `\p{M}`.
    pub(super) const MARK: Self = Self(1 << 4);
    /// `\p{N}`.
    pub(super) const NUMBER: Self = Self(1 << 5);
    /// `\s` without the two that end a line.
    pub(super) const SPACE: Self = Self(1 << 6);
    /// Carriage return and line feed.
    pub(super) const NEWLINE: Self = Self(1 << 7);
    /// `\p{L}`.
    pub(super) const LETTER: Self = Self::UPPER.or(Self::LOWER).or(Self::CASELESS);
    /// `\s`.
    pub(super) const BLANK: Self = Self::SPACE.or(Self::NEWLINE);

    /// The kinds of both sets.
    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether this kind is in `set`.
    pub(super) const fn is(self, set: Self) -> bool {
        self.0 & set.0 != 0
    }
}

/// Characters of one block; a block of one kind only is stored once.
const BLOCK: usize = 128;
const BLOCKS: usize = 0x11_0000 / BLOCK;

/// The kind of every character of Unicode 16, in a table of two stages: about 60 kB.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    /// The first byte of a longer character is of no kind here.
    ascii: [Class; 256],
    blocks: Vec<u16>,
    classes: Vec<Class>,
}

impl Classes {
    /// Unpacks the table: a fraction of a millisecond.
    // A function of its own: an engine may well compile it anew while it runs, the only time.
    #[inline(never)]
    pub(super) fn new() -> Self {
        let mut table = Self {
            ascii: [Class::NONE; 256],
            blocks: Vec::with_capacity(BLOCKS),
            classes: Vec::new(),
        };
        let mut uniform: [Option<u16>; 8] = [None; 8];
        let mut runs = Runs { packed: RUNS, kind: 0, left: 0 };
        for _ in 0..BLOCKS {
            runs.refill();
            let kind = usize::from(runs.kind);
            let known = uniform.get_mut(kind).filter(|_| runs.left >= BLOCK);
            let block = match known {
                Some(Some(block)) => {
                    runs.left -= BLOCK;
                    *block
                }
                Some(unknown) => *unknown.insert(table.push_block(&mut runs)),
                None => table.push_block(&mut runs),
            };
            table.blocks.push(block);
        }
        for (slot, class) in table.ascii.iter_mut().zip(table.classes.iter().take(BLOCK)) {
            *slot = *class;
        }
        table
    }

    /// The kind of an ASCII character; of any other byte, none.
    #[inline]
    pub(super) fn of_ascii(&self, byte: u8) -> Class {
        self.ascii.get(usize::from(byte)).copied().unwrap_or(Class::NONE)
    }

    /// The kind of the character numbered `code`.
    #[inline]
    pub(super) fn of(&self, code: u32) -> Class {
        let code = code as usize;
        let block = self.blocks.get(code / BLOCK).copied().unwrap_or(0);
        let place = usize::from(block) * BLOCK + code % BLOCK;
        self.classes.get(place).copied().unwrap_or(Class::OTHER)
    }

    /// Adds the next characters of the runs, and tells which block they are.
    fn push_block(&mut self, runs: &mut Runs) -> u16 {
        let (block, end) = (self.classes.len() / BLOCK, self.classes.len() + BLOCK);
        while self.classes.len() < end {
            runs.refill();
            let count = runs.left.clamp(1, end - self.classes.len());
            runs.left = runs.left.saturating_sub(count);
            self.classes.resize(self.classes.len() + count, Class(1 << runs.kind));
        }
        u16::try_from(block).unwrap_or(0)
    }
}

/// Reads [`RUNS`] from the front: each run is its length times eight plus its kind, in groups of seven
/// bits, the lowest first, all but the last with the high bit set.
struct Runs {
    packed: &'static [u8],
    kind: u8,
    /// Characters of the run that are still to come.
    left: usize,
}

impl Runs {
    /// Goes on to the next run where this one is at its end.
    fn refill(&mut self) {
        if self.left > 0 {
            return;
        }
        let (mut number, mut shift) = (0_usize, 0);
        while let Some((&group, rest)) = self.packed.split_first() {
            self.packed = rest;
            number |= usize::from(group & 0x7F) << shift;
            shift += 7;
            if group < 0x80 {
                break;
            }
        }
        self.kind = (number & 7) as u8;
        self.left = number >> 3;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_characters() {
        let classes = Classes::new();
        let known = [
            (Class::OTHER, "!'/_\0\u{7f}€👍\u{200d}\u{e000}\u{10ffff}\u{378}"),
            (Class::UPPER, "AZÀΩЯǅ𝐀"),
            (Class::LOWER, "azßωяſ𝐚"),
            (Class::CASELESS, "字あア한ªʰกא𠀀"),
            (Class::MARK, "\u{301}\u{93f}\u{fe0f}\u{20dd}"),
            (Class::NUMBER, "09²½Ⅷ٣๔𝟘"),
            (Class::SPACE, "\t\u{b}\u{c} \u{85}\u{a0}\u{2003}\u{2028}\u{3000}"),
            (Class::NEWLINE, "\r\n"),
        ];
        for (class, characters) in known {
            for character in characters.chars() {
                assert_eq!(classes.of(character as u32), class, "{character:?}");
            }
        }
        for byte in 0..128_u8 {
            assert_eq!(classes.of_ascii(byte), classes.of(u32::from(byte)), "{byte}");
        }
    }

    #[test]
    fn every_character_is_of_the_kind_that_regular_expressions_say() {
        let kinds = [
            (r"[\p{Lu}\p{Lt}]", Class::UPPER),
            (r"\p{Ll}", Class::LOWER),
            (r"[\p{Lm}\p{Lo}]", Class::CASELESS),
            (r"\p{M}", Class::MARK),
            (r"\p{N}", Class::NUMBER),
            (r"[\s--[\r\n]]", Class::SPACE),
            (r"[\r\n]", Class::NEWLINE),
            (r"[^\s\p{L}\p{M}\p{N}]", Class::OTHER),
        ];
        let classes = Classes::new();
        let all: String = ('\0'..=char::MAX).collect();
        let mut matched = 0;
        for (pattern, class) in kinds {
            let pattern = fancy_regex::Regex::new(&format!("{pattern}+")).unwrap();
            for character in pattern.find_iter(&all).flat_map(|run| run.unwrap().as_str().chars()) {
                assert_eq!(classes.of(character as u32), class, "{character:?}");
                matched += 1;
            }
        }
        assert_eq!(matched, all.chars().count());
    }

    #[test]
    fn numbers_beyond_unicode_are_of_some_kind() {
        assert_eq!(Classes::new().of(u32::MAX), Class::OTHER);
    }
}
