//! Classes of characters by script: vocabularies have more or fewer tokens for each.

// The numbers of the classes. Those from `LATIN_SMALL` on are of characters outside ASCII.
pub(crate) const SMALL: u8 = 0;
pub(crate) const CAPITAL: u8 = 1;
pub(crate) const DIGIT: u8 = 2;
pub(crate) const SPACE: u8 = 3;
pub(crate) const BLANK: u8 = 4;
pub(crate) const NEWLINE: u8 = 5;
pub(crate) const QUOTE: u8 = 6;
pub(crate) const MARK: u8 = 7;
pub(crate) const CONTROL: u8 = 8;
pub(crate) const LATIN_SMALL: u8 = 9;
pub(crate) const LATIN_CAPITAL: u8 = 10;
pub(crate) const COMBINING: u8 = 11;
pub(crate) const GREEK: u8 = 12;
pub(crate) const CYRILLIC: u8 = 13;
pub(crate) const HEBREW: u8 = 14;
pub(crate) const ARABIC: u8 = 15;
pub(crate) const DEVANAGARI: u8 = 16;
/// The scripts of India other than Devanagari, and Sinhala.
pub(crate) const INDIC: u8 = 17;
/// Thai, Lao, Burmese and Khmer, which have no spaces between words.
pub(crate) const SPACELESS: u8 = 18;
pub(crate) const HANGUL: u8 = 19;
pub(crate) const KANA: u8 = 20;
pub(crate) const HAN: u8 = 21;
pub(crate) const OTHER: u8 = 22;
/// Symbols of Latin-1, dashes, curly quotes, special spaces.
pub(crate) const TYPOGRAPHIC: u8 = 23;
/// Ideographic and full-width punctuation.
pub(crate) const WIDE_MARK: u8 = 24;
/// Arrows, mathematics, box drawing.
pub(crate) const SYMBOL: u8 = 25;
pub(crate) const EMOJI: u8 = 26;
/// The number of classes.
pub(crate) const CLASSES: usize = 27;

/// The classes whose characters form words, as bits.
pub(crate) const LETTERS: u32 =
    1 << SMALL | 1 << CAPITAL | ((1 << TYPOGRAPHIC) - (1 << LATIN_SMALL));

/// Classes with many characters, as bits. One character alone says much about its tokens, so grams are shorter.
const RICH: u32 = 1 << HANGUL | 1 << KANA | 1 << HAN | 1 << EMOJI | 1 << SYMBOL | 1 << WIDE_MARK;

/// The class of a character, and the 16 bits that represent it in grams: ASCII letters as small ones, all digits as 0.
pub(crate) fn of(code: u32) -> (u8, u16) {
    match u8::try_from(code) {
        Ok(byte) if byte.is_ascii() => of_ascii(byte),
        _ => (of_wide(code), code as u16),
    }
}

/// The same for an ASCII character.
pub(crate) const fn of_ascii(byte: u8) -> (u8, u16) {
    let class = match byte {
        b'a'..=b'z' => SMALL,
        b'A'..=b'Z' => CAPITAL,
        b'0'..=b'9' => DIGIT,
        b' ' => SPACE,
        b'\t' | 0x0B | 0x0C => BLANK,
        b'\n' | b'\r' => NEWLINE,
        b'\'' => QUOTE,
        0x21..=0x7E => MARK,
        _ => CONTROL,
    };
    let folded = if class == DIGIT { b'0' } else { byte.to_ascii_lowercase() };
    (class, folded as u16)
}

/// How many characters the short and the long gram have that end with a character of the class.
#[inline(always)]
pub(crate) const fn reach(class: u8) -> [u32; 2] {
    match class {
        SMALL..=CONTROL => [0, 3],
        _ if RICH >> class & 1 != 0 => [1, 2],
        _ => [2, 3],
    }
}

/// The class of a character outside ASCII. All characters of a block of 64 have the class of its first one.
pub(crate) const fn of_wide(code: u32) -> u8 {
    match code & !63 {
        0x80..0xC0 => TYPOGRAPHIC,
        0xC0..0x100 => LATIN_SMALL,
        0x100..0x300 | 0x1E00..0x1F00 => LATIN_SMALL,
        0x300..0x370 => COMBINING,
        0x370..0x400 | 0x1F00..0x2000 => GREEK,
        0x400..0x540 => CYRILLIC,
        0x580..0x600 => HEBREW,
        0x600..0x700 | 0x740..0x780 | 0x8A0..0x900 | 0xFB40..0xFE00 | 0xFE80..0xFF00 => ARABIC,
        0x900..0x980 => DEVANAGARI,
        0x980..0xE00 => INDIC,
        0xE00..0xF00 | 0x1000..0x10A0 | 0x1780..0x1800 => SPACELESS,
        0x1100..0x1200 | 0x3100..0x31C0 | 0xAC00..0xD7C0 => HANGUL,
        0x2000..0x2040 => TYPOGRAPHIC,
        0x2040..0x2600 | 0x27C0..0x2B00 => SYMBOL,
        0x2600..0x27C0 | 0x2B00..0x2C00 | 0xFE00..0xFE40 | 0x1F000..0x1FB00 => EMOJI,
        0x3000..0x3040 | 0xFF00..0x1_0000 => WIDE_MARK,
        0x3040..0x3100 | 0x31C0..0x3200 => KANA,
        0x2E80..0x3000 | 0x3400..0xA000 | 0xF900..0xFB00 | 0x2_0000..0x4_0000 => HAN,
        _ => OTHER,
    }
}
