//! The scripts that an encoder's vocabulary treats unlike one another.

/// What a character outside ASCII belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// Latin letters with marks, and the marks on their own.
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Devanagari,
    /// The other scripts of India, and Sinhala.
    Indic,
    Thai,
    Hangul,
    Hiragana,
    Katakana,
    Han,
    /// Ideographic and full-width punctuation.
    CjkMark,
    /// Dashes, curly quotes, ellipses, spaces of odd widths.
    Typographic,
    /// Signs of the Latin-1 block.
    LatinSign,
    BoxDrawing,
    /// Arrows, mathematics, dingbats.
    Symbol,
    Emoji,
    /// Joiners and selectors that hold an emoji together.
    Joiner,
    Other,
}

impl Script {
    /// How many there are.
    pub(super) const COUNT: usize = Self::Other as usize + 1;

    /// The script of a character. Constant time.
    pub(super) fn of(character: char) -> Self {
        match u32::from(character) {
            0xAA | 0xBA | 0xC0..=0xD6 | 0xD8..=0xF6 | 0xF8..=0x36F | 0x1E00..=0x1EFF => Self::Latin,
            0x80..=0xFF => Self::LatinSign,
            0x370..=0x3FF | 0x1F00..=0x1FFF => Self::Greek,
            0x400..=0x52F => Self::Cyrillic,
            0x590..=0x5FF => Self::Hebrew,
            0x600..=0x6FF | 0x750..=0x77F | 0x8A0..=0x8FF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFE => {
                Self::Arabic
            }
            0x900..=0x97F => Self::Devanagari,
            0x980..=0xDFF => Self::Indic,
            0xE00..=0xE7F => Self::Thai,
            0x200C | 0x200D | 0xFE00..=0xFE0F | 0x20E3 | 0x1F3FB..=0x1F3FF => Self::Joiner,
            0x2000..=0x206F => Self::Typographic,
            0x2500..=0x259F => Self::BoxDrawing,
            0x2070..=0x2BFF => Self::Symbol,
            0x3000..=0x303F | 0xFF00..=0xFFEF => Self::CjkMark,
            0x3041..=0x309F => Self::Hiragana,
            0x30A0..=0x30FF | 0x31F0..=0x31FF => Self::Katakana,
            0x1100..=0x11FF | 0x3130..=0x318F | 0xAC00..=0xD7AF => Self::Hangul,
            0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF => Self::Han,
            0x1F000..=0x1FAFF => Self::Emoji,
            _ => Self::Other,
        }
    }
}
