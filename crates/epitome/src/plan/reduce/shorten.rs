//! A long text within a number of tokens: its beginning, its end, and a note of what is left out.

use crate::text::excerpt::{split, split_end};
use crate::tokens::Tokenizer;

/// The text, of `whole` tokens, in at most `max_tokens`, or less where not even the note fits. `note` tells
/// what stands in the gap. Counts what is left a few times at most.
pub(super) fn shorten(
    text: &str,
    whole: u32,
    max_tokens: u32,
    tokenizer: &dyn Tokenizer,
    note: &str,
) -> String {
    let budget = max_tokens.saturating_sub(tokenizer.count(note).saturating_add(2));
    let characters = text.chars().count();
    let mut keep = usize::try_from(
        (u64::try_from(characters).unwrap_or(u64::MAX)).saturating_mul(u64::from(budget))
            / u64::from(whole.max(1)),
    )
    .unwrap_or(usize::MAX)
    .min(characters);
    // An even share of the characters may be a little more than its share of the tokens.
    for _ in 0..8 {
        let shortened = cut(text, keep, note);
        if keep == 0 || tokenizer.count(&shortened) <= max_tokens {
            return shortened;
        }
        keep = keep * 7 / 8;
    }
    note.to_owned()
}

/// Three quarters of what is kept is the beginning: that is where most results say what they are. The
/// end is where they say how it went.
fn cut(text: &str, keep: usize, note: &str) -> String {
    let end = keep / 4;
    let (head, rest) = split(text, keep - end);
    let (_, tail) = split_end(rest, end);
    let pieces = [head.trim_end(), note, tail.trim_start()];
    let pieces: Vec<&str> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
    pieces.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::CharactersPer;

    #[test]
    fn beginning_and_end_stay_within_the_limit() {
        let text: String = (0..200).map(|line| format!("line {line}\n")).collect();
        let tokenizer = CharactersPer(4);
        let whole = tokenizer.count(&text);
        for max in [10, 20, 50, 100] {
            let short = shorten(&text, whole, max, &tokenizer, "[cut]");
            assert!(tokenizer.count(&short) <= max, "{short}");
            assert!(short.starts_with("line 0") && short.contains("\n[cut]\n"), "{short}");
            assert!(short.trim_end().ends_with('9'), "{short}");
        }
        assert_eq!(shorten(&text, whole, 0, &tokenizer, "[cut]"), "[cut]");
    }

    #[test]
    fn what_reads_as_one_character_is_not_torn() {
        let text = "👨‍👩‍👧‍👦".repeat(40);
        let whole = CharactersPer(1).count(&text);
        let short = shorten(&text, whole, 60, &CharactersPer(1), "[cut]");
        let family = short.replace("[cut]", "").replace('\n', "").replace("👨‍👩‍👧‍👦", "");
        assert_eq!(family, "", "{short}");
    }
}
