//! The ways of cutting text that models are published with, without an engine for regular expressions.

mod deepseek;
mod gpt2;
mod printed;

use super::super::class::{Class, Classes};
use super::super::scan::Scan;
use super::super::splitter::{cl100k, number, o200k};

/// One way of cutting text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Words and runs of digits or marks, each with the space before it.
    Gpt2,
    /// As `cl100k_base`, which Llama 3 took over.
    Cl100k,
    /// As that, each digit by itself.
    Qwen2,
    /// As that, accents with the letters.
    Qwen3_5,
    /// As `o200k_base`.
    O200k,
    /// As that, each digit by itself and contractions apart.
    Tekken,
    /// Numbers by themselves, up to `longest` digits together.
    Numbers {
        /// Characters of the longest.
        longest: usize,
    },
    /// Runs of Chinese characters and Japanese syllables by themselves.
    DeepSeekCjk,
    /// Words with accents and with the mark before them.
    DeepSeekWords,
}

/// What [`Cut::of_pattern`] knows, in words.
pub(super) const KNOWN_PATTERNS: &str = "those of GPT-2, GPT-4 and Llama 3, Qwen 2 and 3, Qwen 3.5, \
                                         GPT-4o and gpt-oss, Mistral Tekken, and DeepSeek V3";

/// The patterns as files have them.
const PATTERNS: [(&str, Cut); 11] = [
    (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", Cut::Gpt2),
    (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", Cut::Gpt2),
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Cut::Cl100k,
    ),
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Cut::Qwen2,
    ),
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Cut::Qwen3_5,
    ),
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Cut::O200k,
    ),
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Cut::Tekken,
    ),
    (r"\p{N}{1,3}", Cut::Numbers { longest: 3 }),
    (r"\p{N}", Cut::Numbers { longest: 1 }),
    ("[一-龥\u{3040}-ゟ゠-ヿ]+", Cut::DeepSeekCjk),
    (
        "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
        Cut::DeepSeekWords,
    ),
];

impl Cut {
    /// The way of cutting that a regular expression stands for.
    pub(super) fn of_pattern(pattern: &str) -> Option<Self> {
        PATTERNS.iter().find(|(known, _)| *known == pattern).map(|&(_, cut)| cut)
    }

    /// Whether every character of a text is in a match, and none between two.
    pub(super) fn takes_everything(self) -> bool {
        match self {
            Self::Numbers { .. } | Self::DeepSeekCjk | Self::DeepSeekWords => false,
            Self::Gpt2 | Self::Cl100k | Self::Qwen2 => true,
            Self::Qwen3_5 | Self::O200k | Self::Tekken => true,
        }
    }

    /// Calls `piece(start, end)` for every match and for all that lies between two, from the first to the
    /// last. They are not empty, and together they are the text.
    #[inline]
    fn split(self, text: &str, classes: &Classes, piece: impl FnMut(usize, usize)) {
        let scan = Scan::new(text, classes);
        match self {
            Self::Gpt2 => isolate(scan, |at| gpt2::end(scan, at), piece),
            Self::Cl100k => isolate(scan, |at| cl100k::end(scan, at, cl100k::CL100K), piece),
            Self::Qwen2 => isolate(scan, |at| cl100k::end(scan, at, cl100k::QWEN2), piece),
            Self::Qwen3_5 => isolate(scan, |at| cl100k::end(scan, at, cl100k::QWEN3_5), piece),
            Self::O200k => isolate(scan, |at| o200k::end(scan, at, o200k::O200K), piece),
            Self::Tekken => isolate(scan, |at| o200k::end(scan, at, o200k::TEKKEN), piece),
            Self::Numbers { longest } => {
                let is_number = |at| scan.at(at).is_some_and(|(class, _)| class.is(Class::NUMBER));
                let end = |at| is_number(at).then(|| number(scan, at, longest));
                isolate(scan, end, piece);
            }
            Self::DeepSeekCjk => isolate(scan, |at| deepseek::cjk(scan, at), piece),
            Self::DeepSeekWords => isolate(scan, |at| deepseek::word(scan, at), piece),
        }
    }
}

/// Calls `piece` for every match, which ends where `end` of its start says, and for all between two.
#[inline]
fn isolate(
    scan: Scan<'_>,
    end: impl Fn(usize) -> Option<usize>,
    mut piece: impl FnMut(usize, usize),
) {
    let (mut start, mut at) = (0, 0);
    loop {
        if let Some(end) = end(at) {
            if start < at {
                piece(start, at);
            }
            piece(at, end);
            (start, at) = (end, end);
        } else if let Some((_, width)) = scan.at(at) {
            at += width;
        } else {
            break;
        }
    }
    if start < at {
        piece(start, at);
    }
}

/// Ways of cutting, each of which cuts the pieces of the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cuts(Vec<Cut>);

impl Cuts {
    pub(super) fn new(cuts: Vec<Cut>) -> Self {
        Self(cuts)
    }

    /// Calls `piece(start, end)` for every piece of `text`, from the first to the last. They are not empty,
    /// and together they are the text.
    #[inline]
    pub(super) fn split(&self, text: &str, classes: &Classes, mut piece: impl FnMut(usize, usize)) {
        match *self.0.as_slice() {
            [only] => only.split(text, classes, piece),
            ref cuts => split_again(cuts, text, 0, classes, &mut piece),
        }
    }
}

/// Cuts `text`, which stands at `offset` of a longer one, by all of `cuts`.
fn split_again(
    cuts: &[Cut],
    text: &str,
    offset: usize,
    classes: &Classes,
    piece: &mut dyn FnMut(usize, usize),
) {
    let Some((first, others)) = cuts.split_first() else {
        if !text.is_empty() {
            piece(offset, offset + text.len());
        }
        return;
    };
    first.split(text, classes, |start, end| {
        let inner = text.get(start..end).unwrap_or_default();
        split_again(others, inner, offset + start, classes, piece);
    });
}

#[cfg(test)]
mod tests {
    use fancy_regex::Regex;

    use super::*;

    fn check(texts: &[String]) {
        let classes = Classes::new();
        for (pattern, cut) in PATTERNS {
            let regex = Regex::new(pattern).unwrap();
            for text in texts {
                let mut pieces = Vec::new();
                cut.split(text, &classes, |start, end| pieces.push((start, end)));
                let (mut expected, mut start) = (Vec::new(), 0);
                for found in regex.find_iter(text).map(Result::unwrap) {
                    assert!(start == found.start() || !cut.takes_everything(), "{pattern}");
                    expected.extend((start < found.start()).then_some((start, found.start())));
                    expected.push((found.start(), found.end()));
                    start = found.end();
                }
                assert!(start == text.len() || !cut.takes_everything(), "{pattern}");
                expected.extend((start < text.len()).then_some((start, text.len())));
                assert_eq!(pieces, expected, "{cut:?} of {text:?}");
            }
        }
    }

    #[test]
    fn pieces_of_every_short_text_are_what_the_pattern_matches() {
        const CHARACTERS: [&str; 14] = [
            "a", "A", "s", "字", "か", "\u{301}", "1", " ", "\t", "\n", "!", "、", "'", "\u{200d}",
        ];
        let count = CHARACTERS.len();
        let texts = (0..count.pow(4)).map(move |number| {
            let digits = (0..4).map(|place| number / count.pow(place) % count);
            digits.map(|digit| CHARACTERS[digit]).collect()
        });
        check(&texts.collect::<Vec<String>>());
    }

    #[test]
    fn contractions_are_cut_as_the_pattern_does() {
        let endings = ["s", "S", "ſ", "t", "m", "D", "re", "Re", "VE", "ve", "ll", "LL", "l"];
        let texts =
            endings.map(|ending| format!("a'{ending}b A'{ending} '{ending}1'{ending}''{ending}"));
        check(&texts);
    }

    #[test]
    fn pieces_of_random_texts_are_what_the_pattern_matches() {
        let mut state = 1_u32;
        let mut below = move |bound: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % bound
        };
        let texts = (0..3_000).map(|_| {
            let bound = [0x11_0000, 0x3200, 0x250, 0x80][below(4) as usize];
            let length = 1 + below(40);
            (0..length).map(|_| char::from_u32(below(bound)).unwrap_or('\'')).collect()
        });
        check(&texts.collect::<Vec<String>>());
    }

    #[test]
    fn each_way_cuts_the_pieces_of_the_one_before() {
        let cuts =
            Cuts::new(vec![Cut::Numbers { longest: 3 }, Cut::DeepSeekCjk, Cut::DeepSeekWords]);
        let text = "abc 12345かx 字!  b";
        let mut pieces = Vec::new();
        cuts.split(text, &Classes::new(), |start, end| pieces.push(text.get(start..end).unwrap()));
        assert_eq!(pieces, ["abc", " ", "123", "45", "か", "x", " ", "字", "!", " ", " b"]);
        let mut all = Vec::new();
        Cuts::new(Vec::new()).split(text, &Classes::new(), |start, end| all.push((start, end)));
        assert_eq!(all, [(0, text.len())]);
    }
}
