//! Functions on text: cutting it at characters and sentences, and finding encoded data, names, notes and invisible characters in it.

pub mod encoded;
pub mod excerpt;
pub mod identifier;
pub mod invisible;
pub mod lasting;
pub mod letters;
pub mod noise;
pub mod note;
pub mod search;
pub mod sentence;
pub mod signs;
pub mod speaker;
pub mod stop_words;
pub mod word_list;

/// True if a text has nothing but white space. Linear in its beginning.
pub fn is_blank(text: &str) -> bool {
    // White space of ASCII is skipped byte by byte, which takes a fifth of the time.
    text.trim_ascii_start().trim_start().is_empty()
}

#[cfg(test)]
mod tests {
    use super::is_blank;

    #[test]
    fn a_blank_text_has_only_white_space() {
        for blank in ["", " \t\r\n", "\u{b}\u{c} ", " \u{a0}\u{2003}\n", "\u{3000}"] {
            assert!(is_blank(blank), "{blank:?}");
        }
        for text in [".", " a", "\u{200b}", "\u{a0}\0", " \n\u{301}"] {
            assert!(!is_blank(text), "{text:?}");
        }
    }
}
