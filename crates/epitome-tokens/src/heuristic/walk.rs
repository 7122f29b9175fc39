//! The weight of a text: a fast walk over its characters.
//!
//! The result is the same as that of the simple definition in [`state_machine`](super::state_machine), which a test
//! compares it with. No branch depends on where a piece begins, since a processor would mispredict it. Instead, the sum
//! so far is written after each character into the slot of its piece, over the sum after the previous character of the
//! same piece. What remains in a slot is the sum at the end of its piece. The weight of a piece is the difference of
//! two slots.

use std::ops::ControlFlow;

use super::kinds::{Kind, Letter};
use super::packed_sum::PackedSum;
use super::script_class;
use super::state_machine::share;
use super::table::{Row, Table};
use super::units::{self, Unit, Units, Utf8, Utf16};
use super::weights::ONE;

/// The least weight per character of a piece: the longest tokens have 128 spaces.
const LEAST: i64 = ONE as i64 / 128;
/// Shorter runs of ASCII are read like other text.
const RUN: usize = 8;

/// The factor of a piece, by the class of its last character.
pub(super) trait Ratio {
    /// Whether it depends on the class. If not, the walk does not store classes.
    const VARIES: bool;

    fn of(&self, class: u8) -> i64;
}

/// The factor 1.
pub(super) struct Plain;

impl Ratio for Plain {
    const VARIES: bool = false;

    #[inline(always)]
    fn of(&self, _: u8) -> i64 {
        1
    }
}

/// The sum of the weights of all pieces of UTF-8 text, each times its ratio; 0 for an empty text. Invalid bytes count
/// as some characters. Linear in the text.
#[inline(always)]
pub(super) fn utf8<R: Ratio>(text: &[u8], table: &Table, ratios: &R) -> i64 {
    let mut walk = Walk::new();
    let mut rest = text;
    while !rest.is_empty() {
        let run = units::ascii_run(rest.get(..walk.capacity()).unwrap_or(rest));
        let read = if run.len() >= RUN.min(walk.capacity()).min(rest.len()) {
            walk.ascii::<R>(run, table);
            run.len()
        } else {
            let mut units = Utf8(rest);
            walk.units::<R>(&mut units, table);
            rest.len() - units.0.len()
        };
        if walk.capacity() == 0 {
            walk.close(ratios);
        }
        rest = rest.get(read..).unwrap_or_default();
    }
    walk.finish(ratios)
}

/// The same for UTF-16. An unpaired surrogate counts as U+FFFD.
#[inline(always)]
pub(super) fn utf16<R: Ratio>(text: &[Unit], table: &Table, ratios: &R) -> i64 {
    let mut walk = Walk::new();
    let mut units = Utf16(text);
    while !units.0.is_empty() {
        walk.units::<R>(&mut units, table);
        walk.close(ratios);
    }
    walk.finish(ratios)
}

/// A walk over a text.
struct Walk {
    point: Point,
    pieces: Pieces,
    /// The weight of all closed pieces.
    total: i64,
    /// The weight and the characters of the open piece, before the last time that pieces were closed.
    open_weight: i64,
    open_length: usize,
}

/// The state of a walk at one character.
#[derive(Clone, Copy)]
struct Point {
    state: usize,
    /// The shares in grams of the last character, and of the one before it.
    last: u64,
    before: u64,
    /// The sum since pieces were last closed.
    sum: PackedSum,
}

/// The pieces since they were last closed.
struct Pieces {
    ends: [PackedSum; PackedSum::COUNTS],
    /// The row of the last character of each piece.
    rows: [Row; PackedSum::COUNTS],
}

impl Walk {
    fn new() -> Self {
        Self {
            point: Point { state: 0, last: 0, before: 0, sum: PackedSum::START },
            pieces: Pieces {
                ends: [PackedSum::START; PackedSum::COUNTS],
                rows: [Row::of(0); PackedSum::COUNTS],
            },
            total: 0,
            open_weight: 0,
            open_length: 0,
        }
    }

    /// How many characters may be read before pieces must be closed.
    #[inline(always)]
    fn capacity(&self) -> usize {
        PackedSum::CAPACITY - self.point.sum.characters()
    }

    /// Reads ASCII characters, which have only a long gram.
    // A function of its own, which is not inlined: four characters per round, and all its state in registers.
    #[inline(never)]
    fn ascii<R: Ratio>(&mut self, text: &[u8], table: &Table) {
        let mut point = self.point.known();
        let mut read = |byte: u8| {
            let Letter { row, share } = Letter::of(byte);
            let long = share.wrapping_add(point.last << 16).wrapping_add(point.before << 32);
            point.advance(row, share, table.long(long), table);
            self.pieces.record::<R>(point.sum, row);
        };
        let (chunks, rest) = text.as_chunks::<4>();
        for &[a, b, c, d] in chunks {
            read(a);
            read(b);
            read(c);
            read(d);
        }
        for &byte in rest {
            read(byte);
        }
        self.point = point;
    }

    /// Reads units up to the end or the capacity.
    #[inline(always)]
    fn units<R: Ratio>(&mut self, units: &mut impl Units, table: &Table) {
        while let Some(surrogate) = self.basic::<R>(units, table) {
            let (class, folded) = script_class::of(units.supplementary(surrogate));
            let mut point = self.point;
            let kind = Kind::of_class(class, 0);
            point.step(kind, share(u64::from(folded)), table);
            self.pieces.record::<R>(point.sum, kind.row);
            self.point = point;
        }
    }

    /// Reads units up to the end, the capacity or a surrogate, which it returns.
    #[inline(never)]
    fn basic<R: Ratio>(&mut self, units: &mut impl Units, table: &Table) -> Option<u16> {
        let mut point = self.point.known();
        let half = units.each(self.capacity(), |unit| {
            let kind = Kind::of(unit);
            if kind.is_surrogate() {
                return ControlFlow::Break(unit);
            }
            point.step(kind, kind.share(unit), table);
            self.pieces.record::<R>(point.sum, kind.row);
            ControlFlow::Continue(())
        });
        self.point = point;
        half
    }

    /// Adds up the pieces that have ended. The last one stays open, since it may continue.
    #[inline(always)]
    fn close(&mut self, ratios: &impl Ratio) {
        let Pieces { ends, rows } = &mut self.pieces;
        let sum = self.point.sum;
        let count = sum.pieces();
        let mut pieces = ends.iter().zip(rows.iter()).take(count);
        let mut end = PackedSum::START;
        if let Some((&first, row)) = pieces.next() {
            let weight = self.open_weight + i64::from(first.weight_since(end));
            let length = self.open_length + first.characters();
            let mut total = self.total + piece_weight(weight, length) * ratios.of(row.class());
            end = first;
            for (&next, row) in pieces {
                total += i64::from(next.weight_since(end).max(ONE)) * ratios.of(row.class());
                end = next;
            }
            self.total = total;
            (self.open_weight, self.open_length) = (0, 0);
        }
        self.open_weight += i64::from(sum.weight_since(end));
        self.open_length += sum.characters() - end.characters();
        self.point.sum = PackedSum::START;
        ends[0] = PackedSum::START;
        rows[0] = rows.get(count).copied().unwrap_or(rows[0]);
    }

    #[inline(always)]
    fn finish(mut self, ratios: &impl Ratio) -> i64 {
        self.close(ratios);
        match self.open_length {
            0 => self.total,
            length => {
                let [row, ..] = self.pieces.rows;
                self.total + piece_weight(self.open_weight, length) * ratios.of(row.class())
            }
        }
    }
}

impl Point {
    /// The same point. The mask changes nothing, and shows the compiler that the state is a byte.
    #[inline(always)]
    fn known(self) -> Self {
        Self { state: self.state & 0xFF, ..self }
    }

    /// Advances by any character.
    #[inline(always)]
    fn step(&mut self, kind: Kind, share: u64, table: &Table) {
        let last = self.last << 16;
        let two = share.wrapping_add(last & kind.back());
        let three = share.wrapping_add(last).wrapping_add(self.before << 32 & kind.back());
        self.advance(kind.row, share, table.short(two, kind.short()) + table.long(three), table);
    }

    /// Advances by a character whose grams have the weight `grams`.
    #[inline(always)]
    fn advance(&mut self, row: Row, share: u64, grams: i32, table: &Table) {
        let cell = Table::cell(row, self.state);
        (self.last, self.before) = (share, self.last);
        self.state = table.state(cell);
        self.sum = self.sum.plus(table.step(cell), grams);
    }
}

impl Pieces {
    /// Records the sum and the row of a character, over those of the previous character of the same piece.
    #[inline(always)]
    fn record<R: Ratio>(&mut self, sum: PackedSum, row: Row) {
        let piece = sum.pieces();
        if let Some(end) = self.ends.get_mut(piece) {
            *end = sum;
        }
        if R::VARIES
            && let Some(last) = self.rows.get_mut(piece)
        {
            *last = row;
        }
    }
}

/// The weight of a piece: at least one token, and more for a long piece.
fn piece_weight(sum: i64, length: usize) -> i64 {
    sum.max(length as i64 * LEAST).max(i64::from(ONE))
}

#[cfg(test)]
mod tests {
    use super::super::state_machine;
    use super::super::weights::{GRAM, O200K_BASE, Weights};
    use super::*;

    /// A different ratio for each class.
    struct Classes;

    impl Ratio for Classes {
        const VARIES: bool = true;

        fn of(&self, class: u8) -> i64 {
            i64::from(class) + 3
        }
    }

    /// The sum by definition: step by step, and piece by piece.
    fn scanned(text: &str, weights: &Weights, ratios: &impl Ratio) -> i64 {
        let (mut total, mut sum, mut length, mut ratio) = (0, 0_i64, 0, 0);
        state_machine::scan(text, |step| {
            if step.begins {
                total += piece_weight(sum, length) * ratio;
                (sum, length) = (0, 0);
            }
            let grams = (weights.short(step.short) + weights.long(step.long)) * GRAM;
            sum += i64::from(weights.slot(step.slot) + grams);
            length += 1;
            ratio = ratios.of(step.class);
        });
        total + piece_weight(sum, length) * ratio
    }

    #[test]
    fn a_walk_gives_the_sum_of_the_steps_by_definition() {
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
        let table = Table::new(&O200K_BASE);
        for round in 0..4_000 {
            let bits = [BITS.len(), 15, 9, 3][round % 4];
            let length = below(90);
            let text: String = (0..length)
                .map(|_| match round % 5 {
                    0 => char::from_u32(below(0x11_0000) as u32).unwrap_or('A').to_string(),
                    _ => BITS[below(bits)].to_owned(),
                })
                .collect();
            let units: Vec<Unit> = text.encode_utf16().map(u16::to_le_bytes).collect();
            let plain = scanned(&text, &O200K_BASE, &Plain);
            assert_eq!(utf8(text.as_bytes(), &table, &Plain), plain, "{text:?}");
            assert_eq!(utf16(&units, &table, &Plain), plain, "{text:?}");
            let scaled = scanned(&text, &O200K_BASE, &Classes);
            assert_eq!(utf8(text.as_bytes(), &table, &Classes), scaled, "{text:?}");
            assert_eq!(utf16(&units, &table, &Classes), scaled, "{text:?}");
        }
    }
}
