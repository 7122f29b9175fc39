//! Where a long text is divided, to be counted part by part.

/// Where a place is looked for at once, in bytes. Nearly all text has one within a line.
const WINDOW: usize = 4_096;

/// A place behind `from` at which every splitter ends a piece. `None` if there is none up to the end, as in data that is one piece.
/// Linear in what is before the place.
///
/// The pieces of both parts are those of the whole text then, if no rule looks back, and none looks across the place:
///
/// - Before a space, behind what is no white space. No rule has a space elsewhere than at the beginning of a piece, or among white
///   space. What looks ahead for the end of white space does not apply to a part without white space at its end.
/// - Behind a digit, before what is none: digits are in pieces of their own.
/// - Behind a letter, before what continues no word. An apostrophe may begin the end of a word, as in `they're`, and a combining
///   mark belongs to the letter.
pub(crate) fn between_pieces(text: &str, from: usize) -> Option<usize> {
    let mut windows = (from..text.len()).step_by(WINDOW);
    windows.find_map(|from| in_window(text, from))
}

/// A place between this position and the end of a window.
fn in_window(text: &str, from: usize) -> Option<usize> {
    let from = text.ceil_char_boundary(from);
    let end = text.ceil_char_boundary(from.saturating_add(WINDOW));
    let nearby = text.get(from..end)?;
    let mut characters = nearby.char_indices();
    let (_, mut before) = characters.next()?;
    characters.find_map(|(at, after)| {
        let before = std::mem::replace(&mut before, after);
        let divides = match before {
            'a'..='z' | 'A'..='Z' => {
                after.is_ascii() && !after.is_ascii_alphabetic() && after != '\''
            }
            '0'..='9' => after.is_ascii() && !after.is_ascii_digit(),
            // In Chinese and Japanese, words are not divided by spaces.
            '\u{3041}'..='\u{3096}' | '\u{4E00}'..='\u{9FFF}' => {
                matches!(after, '、' | '。' | '，' | ' ' | '\n')
            }
            // These have all white space; a table of it would be most of this function.
            '\0'..=' ' | '\u{7F}'..='\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{3000}' => false,
            _ => after == ' ',
        };
        divides.then_some(from + at)
    })
}

/// The same for an estimate: the end of a character if no piece ends nearby.
pub(crate) fn between_characters(text: &str, from: usize) -> usize {
    in_window(text, from).unwrap_or_else(|| text.ceil_char_boundary(from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_before_a_space_or_behind_a_word_or_a_number() {
        for (text, from, place) in [
            ("the old garden", 1, Some(3)),
            ("they're here", 0, Some(7)),
            ("推荐您去这家酒店，地址是", 4, Some(24)),
            ("cafe\u{301}, is", 1, Some(7)),
            ("12,5", 0, Some(2)),
            ("!? !", 0, Some(2)),
            ("Привет, мир", 0, Some(13)),
            ("        ", 2, None),
            ("\u{3000} a", 0, None),
        ] {
            assert_eq!(between_pieces(text, from), place, "{text:?}");
        }
        let late = format!("{}, so", "!".repeat(3 * WINDOW));
        assert_eq!(between_pieces(&late, 2), Some(3 * WINDOW + 1));
        assert_eq!(between_characters("字字", 1), 3);
        assert_eq!(between_characters("abc", 9), 3);
    }
}
