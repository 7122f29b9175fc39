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

/// Bytes of the longest grapheme that is not split. One of a language has less than a hundred, but a text can consist of
/// combining marks alone, and is one grapheme then.
const LONGEST_GRAPHEME: usize = 1_024;

/// Splits a text after at most `max` characters, and not inside of a grapheme such as a letter with its accents or a
/// joined emoji. Only a grapheme is split, between its characters, that is itself longer or has more than a thousand bytes.
pub fn split(text: &str, max: usize) -> (&str, &str) {
    // A text never has more characters than bytes.
    if text.len() <= max {
        return (text, "");
    }
    let Some(offset) = offset_of(text, max) else { return (text, "") };
    let start = text.floor_char_boundary(offset.saturating_sub(LONGEST_GRAPHEME));
    let near = text.get(start..).unwrap_or_default();
    let mut cursor = GraphemeCursor::new(offset - start, near.len(), true);
    let border = match cursor.is_boundary(near, 0) {
        Ok(true) => offset,
        _ => {
            let before = cursor.prev_boundary(near, 0).ok().flatten().filter(|at| *at > 0);
            before.map_or(offset, |at| start + at)
        }
    };
    text.split_at_checked(border).unwrap_or((text, ""))
}

/// The offset of the character with this index.
fn offset_of(text: &str, index: usize) -> Option<usize> {
    match text.as_bytes().get(..index) {
        Some(before) if before.is_ascii() => (index < text.len()).then_some(index),
        _ => text.char_indices().nth(index).map(|(offset, _)| offset),
    }
}

/// Splits a text before its last `max` characters or fewer, and not inside of a grapheme.
pub fn split_end(text: &str, max: usize) -> (&str, &str) {
    let characters = text.chars().count();
    let Some(front) = characters.checked_sub(max) else { return ("", text) };
    let Some(offset) = offset_of(text, front) else { return (text, "") };
    let end = text.floor_char_boundary(offset.saturating_add(LONGEST_GRAPHEME));
    let near = text.get(..end).unwrap_or(text);
    let mut cursor = GraphemeCursor::new(offset, near.len(), true);
    let border = match cursor.is_boundary(near, 0) {
        Ok(true) => offset,
        // The next boundary and not the one before, which would leave more than `max` characters.
        _ => {
            let behind = cursor.next_boundary(near, 0).ok().flatten();
            behind.filter(|at| *at < end || end == text.len()).unwrap_or(offset)
        }
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

    #[test]
    fn text_of_combining_marks_alone_is_split_where_it_must_be() {
        let marks = "\u{301}".repeat(5_000);
        let (before, behind) = split(&marks, 3_000);
        assert_eq!((before.chars().count(), behind.chars().count()), (3_000, 2_000));
        let (before, behind) = split_end(&marks, 3_000);
        assert_eq!((before.chars().count(), behind.chars().count()), (2_000, 3_000));
        let accented = format!("{}e\u{301}", "x".repeat(2_000));
        let (before, _) = split(&accented, 2_001);
        assert_eq!(before.len(), 2_000);
    }
}
