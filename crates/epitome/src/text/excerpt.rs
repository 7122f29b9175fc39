//! The beginning of a long text, cut where a reader sees a border between characters.

use std::borrow::Cow;

use unicode_segmentation::GraphemeCursor;

/// At most `max_characters` of `text`, with a note of how many were left out. Linear in what is kept
/// and in the length of the rest.
pub(crate) fn excerpt(text: &str, max_characters: u32) -> Cow<'_, str> {
    let max = usize::try_from(max_characters).unwrap_or(usize::MAX);
    let (kept, rest) = split(text, max);
    if rest.is_empty() {
        return Cow::Borrowed(text);
    }
    let left_out = rest.chars().count();
    Cow::Owned(format!("{kept}{OPEN}{left_out}{CLOSE}"))
}

/// Around the number of characters that were left out.
const OPEN: &str = "… [";
const CLOSE: &str = " more characters]";

/// A line without the note that [`excerpt`] puts at its end.
pub(crate) fn without_note(line: &str) -> &str {
    let told = line.strip_suffix(CLOSE).and_then(|line| line.rsplit_once(OPEN));
    match told {
        Some((kept, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => kept,
        _ => line,
    }
}

/// Splits a text behind at most `max` characters, never inside a grapheme: a family of emoji, or a
/// letter and its accents. A single grapheme longer than that is split between its characters.
pub(crate) fn split(text: &str, max: usize) -> (&str, &str) {
    // A text never has more characters than bytes.
    if text.len() <= max {
        return (text, "");
    }
    let Some((offset, _)) = text.char_indices().nth(max) else { return (text, "") };
    let mut cursor = GraphemeCursor::new(offset, text.len(), true);
    let border = match cursor.is_boundary(text, 0) {
        Ok(true) => offset,
        _ => cursor.prev_boundary(text, 0).ok().flatten().filter(|at| *at > 0).unwrap_or(offset),
    };
    text.split_at_checked(border).unwrap_or((text, ""))
}

/// Splits a text in front of its last `max` characters or fewer, never inside a grapheme, but for one
/// that is longer than that.
pub(crate) fn split_end(text: &str, max: usize) -> (&str, &str) {
    let characters = text.chars().count();
    let Some(front) = characters.checked_sub(max) else { return ("", text) };
    let Some((offset, _)) = text.char_indices().nth(front) else { return (text, "") };
    let mut cursor = GraphemeCursor::new(offset, text.len(), true);
    let border = match cursor.is_boundary(text, 0) {
        Ok(true) => offset,
        _ => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(offset),
    };
    text.split_at_checked(border).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_left_alone() {
        assert_eq!(excerpt("short", 5), "short");
        assert_eq!(excerpt("", 0), "");
    }

    #[test]
    fn d2_a_long_text_says_how_much_was_left_out() {
        assert_eq!(excerpt("0123456789", 4), "0123… [6 more characters]");
        assert_eq!(excerpt("0123456789", 0), "… [10 more characters]");
        assert_eq!(without_note("0123… [6 more characters]"), "0123");
        assert_eq!(
            without_note("0123… [6 more characters] or so"),
            "0123… [6 more characters] or so"
        );
    }

    #[test]
    fn a_cut_never_splits_what_reads_as_one_character() {
        let family = "ab👨‍👩‍👧‍👦cd";
        assert_eq!(split(family, 4), ("ab", "👨‍👩‍👧‍👦cd"));
        assert_eq!(
            split("e\u{301}x", 1),
            ("e", "\u{301}x"),
            "a grapheme longer than the limit is split"
        );
    }
}
