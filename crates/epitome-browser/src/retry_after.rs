//! How long a server asks to wait before the next request, in its headers or in its error message.

/// A longer wait is ignored: the engine's own backoff decides then.
const MAX_MS: f64 = 60_000.0;

/// The delay in milliseconds from the headers `retry-after-ms` and `retry-after`; the first is more exact and wins.
///
/// `parse_date` converts an HTTP date to milliseconds since 1970.
pub(crate) fn from_headers(
    milliseconds: Option<&str>,
    retry_after: Option<&str>,
    now_ms: f64,
    parse_date: impl Fn(&str) -> Option<f64>,
) -> Option<u64> {
    if let Some(delay) = milliseconds.and_then(number).and_then(accepted) {
        return Some(delay);
    }
    let value = retry_after?;
    match number(value) {
        Some(seconds) => accepted(seconds * 1000.0),
        None => accepted(parse_date(value)? - now_ms),
    }
}

/// The delay in milliseconds from a message like `Please try again in 1.2s`. A page needs it if the server does not
/// expose the headers to it.
pub(crate) fn from_message(message: &str) -> Option<u64> {
    let message = message.to_lowercase();
    let after = |words: &str| message.split_once(words).map(|(_, rest)| rest);
    let rest = after("try again in ").or_else(|| after("retry in "))?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (amount, unit) = rest.split_at_checked(end)?;
    let amount = number(amount.trim_end_matches('.'))?;
    let unit = unit.trim_start();
    if unit.starts_with("ms") || unit.starts_with("milli") {
        accepted(amount)
    } else if unit.starts_with('s') {
        accepted(amount * 1000.0)
    } else {
        None
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok()
}

fn accepted(delay_ms: f64) -> Option<u64> {
    // Rounded up, so that the next request is not too early. The cast loses nothing in this range.
    (0.0..=MAX_MS).contains(&delay_ms).then(|| delay_ms.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(milliseconds: Option<&str>, retry_after: Option<&str>, expected: Option<u64>) {
        let parse_date = |text: &str| (text == "a date").then_some(105_000.0);
        let delay = from_headers(milliseconds, retry_after, 100_000.0, parse_date);
        assert_eq!(delay, expected, "{milliseconds:?} {retry_after:?}");
    }

    #[test]
    fn headers_give_milliseconds_seconds_or_a_date() {
        check(None, None, None);
        check(Some("1500"), Some("9"), Some(1500));
        check(Some("soon"), Some("9"), Some(9000));
        check(None, Some("1.5"), Some(1500));
        check(None, Some("0"), Some(0));
        check(None, Some("60"), Some(60_000));
        check(None, Some("a date"), Some(5000));
    }

    #[test]
    fn a_delay_that_is_too_long_or_past_is_ignored() {
        check(None, Some("61"), None);
        check(None, Some("-1"), None);
        check(None, Some("NaN"), None);
        check(None, Some("inf"), None);
        check(None, Some("some day"), None);
        check(Some("90000"), Some("2"), Some(2000));
    }

    #[test]
    fn a_message_may_give_the_delay() {
        for (message, expected) in [
            ("Rate limit reached. Please try again in 1.2s. Visit us.", Some(1200)),
            ("Please try again in 20ms.", Some(20)),
            ("Please retry in 34.5 seconds.", Some(34_500)),
            ("try again in 3 minutes", None),
            ("try again in 6m0s", None),
            ("try again in a while", None),
            ("try again in 5", None),
            ("too many requests", None),
        ] {
            assert_eq!(from_message(message), expected, "{message}");
        }
    }
}
