//! Where a long text is divided, to be counted part by part.

/// How far a place is looked for, in bytes. Nearly all text has one within a line.
const SEARCH: usize = 4_096;

/// The first place from `from` on at which every splitter ends a piece: behind a letter, before a character that continues no word
/// and no number. `None` if there is none nearby, as in data that is one piece.
///
/// The pieces of both parts are those of the whole text then. What is before ends with a letter, so no rule that looks ahead for the
/// end of the text or for what follows white space applies there; and no rule looks back. An apostrophe may begin the end of a word,
/// as in `they're`, and a combining mark belongs to the letter.
pub fn between_pieces(text: &str, from: usize) -> Option<usize> {
    let end = text.len().min(from.saturating_add(SEARCH));
    let mut pairs = text.as_bytes().get(from.saturating_sub(1)..end)?.windows(2);
    let ascii = |pair: &[u8]| match *pair {
        [before, after] => {
            before.is_ascii_alphabetic()
                && after.is_ascii()
                && !after.is_ascii_alphabetic()
                && after != b'\''
        }
        _ => false,
    };
    if let Some(at) = pairs.position(ascii) {
        return Some(from.max(1) + at);
    }
    // In Chinese, sentences have no letters of ASCII.
    let from = text.ceil_char_boundary(from);
    let end = text.ceil_char_boundary(end);
    let nearby = text.get(from..end)?;
    let before =
        |character: char| matches!(character, '\u{3041}'..='\u{3096}' | '\u{4E00}'..='\u{9FFF}');
    let after = |character: char| matches!(character, '、' | '。' | '，' | ' ' | '\n');
    let mut characters = nearby.char_indices().map(|(at, character)| (from + at, character));
    let (_, mut last) = characters.next()?;
    characters.find_map(|(at, character)| {
        let last = std::mem::replace(&mut last, character);
        (before(last) && after(character)).then_some(at)
    })
}

/// The same for an estimate: the end of a character if no piece ends nearby.
pub(crate) fn between_characters(text: &str, from: usize) -> usize {
    between_pieces(text, from).unwrap_or_else(|| text.ceil_char_boundary(from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_behind_a_letter_and_before_what_continues_no_word() {
        assert_eq!(between_pieces("the old garden", 1), Some(3));
        assert_eq!(between_pieces("they're here", 0), Some(7));
        assert_eq!(between_pieces("推荐您去这家酒店，地址是", 4), Some(24));
        assert_eq!(between_pieces("cafe\u{301} is", 1), None);
        assert_eq!(between_pieces("        ", 2), None);
        assert_eq!(between_characters("字字", 1), 3);
        assert_eq!(between_characters("abc", 9), 3);
    }
}
