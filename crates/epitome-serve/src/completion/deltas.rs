//! A text cut into the deltas of a stream.

use unicode_segmentation::UnicodeSegmentation;

/// The most deltas of a text, even if it is long.
const MAX_DELTAS: usize = 36;

/// Cuts `text` between words into at most [`MAX_DELTAS`] deltas of about the same number of words. Concatenated,
/// they are the text.
pub(crate) fn deltas(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_word_bounds().collect();
    let words_per_delta = words.len().div_ceil(MAX_DELTAS).max(1);
    words.chunks(words_per_delta).map(|words| words.concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas_concatenate_to_the_text() {
        let long = "word ".repeat(1_000);
        let cases = [("", 0), ("one two", 3), ("日本語のテキスト", 5), (&long, 36)];
        for (text, count) in cases {
            let deltas = deltas(text);
            assert_eq!(deltas.concat(), text);
            assert_eq!(deltas.len(), count, "{text}");
        }
    }
}
