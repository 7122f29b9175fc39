//! Which script a text is written in: what a vocabulary takes for one tells little about another.

use serde::{Deserialize, Serialize};

/// Scripts that vocabularies treat alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Script {
    /// Latin, and what belongs to no script: digits, signs, emoji, and all that is counted besides text.
    #[default]
    Latin,
    /// Cyrillic, Greek and Armenian.
    Cyrillic,
    /// Arabic, Hebrew and their neighbours.
    Arabic,
    /// Those of India and South-East Asia, Ethiopic and Georgian.
    Indic,
    /// Those of Chinese, Japanese and Korean.
    Han,
}

/// How many scripts are told apart.
pub(crate) const SCRIPTS: usize = 5;

impl Script {
    /// All of them, Latin first.
    pub const ALL: [Self; SCRIPTS] =
        [Self::Latin, Self::Cyrillic, Self::Arabic, Self::Indic, Self::Han];
}

/// How much of a text is in a script other than Latin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blend {
    /// The other script that most of it is in; Latin where there is none.
    pub(super) script: Script,
    /// Of the bytes that were looked at, those of letters in any other script.
    foreign: u64,
    /// Those of all letters and digits.
    all: u64,
}

impl Blend {
    /// Of a text. Linear in the text: where it is not all ASCII, a seventh of a nanosecond a byte.
    pub(crate) fn of(text: &str) -> Self {
        let mut bytes = [0; SCRIPTS];
        if !text.is_ascii() {
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
        Self { script, foreign: all - latin, all }
    }

    /// How many of so many tokens are in the other script. A token has three to seven bytes in any of them, so that
    /// bytes tell.
    pub(crate) fn foreign_of(&self, tokens: u32) -> u32 {
        let share = u64::from(tokens) * self.foreign;
        let rounded = (share + self.all / 2).checked_div(self.all).unwrap_or(0);
        u32::try_from(rounded).unwrap_or(tokens)
    }
}

/// Longer texts are judged by a quarter of their bytes.
const SHORT: usize = 512;
/// Bytes that are looked at together. Of each, what is added up for a script fits its lane.
const WINDOW: usize = 64;
/// A sum for each script, side by side in one word.
const LANE_BITS: usize = 12;
const LANE: u64 = (1 << LANE_BITS) - 1;
/// What a byte adds: a letter its bytes to its script, and all else nothing.
static ADDS: [u64; 256] = adds();

/// Bytes of letters of each script among some bytes, but for the last one.
fn lanes(bytes: &[u8]) -> u64 {
    // Letters of Vietnamese are in the middle of what are scripts of South-East Asia for the rest.
    let latin = |byte: u8, next: u8| byte == 0xE1 && next & 0xFC == 0xB8;
    let adds = |(&byte, &next): (&u8, &u8)| {
        let lead = if latin(byte, next) { 0xC3 } else { byte };
        ADDS.get(usize::from(lead)).copied().unwrap_or(0)
    };
    bytes.iter().zip(bytes.iter().skip(1)).map(adds).sum()
}

const fn adds() -> [u64; 256] {
    let mut adds = [0; 256];
    let (mut byte, mut rest) = (0_u8, adds.as_mut_slice());
    while let Some((first, behind)) = rest.split_first_mut() {
        let (script, bytes) = match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => (Script::Latin, 1),
            0xC3..=0xCD => (Script::Latin, 2),
            0xCE..=0xD5 => (Script::Cyrillic, 2),
            0xD6..=0xDF => (Script::Arabic, 2),
            0xE0..=0xE1 => (Script::Indic, 3),
            0xE3..=0xED => (Script::Han, 3),
            // Latin-1 signs, punctuation and symbols, forms of other characters, emoji; and whatever begins none.
            _ => (Script::Latin, 0),
        };
        *first = bytes << (script as usize * LANE_BITS);
        rest = behind;
        byte = byte.wrapping_add(1);
    }
    adds
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The script of a text, and how many of 100 tokens are in it.
    fn check(cases: &[(&str, Script, std::ops::RangeInclusive<u32>)]) {
        for (text, script, foreign) in cases {
            let blend = Blend::of(text);
            assert_eq!(blend.script, *script, "{text}");
            assert!(foreign.contains(&blend.foreign_of(100)), "{text}: {}", blend.foreign_of(100));
        }
    }

    #[test]
    fn a_text_is_in_the_script_of_its_letters() {
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
    fn a_text_in_two_scripts_is_divided_between_them() {
        check(&[
            ("The word for garden is 庭園.", Script::Han, 20..=30),
            ("В файле src/garden.rs ошибка: index out of bounds", Script::Cyrillic, 35..=55),
            ("花园 and сад and 花园", Script::Han, 60..=90),
        ]);
    }

    #[test]
    fn a_long_text_is_divided_as_a_short_one() {
        let short = "Сад и garden, 花园. ";
        let (one, many) = (Blend::of(short), Blend::of(&short.repeat(5_000)));
        assert_eq!((one.script, many.script), (Script::Cyrillic, Script::Cyrillic));
        assert!(one.foreign_of(1_000).abs_diff(many.foreign_of(1_000)) <= 20);
        let longest = Blend::of(&"字".repeat(100_000));
        assert_eq!((longest.script, longest.foreign_of(u32::MAX)), (Script::Han, u32::MAX));
    }

    #[test]
    fn every_character_can_stand_anywhere() {
        let all: String = ('\0'..=char::MAX).step_by(5).collect();
        assert!(Blend::of(&all).foreign_of(1_000) < 1_000);
    }
}
