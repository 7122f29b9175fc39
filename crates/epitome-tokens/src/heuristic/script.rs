//! The classes of characters that an encoder's vocabulary treats unlike one another.

// The numbers of the classes. From `LATIN_SMALL` on they are of characters outside ASCII.
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
/// The other scripts of India, and Sinhala.
pub(crate) const INDIC: u8 = 17;
/// Thai, Lao, Burmese and Khmer, which put no spaces between words.
pub(crate) const SPACELESS: u8 = 18;
pub(crate) const HANGUL: u8 = 19;
pub(crate) const KANA: u8 = 20;
pub(crate) const HAN: u8 = 21;
pub(crate) const OTHER: u8 = 22;
/// Signs of the Latin-1 block, dashes, curly quotes, spaces of odd widths.
pub(crate) const TYPOGRAPHIC: u8 = 23;
/// Ideographic and full-width punctuation.
pub(crate) const WIDE_MARK: u8 = 24;
/// Arrows, mathematics, boxes.
pub(crate) const SYMBOL: u8 = 25;
pub(crate) const EMOJI: u8 = 26;
/// How many classes there are.
pub(crate) const CLASSES: usize = 27;

/// A bit for each class whose characters make up words.
pub(crate) const LETTERS: u32 =
    1 << SMALL | 1 << CAPITAL | ((1 << TYPOGRAPHIC) - (1 << LATIN_SMALL));

/// Classes whose characters are many, so that one alone tells much.
const RICH: u32 = 1 << HANGUL | 1 << KANA | 1 << HAN | 1 << EMOJI | 1 << SYMBOL | 1 << WIDE_MARK;

const BLOCK_BITS: u32 = 6;

/// The class of each character of ASCII.
static ASCII: [u8; 128] = ascii();
/// What stands for each character of ASCII in grams: a letter without its case, one digit for all of them.
static FOLDED: [u8; 128] = folded();
/// The class of each 64 characters below U+10000.
static BLOCKS: [u8; 1 << (16 - BLOCK_BITS)] = blocks();
static SPANS: [[u64; 2]; 32] = all_spans();

/// The class of a character of ASCII, and what stands for it in grams. Constant time.
#[inline(always)]
pub(crate) fn of_ascii(byte: u8) -> (u8, u16) {
    let byte = usize::from(byte & 0x7F);
    let class = ASCII.get(byte).copied().unwrap_or(CONTROL);
    (class, FOLDED.get(byte).copied().map_or(0, u16::from))
}

/// The class of any other character, and sixteen bits of it. Constant time.
#[inline(always)]
pub(crate) fn of(code: u32) -> (u8, u16) {
    let class = match BLOCKS.get((code >> BLOCK_BITS) as usize) {
        Some(&class) => class,
        None => match code {
            0x1F000..0x1FB00 => EMOJI,
            0x2_0000..0x4_0000 => HAN,
            _ => OTHER,
        },
    };
    (class, code as u16)
}

/// The same of a character of three bytes, without a branch.
#[inline(always)]
pub(crate) fn of_wide(code: u32) -> (u8, u16) {
    let block = BLOCKS.get((code >> BLOCK_BITS) as usize & (BLOCKS.len() - 1)).copied();
    (block.unwrap_or(OTHER), code as u16)
}

/// The same of a character below U+10000, whether in ASCII or not, without a branch.
#[inline(always)]
pub(crate) fn of_narrow(code: u32) -> (u8, u16) {
    let ascii = code as usize & 0x7F;
    let (class, folded) = (ASCII.get(ascii).copied(), FOLDED.get(ascii).copied());
    let (class, folded) = (class.unwrap_or(CONTROL), folded.map_or(0, u16::from));
    let block = BLOCKS.get((code >> BLOCK_BITS) as usize & (BLOCKS.len() - 1)).copied();
    if code < 0x80 { (class, folded) } else { (block.unwrap_or(OTHER), code as u16) }
}

/// The last characters that count for a character of the class: those of the shorter and the longer gram.
#[inline(always)]
pub(crate) fn spans(class: u8) -> [u64; 2] {
    SPANS.get(usize::from(class & 31)).copied().unwrap_or_default()
}

/// Of ASCII the longer gram alone counts.
pub(crate) const ASCII_SPANS: [u64; 2] = [0, 0xFFFF_FFFF_FFFF];

const fn all_spans() -> [[u64; 2]; 32] {
    let mut spans = [[0xFFFF_FFFF, 0xFFFF_FFFF_FFFF]; 32];
    let (mut class, mut rest) = (0, spans.as_mut_slice());
    while let Some((first, behind)) = rest.split_first_mut() {
        if class <= CONTROL {
            *first = ASCII_SPANS;
        } else if RICH >> class & 1 != 0 {
            *first = [0xFFFF, 0xFFFF_FFFF];
        }
        rest = behind;
        class += 1;
    }
    spans
}

const fn ascii() -> [u8; 128] {
    let mut table = [0; 128];
    let (mut byte, mut rest) = (0_u8, table.as_mut_slice());
    while let Some((first, behind)) = rest.split_first_mut() {
        *first = match byte {
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
        rest = behind;
        byte += 1;
    }
    table
}

const fn folded() -> [u8; 128] {
    let mut table = [0; 128];
    let (mut byte, mut rest) = (0_u8, table.as_mut_slice());
    while let Some((first, behind)) = rest.split_first_mut() {
        *first = if byte.is_ascii_digit() { b'0' } else { byte.to_ascii_lowercase() };
        rest = behind;
        byte += 1;
    }
    table
}

const fn blocks() -> [u8; 1 << (16 - BLOCK_BITS)] {
    let mut table = [0; 1 << (16 - BLOCK_BITS)];
    let (mut code, mut rest) = (0_u32, table.as_mut_slice());
    while let Some((first, behind)) = rest.split_first_mut() {
        *first = match code {
            0x80 => TYPOGRAPHIC,
            0xC0 => LATIN_SMALL,
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
            0x2000 => TYPOGRAPHIC,
            0x2040..0x2600 | 0x27C0..0x2B00 => SYMBOL,
            0x2600..0x27C0 | 0x2B00..0x2C00 | 0xFE00 => EMOJI,
            0x3000 | 0xFF00..0xFFFF => WIDE_MARK,
            0x3040..0x3100 | 0x31C0..0x3200 => KANA,
            0x2E80..0x3000 | 0x3400..0xA000 | 0xF900..0xFB00 => HAN,
            _ => OTHER,
        };
        rest = behind;
        code += 1 << BLOCK_BITS;
    }
    table
}
