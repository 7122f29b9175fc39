//! The sum of the prices of a text, as quickly as it goes.
//!
//! It is what [`scan`](super::scan) and the prices come to: a slot's state and price are found at once, eight bytes
//! of ASCII are read at a time, and no branch depends on where pieces begin, which cannot be foreseen.

use super::prices::{GRAM, ONE, Prices};
use super::scan::{BEGINS, CLASS_BITS, Cuts, LONG_BITS, SHORT_BITS, STATES, gram};
use super::script::{self, ASCII_SPANS};

/// What no character adds less than: the longest tokens are as many spaces.
const LEAST: i64 = ONE as i64 / 128;
/// From a piece of this length on, what its characters add at least may be more than the one token that it costs
/// anyway: not at once, but before the next eight are read.
const LONG: u32 = 120;
const CLASS_NUMBERS: usize = 1 << CLASS_BITS;
/// Below its price an entry has the state behind it, and a bit that says whether a piece begins.
const PRICE_SHIFT: u32 = 14;
const STATE_SHIFT: u32 = 7;
const STATE_NUMBERS: usize = 1 << (PRICE_SHIFT - STATE_SHIFT);
const _: () = assert!(STATES as usize <= STATE_NUMBERS);

/// Where an encoder cuts, and what characters cost: an entry for each state and class.
pub(super) struct Table {
    rows: [[u32; CLASS_NUMBERS]; STATE_NUMBERS],
    prices: &'static Prices,
}

/// What a piece is multiplied by, depending on the class of its last character.
pub(super) trait Ratio {
    fn of(&self, class: u8) -> i64;
}

/// Nothing is multiplied.
pub(super) struct Plain;

impl Ratio for Plain {
    #[inline(always)]
    fn of(&self, _: u8) -> i64 {
        1
    }
}

/// Where a walk is, and what it has come to.
struct Walk {
    /// The last entry.
    entry: u32,
    /// The last four characters, the last one lowest.
    window: u64,
    /// What all pieces so far cost but the last one.
    total: i64,
    /// The prices of the last piece.
    sum: i64,
    /// Characters of the last piece.
    length: u32,
    ratio: i64,
}

impl Table {
    /// What the cuts and the prices say, by state and class.
    pub(super) fn new(cuts: &Cuts, prices: &'static Prices) -> Self {
        let mut rows = [[0; CLASS_NUMBERS]; STATE_NUMBERS];
        for (slot, entry) in rows.as_flattened_mut().iter_mut().enumerate() {
            let transition = cuts.transition(slot);
            let state = u32::from(transition & !BEGINS) << STATE_SHIFT;
            let begins = u32::from(transition & BEGINS != 0);
            *entry = (prices.slot(slot) as u32) << PRICE_SHIFT | state | begins;
        }
        Self { rows, prices }
    }

    /// The sum of the prices of all pieces, each times its ratio. Linear.
    ///
    /// Bytes that are no UTF-8 count as some characters or other.
    #[inline(always)]
    pub(super) fn total(&self, text: &[u8], ratios: &impl Ratio) -> i64 {
        const HIGH: u64 = 0x8080_8080_8080_8080;
        let none = i64::from(self.prices.short(0) * GRAM);
        let mut walk = Walk { entry: 0, window: 0, total: 0, sum: 0, length: 0, ratio: 0 };
        let mut rest = text;
        while let Some(eight) = rest.first_chunk::<8>() {
            let word = u64::from_le_bytes(*eight);
            let width = if walk.length >= LONG {
                self.one::<true>(&mut walk, word as u32, ratios)
            } else if word & HIGH == 0 {
                self.eight(&mut walk, word, none, ratios);
                8
            } else if word & 0xF000_00F0 == 0xE000_00E0 {
                self.three(&mut walk, word as u32, ratios);
                self.three(&mut walk, (word >> 24) as u32, ratios);
                6
            } else if word & 0x00E0_00E0 == 0x00C0_00C0 {
                self.two(&mut walk, word as u32, ratios);
                self.two(&mut walk, (word >> 16) as u32, ratios);
                4
            } else {
                self.one::<false>(&mut walk, word as u32, ratios)
            };
            rest = rest.get(width..).unwrap_or_default();
        }
        while let Some(&lead) = rest.first() {
            let byte = |at: usize| rest.get(at).copied().unwrap_or(0);
            let word = u32::from_le_bytes([lead, byte(1), byte(2), byte(3)]);
            let width = self.one::<true>(&mut walk, word, ratios);
            rest = rest.get(width..).unwrap_or_default();
        }
        walk.total + price(walk.sum, walk.length) * walk.ratio
    }

    /// What is behind the state of an entry and a character of a class.
    #[inline(always)]
    fn entry(&self, before: u32, class: u8) -> u32 {
        let row = self.rows.get((before >> STATE_SHIFT) as usize % STATE_NUMBERS);
        row.and_then(|row| row.get(usize::from(class) % CLASS_NUMBERS)).copied().unwrap_or(0)
    }

    /// Reads eight characters of ASCII. Of these the short gram costs the same everywhere: `none`.
    #[inline(always)]
    fn eight(&self, walk: &mut Walk, word: u64, none: i64, ratios: &impl Ratio) {
        let [_, span] = ASCII_SPANS;
        let Walk { mut entry, mut window, mut total, mut sum, length, mut ratio } = *walk;
        let mut begun = 0_u32;
        for at in 0..8 {
            let (class, code) = script::of_ascii((word >> (8 * at)) as u8);
            window = window << 16 | u64::from(code);
            let long = self.prices.long(gram::<LONG_BITS>(window & span));
            entry = self.entry(entry, class);
            let begins = -i64::from(entry & 1);
            begun = begun << 1 | entry & 1;
            total += (price(sum, 0) & begins) * ratio;
            let price = i64::from((entry as i32 >> PRICE_SHIFT) + long * GRAM);
            sum = (sum & !begins) + price + none;
            ratio = ratios.of(class);
        }
        let length = if begun == 0 { length + 8 } else { begun.trailing_zeros() + 1 };
        *walk = Walk { entry, window, total, sum, length, ratio };
    }

    /// Reads the character that four bytes begin with, the first one lowest. Returns how many bytes it has.
    #[inline(always)]
    fn one<const IS_LONG: bool>(&self, walk: &mut Walk, word: u32, ratios: &impl Ratio) -> usize {
        let lead = word & 0xFF;
        let tail = |at: u32| word >> (8 * at) & 0x3F;
        let (width, (class, code)) = if lead < 0xF0 {
            // Scripts are mixed with spaces: how wide the next character is cannot be foreseen.
            let wide = u32::from(lead >= 0xC0) + u32::from(lead >= 0xE0);
            let lead = lead & ((0x0F_1F_7F >> (8 * wide)) & 0x7F);
            let code = (lead << 12 | tail(1) << 6 | tail(2)) >> (12 - 6 * wide);
            (1 + wide as usize, script::of_narrow(code))
        } else {
            (4, script::of((lead & 7) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)))
        };
        self.step::<IS_LONG>(walk, class, code, ratios);
        width
    }

    /// Reads a character of two bytes.
    #[inline(always)]
    fn two(&self, walk: &mut Walk, word: u32, ratios: &impl Ratio) {
        let (class, code) = script::of_wide((word & 0x1F) << 6 | word >> 8 & 0x3F);
        self.step::<false>(walk, class, code, ratios);
    }

    /// Reads a character of three bytes.
    #[inline(always)]
    fn three(&self, walk: &mut Walk, word: u32, ratios: &impl Ratio) {
        let tail = |at: u32| word >> (8 * at) & 0x3F;
        let (class, code) = script::of_wide((word & 0xF) << 12 | tail(1) << 6 | tail(2));
        self.step::<false>(walk, class, code, ratios);
    }

    /// Goes on by a character, in a piece that may be long or one that is not.
    #[inline(always)]
    fn step<const IS_LONG: bool>(
        &self,
        walk: &mut Walk,
        class: u8,
        code: u16,
        ratios: &impl Ratio,
    ) {
        let window = walk.window << 16 | u64::from(code);
        let [short, long] = script::spans(class);
        let short = self.prices.short(gram::<SHORT_BITS>(window & short));
        let long = self.prices.long(gram::<LONG_BITS>(window & long));
        let entry = self.entry(walk.entry, class);
        let begins = -i64::from(entry & 1);
        let length = if IS_LONG { walk.length } else { 0 };
        let total = walk.total + (price(walk.sum, length) & begins) * walk.ratio;
        let price = i64::from((entry as i32 >> PRICE_SHIFT) + (short + long) * GRAM);
        let sum = (walk.sum & !begins) + price;
        let length = (walk.length & !(begins as u32)) + 1;
        *walk = Walk { entry, window, total, sum, length, ratio: ratios.of(class) };
    }
}

/// A piece is at least one token, and more where it is long.
#[inline(always)]
fn price(sum: i64, length: u32) -> i64 {
    sum.max(i64::from(length) * LEAST).max(i64::from(ONE))
}

#[cfg(test)]
mod tests {
    use super::super::prices::{CL100K_BASE, O200K_BASE};
    use super::super::scan;
    use super::*;

    /// Each class has another ratio.
    struct Classes;

    impl Ratio for Classes {
        fn of(&self, class: u8) -> i64 {
            i64::from(class) + 3
        }
    }

    /// What the scan and the prices come to, piece by piece.
    fn scanned(text: &str, cuts: &Cuts, prices: &Prices, ratios: &impl Ratio) -> i64 {
        let (mut total, mut sum, mut length, mut ratio) = (0, 0_i64, 0_u32, 0);
        scan::scan(text, cuts, |step| {
            if step.begins {
                total += price(sum, length) * ratio;
                (sum, length) = (0, 0);
            }
            let grams = (prices.short(step.short) + prices.long(step.long)) * GRAM;
            sum += i64::from(prices.slot(step.slot) + grams);
            length += 1;
            ratio = ratios.of(step.class);
        });
        total + price(sum, length) * ratio
    }

    #[test]
    fn a_walk_comes_to_what_the_scan_does() {
        const BITS: [&str; 19] = [
            "a",
            "Z",
            " ",
            "  ",
            "\n",
            "'",
            "1",
            "\t",
            "!",
            "é",
            "я",
            "字",
            "한",
            "👍",
            "\u{301}",
            "words of it, ",
            "----------------------------------------------------------------",
            "字典字典字典字典字典字典字典字典字典字典字典字典字典字典字典字典字典字典字典字典字典字典",
            "                                                                              ",
        ];
        let mut state = 3_u32;
        let mut below = move |bound: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % bound
        };
        let vocabularies = [(Cuts::AT_CAPITALS, &O200K_BASE), (Cuts::AT_WORDS, &CL100K_BASE)].map(
            |(cuts, prices)| {
                let table = Box::new(Table::new(&cuts, prices));
                (cuts, prices, table)
            },
        );
        for round in 0..4_000 {
            let bits = [BITS.len(), 15, 9, 3][round % 4];
            let length = below(90);
            let text: String = (0..length)
                .map(|_| match round % 5 {
                    0 => char::from_u32(below(0x11_0000) as u32).unwrap_or('A').to_string(),
                    _ => BITS[below(bits)].to_owned(),
                })
                .collect();
            for (cuts, prices, table) in &vocabularies {
                let bytes = text.as_bytes();
                assert_eq!(
                    table.total(bytes, &Plain),
                    scanned(&text, cuts, prices, &Plain),
                    "{text:?}"
                );
                let scaled = scanned(&text, cuts, prices, &Classes);
                assert_eq!(table.total(bytes, &Classes), scaled, "{text:?}");
            }
        }
    }
}
