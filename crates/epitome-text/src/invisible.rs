//! Characters that a reader does not see, and text that is disguised by them: forged lines and forged tags.

/// True for a character that ends a line for some reader: a line break of Unicode, or a control character that
/// separates records.
pub fn is_line_break(character: char) -> bool {
    matches!(character, '\n'..='\r' | '\u{1C}'..='\u{1E}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// True for a character without a visible form: white space, control and format characters, fillers, and variation
/// selectors.
pub fn is_invisible(character: char) -> bool {
    if character.is_ascii() {
        return character <= ' ' || character == '\u{7F}';
    }
    character.is_whitespace()
        || matches!(u32::from(character),
            0x80..=0x9F | 0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
            | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164
            | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0x1_BCA0..=0x1_BCA3
            | 0x1_D173..=0x1_D17A | 0xE_0000..=0xE_0FFF)
}

/// The text from its first visible character on.
pub fn from_first_visible(text: &str) -> &str {
    text.trim_start_matches(is_invisible)
}

/// True if the text behind a `<` makes it the opening or closing tag of this name, whatever its case, and whatever
/// invisible characters are in it. Linear in these.
pub fn opens_tag(after: &str, name: &str) -> bool {
    let mut visible = after.chars().filter(|character| !is_invisible(*character));
    let mut first = visible.find(|character| *character != '/');
    name.chars().all(|expected| {
        let given = first.take().or_else(|| visible.next());
        given.is_some_and(|given| given.eq_ignore_ascii_case(&expected))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j18_a_tag_is_one_whatever_is_invisible_in_it() {
        for after in [
            "state>",
            "/state>",
            " / STATE >",
            "\u{200B}/\u{FEFF}sta\u{200D}te>",
            "st\u{AD}at\u{E0041}e",
            "//state",
            "sta te>",
        ] {
            assert!(opens_tag(after, "state"), "{after:?}");
        }
        for after in ["", "/", "stat", "/stat>", "b>state", "stäte"] {
            assert!(!opens_tag(after, "state"), "{after:?}");
        }
    }
}
