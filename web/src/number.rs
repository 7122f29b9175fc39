//! Numbers as the page shows them, written by the browser's `Intl.NumberFormat` for the page's language; units and signs are texts
//! like others. Each of these languages groups by commas, which fields read too.

use crate::language::{counted, number, t};

/// `48200` as `48,200`.
pub(crate) fn thousands(count: u32) -> String {
    number(f64::from(count), 0)
}

/// A `usize` as the `u32` that the other functions take.
pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A share from 0 to 1 as `38 %`, or `3.8 %` below 10 %.
pub(crate) fn percent(share: f64) -> String {
    percentage(share * 100.0)
}

/// The same for a share in percent.
pub(crate) fn percentage(percent: f64) -> String {
    if percent > 0.0 && percent < 10.0 {
        t!("{number} %", number = number(percent, 1))
    } else {
        t!("{number} %", number = number(percent, 0))
    }
}

/// `part` of `whole`, from 0 to 1; 0 if `whole` is 0.
pub(crate) fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 { 0.0 } else { f64::from(part) / f64::from(whole) }
}

/// A change from one number of tokens to another, as `−67 %`.
pub(crate) fn change(before: u32, after: u32) -> String {
    let change = share(after, before) - 1.0;
    if before == after {
        t!("±0 %").to_owned()
    } else if change < 0.0 {
        t!("−{number} %", number = number(-change * 100.0, 0))
    } else {
        t!("+{number} %", number = number(change * 100.0, 0))
    }
}

/// `1 message`, `2 messages`. The catalog of another language has these words by the plural.
pub(crate) fn plural(count: u32, one: &str, many: &str) -> String {
    let digits = thousands(count);
    counted(count, &digits, many)
        .unwrap_or_else(|| format!("{digits} {}", if count == 1 { one } else { many }))
}

/// `12.3 kB`, `4 MB`.
pub(crate) fn bytes(size: f64) -> String {
    let mut size = size.max(0.0);
    let mut units = [t!("kB"), t!("MB"), t!("GB"), t!("TB")].into_iter();
    let mut unit = t!("bytes");
    // What is rounded up to 1,000 of a unit is 1 of the next one.
    while size >= 999.95
        && let Some(next) = units.next()
    {
        (size, unit) = (size / 1_000.0, next);
    }
    let tenths = (size * 10.0).round() % 10.0;
    let digits = number(size, if tenths == 0.0 { 0 } else { 1 });
    t!("{digits} {unit}", digits, unit)
}

/// `40 ms`, `1.4 s`, `12 s`, `2 min 5 s`.
pub(crate) fn duration(milliseconds: f64) -> String {
    let seconds = milliseconds.max(0.0) / 1_000.0;
    if seconds < 0.1 {
        t!("{number} ms", number = number(milliseconds.max(0.0), 0))
    } else if seconds < 10.0 {
        t!("{number} s", number = number(seconds, 1))
    } else if seconds < 60.0 {
        t!("{number} s", number = number(seconds, 0))
    } else {
        let (minutes, seconds) = ((seconds / 60.0).floor(), (seconds % 60.0).floor());
        t!("{minutes} min {seconds} s", minutes, seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_carry_their_sign() {
        assert_eq!(change(12_300, 4_100), "−67 %");
        assert_eq!(change(100, 100), "±0 %");
        assert_eq!(change(100, 150), "+50 %");
        assert_eq!(change(0, 0), "±0 %");
    }

    #[test]
    fn percentages_below_ten_have_a_decimal() {
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.038), "3.8 %");
        assert_eq!(percent(0.376), "38 %");
    }

    #[test]
    fn sizes_have_a_decimal_and_a_unit() {
        let cases =
            [(0.0, "0 bytes"), (999.0, "999 bytes"), (999.97, "1 kB"), (12_340.0, "12.3 kB")];
        for (number, expected) in cases {
            assert_eq!(bytes(number), expected);
        }
        assert_eq!(bytes(4e6), "4 MB");
        assert_eq!(bytes(2.5e15), "2,500 TB");
    }

    #[test]
    fn long_durations_are_less_precise() {
        assert_eq!(duration(41.2), "41 ms");
        assert_eq!(duration(412.0), "0.4 s");
        assert_eq!(duration(12_400.0), "12 s");
        assert_eq!(duration(125_000.0), "2 min 5 s");
    }
}
