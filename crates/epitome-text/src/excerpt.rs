//! The beginning of a long text, cut between graphemes (what a reader sees as one character).

use std::borrow::Cow;

use unicode_segmentation::GraphemeCursor;

/// At most `max_characters` of `text`, with a note of how many characters were cut. Linear in the text.
pub fn excerpt(text: &str, max_characters: u32) -> Cow<'_, str> {
    let max = usize::try_from(max_characters).unwrap_or(usize::MAX);
    let (kept, rest) = split(text, max);
    if rest.is_empty() {
        return Cow::Borrowed(text);
    }
    let cut = rest.chars().count();
    Cow::Owned(format!("{kept}{NOTE_START}{cut}{NOTE_END}"))
}

/// The note before and after the number of characters that were cut.
const NOTE_START: &str = "… [";
const NOTE_END: &str = " more characters]";

/// True for a note of [`excerpt`] alone.
pub fn is_cut_note(text: &str) -> bool {
    let number = text.strip_prefix('[').and_then(|text| text.strip_suffix(NOTE_END));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A line without the note that [`excerpt`] adds at the end.
pub fn without_note(line: &str) -> &str {
    let parts = line.strip_suffix(NOTE_END).and_then(|line| line.rsplit_once(NOTE_START));
    match parts {
        Some((kept, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => kept,
        _ => line,
    }
}

/// Splits a text after at most `max` characters, and not inside of a grapheme such as a letter with its accents or a
/// joined emoji. Only a grapheme at the start that is itself longer is split, between its characters.
pub fn split(text: &str, max: usize) -> (&str, &str) {
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

/// Splits a text before its last `max` characters or fewer, and not inside of a grapheme.
pub fn split_end(text: &str, max: usize) -> (&str, &str) {
    let characters = text.chars().count();
    let Some(front) = characters.checked_sub(max) else { return ("", text) };
    let Some((offset, _)) = text.char_indices().nth(front) else { return (text, "") };
    let mut cursor = GraphemeCursor::new(offset, text.len(), true);
    let border = match cursor.is_boundary(text, 0) {
        Ok(true) => offset,
        // The next boundary and not the one before, which would leave more than `max` characters.
        _ => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(offset),
    };
    text.split_at_checked(border).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_not_changed() {
        assert_eq!(excerpt("short", 5), "short");
        assert_eq!(excerpt("", 0), "");
    }

    #[test]
    fn d2_a_long_text_says_how_much_was_cut() {
        assert_eq!(excerpt("0123456789", 4), "0123… [6 more characters]");
        assert_eq!(excerpt("0123456789", 0), "… [10 more characters]");
        assert_eq!(without_note("0123… [6 more characters]"), "0123");
        assert_eq!(
            without_note("0123… [6 more characters] or so"),
            "0123… [6 more characters] or so"
        );
    }

    #[test]
    fn graphemes_are_not_split_unless_they_are_too_long() {
        let family = "ab👨‍👩‍👧‍👦cd";
        assert_eq!(split(family, 4), ("ab", "👨‍👩‍👧‍👦cd"));
        assert_eq!(
            split("e\u{301}x", 1),
            ("e", "\u{301}x"),
            "a grapheme longer than the limit is split"
        );
    }
}
