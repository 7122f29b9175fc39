//! Whether a character is a letter or a digit, without a search in the tables of Unicode for the most frequent ones.

/// The same as [`char::is_alphanumeric`], which searches a table for all but ASCII. Texts of 10 MB are asked about several
/// times for each character.
pub fn is_alphanumeric(character: char) -> bool {
    match character {
        '\0'..='\u{7F}' => character.is_ascii_alphanumeric(),
        '\u{C0}'..='\u{D6}'
        | '\u{D8}'..='\u{F6}'
        | '\u{F8}'..='\u{2C1}'
        | '\u{3A3}'..='\u{3F5}'
        | '\u{3F7}'..='\u{481}'
        | '\u{48A}'..='\u{52F}'
        | '\u{5D0}'..='\u{5EA}'
        | '\u{620}'..='\u{657}'
        | '\u{671}'..='\u{6D3}'
        | '\u{904}'..='\u{939}'
        | '\u{E01}'..='\u{E30}'
        | '\u{93D}'..='\u{94C}'
        | '\u{3041}'..='\u{3096}'
        | '\u{30A1}'..='\u{30FA}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}' => true,
        '\u{300}'..='\u{344}'
        | '\u{2010}'..='\u{2027}'
        | '\u{3001}'..='\u{3004}'
        | '\u{1F300}'..='\u{1FAFF}' => false,
        _ => character.is_alphanumeric(),
    }
}

/// The same as [`char::is_numeric`], without its search for the letters that most texts are written in.
pub fn is_numeric(character: char) -> bool {
    match character {
        '\0'..='\u{7F}' => character.is_ascii_digit(),
        '\u{C0}'..='\u{65F}'
        | '\u{671}'..='\u{6EF}'
        | '\u{904}'..='\u{965}'
        | '\u{3041}'..='\u{3191}'
        | '\u{3400}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{1F300}'..='\u{1FAFF}' => false,
        _ => character.is_numeric(),
    }
}

/// True for characters of scripts without spaces between words.
pub fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0xE00..=0xEFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3041..=0x30FF | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

#[cfg(test)]
mod tests {
    #[test]
    fn j13_every_character_is_what_unicode_says() {
        for character in '\0'..=char::MAX {
            assert_eq!(
                super::is_alphanumeric(character),
                character.is_alphanumeric(),
                "{character:?}"
            );
            assert_eq!(super::is_numeric(character), character.is_numeric(), "{character:?}");
        }
    }
}
