//! The class of each character, as the regular expressions of pre-tokenizers distinguish them.

mod runs;

use runs::RUNS;

/// A set of character classes. Every character has exactly one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class(u8);

impl Class {
    /// The empty set.
    const NONE: Self = Self(0);
    /// All other characters: punctuation, symbols, control characters, unassigned characters.
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
    /// `\s` without carriage return and line feed.
    pub(super) const SPACE: Self = Self(1 << 6);
    /// Carriage return and line feed.
    pub(super) const NEWLINE: Self = Self(1 << 7);
    /// `\p{L}`.
    pub(super) const LETTER: Self = Self::UPPER.or(Self::LOWER).or(Self::CASELESS);
    /// `\s`.
    pub(super) const BLANK: Self = Self::SPACE.or(Self::NEWLINE);

    /// The classes of both sets.
    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether this class is in `set`.
    pub(super) const fn is(self, set: Self) -> bool {
        self.0 & set.0 != 0
    }
}

/// Characters per block. All blocks with the same single class are stored once.
const BLOCK: usize = 128;
const BLOCKS: usize = 0x11_0000 / BLOCK;

/// The class of every character of Unicode 16, in a table of two stages: about 60 kB.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    /// By byte. Bytes of characters outside ASCII have the empty set.
    ascii: [Class; 256],
    blocks: Vec<u16>,
    classes: Vec<Class>,
}

impl Classes {
    /// Unpacks the table. Takes a fraction of a millisecond.
    // Not inlined: a JavaScript engine recompiles a function while its loop runs, and its caller with it if it is
    // inlined. This function runs once, so the recompilation should be as small as possible.
    #[inline(never)]
    pub(super) fn new() -> Self {
        let mut table = Self {
            ascii: [Class::NONE; 256],
            blocks: Vec::with_capacity(BLOCKS),
            classes: Vec::new(),
        };
        let mut uniform: [Option<u16>; 8] = [None; 8];
        let mut runs = Runs { packed: RUNS, class: 0, left: 0 };
        for _ in 0..BLOCKS {
            runs.refill();
            let class = usize::from(runs.class);
            let known = uniform.get_mut(class).filter(|_| runs.left >= BLOCK);
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

    /// The class of an ASCII character; the empty set for any other byte.
    #[inline]
    pub(super) fn of_ascii(&self, byte: u8) -> Class {
        self.ascii.get(usize::from(byte)).copied().unwrap_or(Class::NONE)
    }

    /// The class of the character with this code point.
    #[inline]
    pub(super) fn of(&self, code: u32) -> Class {
        let code = code as usize;
        let block = self.blocks.get(code / BLOCK).copied().unwrap_or(0);
        let place = usize::from(block) * BLOCK + code % BLOCK;
        self.classes.get(place).copied().unwrap_or(Class::OTHER)
    }

    /// Adds the next characters of the runs as a block, and returns its number.
    fn push_block(&mut self, runs: &mut Runs) -> u16 {
        let (block, end) = (self.classes.len() / BLOCK, self.classes.len() + BLOCK);
        while self.classes.len() < end {
            runs.refill();
            let count = runs.left.clamp(1, end - self.classes.len());
            runs.left = runs.left.saturating_sub(count);
            self.classes.resize(self.classes.len() + count, Class(1 << runs.class));
        }
        u16::try_from(block).unwrap_or(0)
    }
}

/// Reads [`RUNS`] from the front. Each run is a number: its length times eight, plus its class. Numbers are in groups
/// of seven bits, the lowest group first; all groups but the last have the high bit set (LEB128).
struct Runs {
    packed: &'static [u8],
    class: u8,
    /// Characters of the current run that are not read yet.
    left: usize,
}

impl Runs {
    /// Reads the next run if the current one is at its end.
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
        self.class = (number & 7) as u8;
        self.left = number >> 3;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_characters_have_their_class() {
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
    fn every_character_has_the_class_that_regular_expressions_say() {
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
    fn numbers_beyond_unicode_have_a_class() {
        assert_eq!(Classes::new().of(u32::MAX), Class::OTHER);
    }
}
