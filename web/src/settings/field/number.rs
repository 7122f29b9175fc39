//! Numbers as a user types them, and as the form shows them. Errors are the end of a sentence that begins with a label.

use crate::language::t;
/// Reads a whole number of 0 or more. Digits may be grouped: `64,000`.
pub(crate) fn whole(text: &str) -> Result<u32, String> {
    digits(text)
        .parse()
        .map_err(|_| t!("is {text}; give a whole number of 0 or more", text = format!("{text:?}")))
}

/// Reads a whole number that may be negative.
pub(crate) fn signed(text: &str) -> Result<i64, String> {
    digits(text)
        .parse()
        .map_err(|_| t!("is {text}; give a whole number", text = format!("{text:?}")))
}

/// Reads a whole number; `None` for an empty text.
pub(crate) fn optional(text: &str) -> Result<Option<u32>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    digits(text).parse().map(Some).map_err(|_| {
        t!(
            "is {text}; give a whole number of 0 or more, or leave it empty",
            text = format!("{text:?}")
        )
    })
}

/// Reads whole numbers with commas in between.
pub(crate) fn list(text: &str) -> Result<Vec<u32>, String> {
    let numbers = text.split(',').map(str::trim).filter(|number| !number.is_empty());
    numbers.map(whole).collect()
}

/// Reads a percentage as a share from 0 to 1.
pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    match number {
        Ok(number) if (0.0..=100.0).contains(&number) => Ok(number / 100.0),
        _ => {
            let text = format!("{text:?}");
            Err(t!("is {text}; give a percentage from 0 to 100", text))
        }
    }
}

/// A share in percent, as a user would type it.
pub(crate) fn percentage(share: f64) -> String {
    // Without rounding, 0.55 would be shown as 55.00000000000001.
    ((share * 1e6).round() / 1e4).to_string()
}

fn digits(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ' ' | ',' | '_' | '\u{a0}')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_may_be_grouped() {
        assert_eq!(whole("64,000"), Ok(64_000));
        assert_eq!(whole("1 000_000"), Ok(1_000_000));
        assert!(whole("-1").is_err() && whole("").is_err());
        assert_eq!((signed("-1"), optional(" ")), (Ok(-1), Ok(None)));
    }

    #[test]
    fn percentages_are_shown_as_typed() {
        for typed in ["0", "7", "55", "33.3", "99.99", "100"] {
            assert_eq!(percent(typed).map(percentage), Ok(typed.to_owned()));
        }
        assert_eq!(percent("80 %"), Ok(0.8));
        assert!(percent("101").is_err() && percent("half").is_err());
    }

    #[test]
    fn a_list_is_separated_by_commas() {
        assert_eq!(list("150, 100,0"), Ok(vec![150, 100, 0]));
        assert_eq!(list(" "), Ok(Vec::new()));
        assert!(list("150; 100").is_err());
    }
}
