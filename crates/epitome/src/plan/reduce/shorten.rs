//! A long text within a number of tokens: its beginning, its end, and a note about the gap.

use crate::tokens::{Meter, MeterTokens};
use epitome_text::excerpt::{split, split_end};

/// Shortens a text of `whole` tokens to at most `limit`, or to the note alone if not even that fits. `note`
/// stands in the gap. Counts the result a few times at most.
pub(super) fn shorten(
    text: &str,
    whole: MeterTokens,
    limit: MeterTokens,
    meter: &Meter,
    note: &str,
) -> String {
    // Two tokens for the line breaks before and after the note.
    let budget = limit - meter.count(note) - MeterTokens::new(2);
    let characters = text.chars().count();
    let share = u64::try_from(characters).unwrap_or(u64::MAX);
    let share = share.saturating_mul(u64::from(budget.get())) / u64::from(whole.get().max(1));
    let mut keep = usize::try_from(share).unwrap_or(usize::MAX).min(characters);
    // Characters and tokens are not spread evenly: the first attempt can be a little too long.
    for _ in 0..8 {
        let shortened = cut(text, keep, note);
        if keep == 0 || meter.count(&shortened) <= limit {
            return shortened;
        }
        keep = keep * 7 / 8;
    }
    note.to_owned()
}

/// Three quarters of what stays is the beginning, where most results say what they are; the rest is the
/// end, where they say how it went.
fn cut(text: &str, keep: usize, note: &str) -> String {
    let end = keep / 4;
    let (head, rest) = split(text, keep - end);
    let (_, tail) = split_end(rest, end);
    let parts = [head.trim_end(), note, tail.trim_start()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::CharactersPer;

    fn meter(characters: u32) -> Meter {
        Meter::new(Box::new(CharactersPer(characters)))
    }

    #[test]
    fn beginning_and_end_stay_within_the_limit() {
        let text: String = (0..200).map(|line| format!("line {line}\n")).collect();
        let meter = meter(4);
        let whole = meter.count(&text);
        for max in [10, 20, 50, 100] {
            let max = MeterTokens::new(max);
            let short = shorten(&text, whole, max, &meter, "[cut]");
            assert!(meter.count(&short) <= max, "{short}");
            assert!(short.starts_with("line 0") && short.contains("\n[cut]\n"), "{short}");
            assert!(short.trim_end().ends_with('9'), "{short}");
        }
        assert_eq!(shorten(&text, whole, MeterTokens::ZERO, &meter, "[cut]"), "[cut]");
    }

    #[test]
    fn what_reads_as_one_character_is_not_torn() {
        let text = "👨‍👩‍👧‍👦".repeat(40);
        let meter = meter(1);
        let whole = meter.count(&text);
        let short = shorten(&text, whole, MeterTokens::new(60), &meter, "[cut]");
        let family = short.replace("[cut]", "").replace('\n', "").replace("👨‍👩‍👧‍👦", "");
        assert_eq!(family, "", "{short}");
    }

    /// A token for each digit, and one for ten other characters.
    struct DigitsCostMore;

    impl crate::tokens::Tokenizer for DigitsCostMore {
        fn count(&self, text: &str) -> u32 {
            let digits = text.chars().filter(char::is_ascii_digit).count();
            u32::try_from(digits + (text.chars().count() - digits).div_ceil(10)).unwrap()
        }

        fn error_band(&self) -> f64 {
            0.0
        }
    }

    #[test]
    fn a_text_whose_beginning_costs_more_is_shortened_no_more_than_it_has_to_be() {
        let text = "1 aaaaaaaa ".repeat(100) + &"word ".repeat(400);
        let meter = Meter::new(Box::new(DigitsCostMore));
        let (whole, limit) = (meter.count(&text), MeterTokens::new(200));
        let short = meter.count(&shorten(&text, whole, limit, &meter, "[cut]"));
        assert!(short <= limit && short.get() > 150, "{short:?} of {limit:?}");
    }
}
