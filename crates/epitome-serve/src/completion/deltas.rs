//! A text cut into the pieces that a stream delivers.

use unicode_segmentation::UnicodeSegmentation;

/// At most this many pieces, however long the text.
const MOST: usize = 36;

/// Cuts `text` between words into at most [`MOST`] pieces of about the same number of words. Together
/// they are the text.
pub(crate) fn pieces(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_word_bounds().collect();
    let words_per_piece = words.len().div_ceil(MOST).max(1);
    words.chunks(words_per_piece).map(|words| words.concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_together_are_the_text() {
        let long = "word ".repeat(1_000);
        let cases = [("", 0), ("one two", 3), ("日本語のテキスト", 5), (&long, 36)];
        for (text, count) in cases {
            let pieces = pieces(text);
            assert_eq!(pieces.concat(), text);
            assert_eq!(pieces.len(), count, "{text}");
        }
    }
}
