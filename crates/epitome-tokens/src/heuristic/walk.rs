//! The sum of the prices of a text, as quickly as it goes.
//!
//! It is what [`scan`](super::scan) and the prices come to. No branch depends on where pieces begin, which cannot be
//! foreseen: what all characters have come to is written down after each, over what was written after the one before
//! unless a piece has begun in between. What stays is the ends of the pieces, from which each piece's price is then told.

use std::ops::ControlFlow;

use super::kinds::{Kind, Letter};
use super::packed_sum::PackedSum;
use super::script_class;
use super::state_machine::share;
use super::table::{Row, Table};
use super::units::{self, Unit, Units, Utf8, Utf16};
use super::weights::ONE;

/// What no character adds less than: the longest tokens are as many spaces.
const LEAST: i64 = ONE as i64 / 128;
/// Fewer characters of ASCII in a row are read like any others.
const RUN: usize = 8;

/// What a piece is multiplied by, depending on the class of its last character.
pub(super) trait Ratio {
    /// Whether it depends on the class at all.
    const VARIES: bool;

    fn of(&self, class: u8) -> i64;
}

/// Nothing is multiplied.
pub(super) struct Plain;

impl Ratio for Plain {
    const VARIES: bool = false;

    #[inline(always)]
    fn of(&self, _: u8) -> i64 {
        1
    }
}

/// The sum of the prices of all pieces of UTF-8, each times its ratio; nothing for no text. Linear.
///
/// Bytes that are no UTF-8 count as some characters or other.
#[inline(always)]
pub(super) fn utf8<R: Ratio>(text: &[u8], table: &Table, ratios: &R) -> i64 {
    let mut walk = Walk::new();
    let mut rest = text;
    while !rest.is_empty() {
        let run = units::ascii_run(rest.get(..walk.room()).unwrap_or(rest));
        let read = if run.len() >= RUN.min(walk.room()).min(rest.len()) {
            walk.ascii::<R>(run, table);
            run.len()
        } else {
            let mut units = Utf8(rest);
            walk.units::<R>(&mut units, table);
            rest.len() - units.0.len()
        };
        if walk.room() == 0 {
            walk.close(ratios);
        }
        rest = rest.get(read..).unwrap_or_default();
    }
    walk.finish(ratios)
}

/// The same of UTF-16. Half a surrogate pair counts as U+FFFD.
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

/// A walk through a text, and what it has come to.
struct Walk {
    point: Point,
    pieces: Pieces,
    /// What all pieces cost that were closed.
    total: i64,
    /// The prices of the piece that was not, and how many characters it has.
    open_price: i64,
    open_length: usize,
}

/// Where a walk is.
#[derive(Clone, Copy)]
struct Point {
    state: usize,
    /// The shares that the last character and the one before it have in grams.
    last: u64,
    before: u64,
    /// What was read since pieces were last closed.
    running: PackedSum,
}

/// Where pieces have ended since then: what all characters had come to there.
struct Pieces {
    ends: [PackedSum; PackedSum::NUMBERS],
    /// The row of the last character of each.
    rows: [Row; PackedSum::NUMBERS],
}

impl Walk {
    fn new() -> Self {
        Self {
            point: Point { state: 0, last: 0, before: 0, running: PackedSum::START },
            pieces: Pieces {
                ends: [PackedSum::START; PackedSum::NUMBERS],
                rows: [Row::of(0); PackedSum::NUMBERS],
            },
            total: 0,
            open_price: 0,
            open_length: 0,
        }
    }

    /// How many characters may be read before pieces are closed.
    #[inline(always)]
    fn room(&self) -> usize {
        PackedSum::MOST - self.point.running.characters()
    }

    /// Reads characters of ASCII, of which only the longer gram counts.
    #[inline(never)]
    fn ascii<R: Ratio>(&mut self, text: &[u8], table: &Table) {
        let mut point = self.point.known();
        let mut go = |byte: u8| {
            let Letter { row, share } = Letter::of(byte);
            let long = share.wrapping_add(point.last << 16).wrapping_add(point.before << 32);
            point.go(row, share, table.long(long), table);
            self.pieces.note::<R>(point.running, row);
        };
        let (chunks, rest) = text.as_chunks::<4>();
        for &[a, b, c, d] in chunks {
            go(a);
            go(b);
            go(c);
            go(d);
        }
        for &byte in rest {
            go(byte);
        }
        self.point = point;
    }

    /// Reads units until there are no more, or no room.
    #[inline(always)]
    fn units<R: Ratio>(&mut self, units: &mut impl Units, table: &Table) {
        while let Some(surrogate) = self.near::<R>(units, table) {
            let (class, folded) = script_class::of(units.far(surrogate));
            let mut point = self.point;
            let kind = Kind::of_class(class, 0);
            point.step(kind, share(u64::from(folded)), table);
            self.pieces.note::<R>(point.running, kind.row);
            self.point = point;
        }
    }

    /// Reads units up to one that is half of a character, which it returns, or as far as there are some and room is left.
    #[inline(never)]
    fn near<R: Ratio>(&mut self, units: &mut impl Units, table: &Table) -> Option<u16> {
        let mut point = self.point.known();
        let half = units.each(self.room(), |unit| {
            let kind = Kind::of(unit);
            if kind.is_surrogate() {
                return ControlFlow::Break(unit);
            }
            point.step(kind, kind.share(unit), table);
            self.pieces.note::<R>(point.running, kind.row);
            ControlFlow::Continue(())
        });
        self.point = point;
        half
    }

    /// Adds up the pieces that have ended. The last one stays open.
    #[inline(always)]
    fn close(&mut self, ratios: &impl Ratio) {
        let Pieces { ends, rows } = &mut self.pieces;
        let running = self.point.running;
        let count = running.pieces();
        let mut pieces = ends.iter().zip(rows.iter()).take(count);
        let mut end = PackedSum::START;
        if let Some((&first, row)) = pieces.next() {
            let price = self.open_price + i64::from(first.price_since(end));
            let length = self.open_length + first.characters();
            let mut total = self.total + price_of(price, length) * ratios.of(row.class());
            end = first;
            for (&next, row) in pieces {
                total += i64::from(next.price_since(end).max(ONE)) * ratios.of(row.class());
                end = next;
            }
            self.total = total;
            (self.open_price, self.open_length) = (0, 0);
        }
        self.open_price += i64::from(running.price_since(end));
        self.open_length += running.characters() - end.characters();
        self.point.running = PackedSum::START;
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
                self.total + price_of(self.open_price, length) * ratios.of(row.class())
            }
        }
    }
}

impl Point {
    /// The same point, of whose state the compiler knows that it is a byte.
    #[inline(always)]
    fn known(self) -> Self {
        Self { state: self.state & 0xFF, ..self }
    }

    /// Goes on by a character of any kind.
    #[inline(always)]
    fn step(&mut self, kind: Kind, share: u64, table: &Table) {
        let last = self.last << 16;
        let two = share.wrapping_add(last & kind.back());
        let three = share.wrapping_add(last).wrapping_add(self.before << 32 & kind.back());
        self.go(kind.row, share, table.short(two, kind.short()) + table.long(three), table);
    }

    /// Goes on by a character whose grams cost so much.
    #[inline(always)]
    fn go(&mut self, row: Row, share: u64, grams: i32, table: &Table) {
        let place = Table::place(row, self.state);
        (self.last, self.before) = (share, self.last);
        self.state = table.state(place);
        self.running = self.running.plus(table.step(place), grams);
    }
}

impl Pieces {
    /// Writes down what characters have come to, over what was there unless a piece has just begun.
    #[inline(always)]
    fn note<R: Ratio>(&mut self, running: PackedSum, row: Row) {
        let piece = running.pieces();
        if let Some(end) = self.ends.get_mut(piece) {
            *end = running;
        }
        if R::VARIES
            && let Some(last) = self.rows.get_mut(piece)
        {
            *last = row;
        }
    }
}

/// A piece is at least one token, and more where it is long.
fn price_of(sum: i64, length: usize) -> i64 {
    sum.max(length as i64 * LEAST).max(i64::from(ONE))
}

#[cfg(test)]
mod tests {
    use super::super::state_machine;
    use super::super::weights::{GRAM, O200K_BASE, Weights};
    use super::*;

    /// Each class has another ratio.
    struct Classes;

    impl Ratio for Classes {
        const VARIES: bool = true;

        fn of(&self, class: u8) -> i64 {
            i64::from(class) + 3
        }
    }

    /// What the scan and the prices come to, piece by piece.
    fn scanned(text: &str, prices: &Weights, ratios: &impl Ratio) -> i64 {
        let (mut total, mut sum, mut length, mut ratio) = (0, 0_i64, 0, 0);
        state_machine::scan(text, |step| {
            if step.begins {
                total += price_of(sum, length) * ratio;
                (sum, length) = (0, 0);
            }
            let grams = (prices.short(step.short) + prices.long(step.long)) * GRAM;
            sum += i64::from(prices.slot(step.slot) + grams);
            length += 1;
            ratio = ratios.of(step.class);
        });
        total + price_of(sum, length) * ratio
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
