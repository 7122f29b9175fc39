//! When a message was sent, as a date that people and models can read.

use serde::{Deserialize, Serialize};

const MS_PER_MINUTE: u64 = 60_000;
const MINUTES_PER_DAY: u64 = 24 * 60;
const LAST_YEAR: u64 = 9_999;

/// Milliseconds since 1970-01-01T00:00Z, as JavaScript's `Date.now()` gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixTime(pub u64);

impl UnixTime {
    /// The start of the minute; `None` after the year 9999, which the text has no room for.
    #[must_use]
    pub(crate) fn to_minute(self) -> Option<Self> {
        let minute = Self(self.0 - self.0 % MS_PER_MINUTE);
        minute.to_text().map(|_| minute)
    }

    /// The time in UTC to the minute, such as `2026-03-01T10:00Z`; `None` after the year 9999.
    #[must_use]
    pub fn to_text(self) -> Option<String> {
        let minutes = self.0 / MS_PER_MINUTE;
        let (year, month, day) = date_of(minutes / MINUTES_PER_DAY);
        let (hour, minute) = (minutes % MINUTES_PER_DAY / 60, minutes % 60);
        (year <= LAST_YEAR).then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}Z"))
    }

    /// Reads what [`Self::to_text`] writes, and nothing else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (date, clock) = text.strip_suffix('Z')?.split_once('T')?;
        let mut date = date.split('-').map(str::parse::<u64>);
        let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
        let (hour, minute) = clock.split_once(':')?;
        let (hour, minute): (u64, u64) = (hour.parse().ok()?, minute.parse().ok()?);
        let in_range = (1970..=LAST_YEAR).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && hour < 24
            && minute < 60;
        let minutes =
            in_range.then(|| days_to(year, month, day) * MINUTES_PER_DAY + hour * 60 + minute)?;
        let time = Self(minutes * MS_PER_MINUTE);
        // Written again, a date such as February 30 or a number without its zeros reads differently.
        (time.to_text().as_deref() == Some(text)).then_some(time)
    }
}

/// Days between 0000-03-01 and 1970-01-01. Years are counted from March, so that a leap day is the last day of its
/// year.
const EPOCH_DAYS: u64 = 719_468;
const DAYS_PER_400_YEARS: u64 = 146_097;

/// Year, month and day of a day since 1970-01-01 in the Gregorian calendar. The algorithm is Howard Hinnant's
/// `civil_from_days`.
fn date_of(days: u64) -> (u64, u64, u64) {
    let days = days + EPOCH_DAYS;
    let (era, day_of_era) = (days / DAYS_PER_400_YEARS, days % DAYS_PER_400_YEARS);
    let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// Days from 1970-01-01 to a date that is not earlier: the inverse of [`date_of`].
fn days_to(year: u64, month: u64, day: u64) -> u64 {
    let year = year - u64::from(month <= 2);
    let month_from_march = if month > 2 { month - 3 } else { month + 9 };
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_PER_400_YEARS + day_of_era - EPOCH_DAYS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_are_written_and_read() {
        for (ms, text) in [
            (0, "1970-01-01T00:00Z"),
            (951_782_400_000, "2000-02-29T00:00Z"),
            (951_868_799_999, "2000-02-29T23:59Z"),
            (951_868_800_000, "2000-03-01T00:00Z"),
            (1_700_000_000_000, "2023-11-14T22:13Z"),
            (4_107_542_400_000, "2100-03-01T00:00Z"),
            (253_402_300_799_999, "9999-12-31T23:59Z"),
        ] {
            assert_eq!(UnixTime(ms).to_text().as_deref(), Some(text), "{ms}");
            assert_eq!(UnixTime::parse(text), UnixTime(ms).to_minute(), "{text}");
        }
    }

    #[test]
    fn every_day_of_800_years_is_written_and_read() {
        for day in 0..800 * 366 {
            let time = UnixTime(day * MINUTES_PER_DAY * MS_PER_MINUTE);
            assert_eq!(UnixTime::parse(&time.to_text().unwrap()), Some(time), "{day}");
        }
    }

    #[test]
    fn a_time_after_the_year_9999_has_no_text() {
        assert_eq!(UnixTime(253_402_300_800_000).to_minute(), None);
        assert_eq!(UnixTime(u64::MAX).to_minute(), None);
    }

    #[test]
    fn only_a_time_as_it_is_written_is_read() {
        for text in [
            "",
            "2026-02-30T10:00Z",
            "2026-13-01T10:00Z",
            "2026-3-1T10:00Z",
            "+026-03-01T10:00Z",
            "2026-03-01T24:00Z",
            "2026-03-01T10:60Z",
            "2026-03-01T10:00",
            "2026-03-01T10:00:00Z",
            "1969-12-31T23:59Z",
            "2026-03-01-02T10:00Z",
        ] {
            assert_eq!(UnixTime::parse(text), None, "{text}");
        }
    }
}
