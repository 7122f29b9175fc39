//! Detects the script of a text from its bytes.
//!
//! A heuristic tokenizer's error depends on the script: a vocabulary that needs few tokens for Latin text may
//! need twice as many as estimated for Chinese. So tokens are calibrated separately for each script, and the
//! meter must know which script its tokens are in.

use serde::{Deserialize, Serialize};
use strum::EnumCount;

/// Groups of scripts for which a vocabulary needs similar numbers of tokens.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, EnumCount, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Script {
    /// Latin, and everything without a script: digits, punctuation, emoji, and tokens that are not of text.
    #[default]
    Latin,
    /// Cyrillic, Greek and Armenian.
    Cyrillic,
    /// Arabic, Hebrew and related scripts.
    Arabic,
    /// The scripts of India and South-East Asia, Ethiopic and Georgian.
    Indic,
    /// The scripts of Chinese, Japanese and Korean.
    Han,
}

/// How many scripts are distinguished.
pub(crate) const SCRIPTS: usize = Script::COUNT;

impl Script {
    /// All of them, Latin first.
    pub const ALL: [Self; SCRIPTS] =
        [Self::Latin, Self::Cyrillic, Self::Arabic, Self::Indic, Self::Han];
}

/// The share of a text that is not in Latin, and the script of that share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScriptShare {
    /// The most frequent script other than Latin; Latin if there is no other.
    pub(super) script: Script,
    /// Bytes of letters in any script other than Latin, of those that were read.
    non_latin: u64,
    /// Bytes of all letters and digits, of those that were read.
    all: u64,
}

impl ScriptShare {
    /// The shares of a text. Linear in the text; 1/7 ns per byte if it is not all ASCII.
    pub(crate) fn of(text: &str) -> Self {
        let mut bytes = [0; SCRIPTS];
        if !text.is_ascii() {
            // A sample is enough: neighbouring windows of a long text are mostly in the same script.
            let step = if text.len() > SHORT { WINDOW * 4 } else { WINDOW };
            for piece in text.as_bytes().chunks(step) {
                let lanes = lanes(piece.get(..WINDOW).unwrap_or(piece));
                for (lane, bytes) in (0..).zip(&mut bytes) {
                    *bytes += lanes >> (lane * LANE_BITS) & LANE;
                }
            }
        }
        let all = bytes.iter().sum();
        let [latin, others @ ..] = bytes;
        let most = others.into_iter().max().unwrap_or(0);
        let script = Script::ALL.into_iter().zip(bytes).skip(1).find(|(_, bytes)| *bytes == most);
        let script = script.filter(|_| most > 0).map_or(Script::Latin, |(script, _)| script);
        Self { script, non_latin: all - latin, all }
    }

    /// How many of `tokens` tokens are not in Latin. A token has three to seven bytes in any script, so that
    /// the share of bytes is a good estimate of the share of tokens.
    pub(crate) fn non_latin_of(&self, tokens: u32) -> u32 {
        let share = u64::from(tokens) * self.non_latin;
        let rounded = (share + self.all / 2).checked_div(self.all).unwrap_or(0);
        u32::try_from(rounded).unwrap_or(tokens)
    }
}

// The bytes of each script are counted without decoding a character: the first byte of a UTF-8 sequence tells
// both the script, closely enough, and the length of the sequence. One `u64` holds five sums of 12 bits, so
// that a table lookup and an addition per byte update all of them, without a branch.

/// Texts of more bytes than this are sampled: a quarter of their bytes is read.
const SHORT: usize = 512;
/// Bytes that are summed in one `u64`. A letter adds at most 3 for a byte, and 64 × 3 fits a lane.
const WINDOW: usize = 64;
/// Bits of the sum of one script.
const LANE_BITS: usize = 12;
const LANE: u64 = (1 << LANE_BITS) - 1;
/// What each byte adds: the first byte of a letter adds the letter's length to the lane of its script, and
/// any other byte adds nothing.
static LANE_INCREMENTS: [u64; 256] = lane_increments();

/// Bytes of letters in each script, one lane per script. The last byte is not counted, since a first byte is
/// read together with the one after it.
fn lanes(bytes: &[u8]) -> u64 {
    // E1 begins Indic scripts, except for E1 B8 to E1 BB: Latin letters with diacritics, as in Vietnamese.
    let latin = |byte: u8, next: u8| byte == 0xE1 && next & 0xFC == 0xB8;
    let increment = |(&byte, &next): (&u8, &u8)| {
        let lead = if latin(byte, next) { 0xC3 } else { byte };
        LANE_INCREMENTS.get(usize::from(lead)).copied().unwrap_or(0)
    };
    bytes.iter().zip(bytes.iter().skip(1)).map(increment).sum()
}

const fn lane_increments() -> [u64; 256] {
    let mut increments = [0; 256];
    // A `const fn` cannot have a `for` loop, and an index may panic: the slice is taken apart instead.
    let (mut byte, mut rest) = (0_u8, increments.as_mut_slice());
    while let Some((first, behind)) = rest.split_first_mut() {
        let (script, bytes) = match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => (Script::Latin, 1),
            0xC3..=0xCD => (Script::Latin, 2),
            0xCE..=0xD5 => (Script::Cyrillic, 2),
            0xD6..=0xDF => (Script::Arabic, 2),
            0xE0..=0xE1 => (Script::Indic, 3),
            0xE3..=0xED => (Script::Han, 3),
            // Latin-1 signs, punctuation, symbols, presentation forms, emoji, and bytes inside a sequence.
            _ => (Script::Latin, 0),
        };
        *first = bytes << (script as usize * LANE_BITS);
        rest = behind;
        byte = byte.wrapping_add(1);
    }
    increments
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each case: a text, its script, and how many of 100 tokens are not in Latin.
    fn check(cases: &[(&str, Script, std::ops::RangeInclusive<u32>)]) {
        for (text, script, non_latin) in cases {
            let share = ScriptShare::of(text);
            assert_eq!(share.script, *script, "{text}");
            assert!(
                non_latin.contains(&share.non_latin_of(100)),
                "{text}: {}",
                share.non_latin_of(100)
            );
        }
    }

    #[test]
    fn the_script_of_a_text_is_that_of_its_letters() {
        check(&[
            ("", Script::Latin, 0..=0),
            ("Plain words, and 42.", Script::Latin, 0..=0),
            ("Größere Straßen, déjà vu", Script::Latin, 0..=0),
            ("Tiếng Việt được viết bằng chữ cái Latinh", Script::Latin, 0..=0),
            ("“curly quotes” — and dashes… 🎉", Script::Latin, 0..=0),
            ("🎉🚀✅", Script::Latin, 0..=0),
            ("Быстрая коричневая лиса, 42", Script::Cyrillic, 90..=99),
            ("Καλημέρα κόσμε", Script::Cyrillic, 100..=100),
            ("كيف يمكنني مساعدتك اليوم؟", Script::Arabic, 100..=100),
            ("שלום עולם", Script::Arabic, 100..=100),
            ("मैं आज बाज़ार जा रहा हूँ।", Script::Indic, 100..=100),
            ("วันนี้อากาศดีมาก", Script::Indic, 100..=100),
            ("你好，麻烦帮我推荐一家餐馆。", Script::Han, 100..=100),
            ("明日の午後三時に東京駅で", Script::Han, 100..=100),
            ("안녕하세요, 오늘 회의는", Script::Han, 100..=100),
        ]);
    }

    #[test]
    fn tokens_of_a_text_in_two_scripts_are_divided_between_them() {
        check(&[
            ("The word for garden is 庭園.", Script::Han, 20..=30),
            ("В файле src/garden.rs ошибка: index out of bounds", Script::Cyrillic, 35..=55),
            ("花园 and сад and 花园", Script::Han, 60..=90),
        ]);
    }

    #[test]
    fn a_long_text_is_divided_like_a_short_one() {
        let short = "Сад и garden, 花园. ";
        let (one, many) = (ScriptShare::of(short), ScriptShare::of(&short.repeat(5_000)));
        assert_eq!((one.script, many.script), (Script::Cyrillic, Script::Cyrillic));
        assert!(one.non_latin_of(1_000).abs_diff(many.non_latin_of(1_000)) <= 20);
        let longest = ScriptShare::of(&"字".repeat(100_000));
        assert_eq!((longest.script, longest.non_latin_of(u32::MAX)), (Script::Han, u32::MAX));
    }

    #[test]
    fn no_character_makes_detection_panic() {
        let all: String = ('\0'..=char::MAX).step_by(5).collect();
        assert!(ScriptShare::of(&all).non_latin_of(1_000) < 1_000);
    }
}
