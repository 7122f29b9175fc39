//! The patterns that models split text by, without a regex engine.

mod deepseek;
mod gpt2;
mod punctuation;

use super::super::class::{Class, Classes};
use super::super::splitter::part::number;
use super::super::splitter::{cl100k, o200k};
use super::super::text::Text;

/// A published pattern. What it matches is a piece, and so is each text between two matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// Words, and runs of digits or marks, each with the space before it.
    Gpt2,
    /// The pattern of `cl100k_base`. Llama 3 uses it too.
    Cl100k,
    /// The same, but each digit is a piece.
    Qwen2,
    /// The same as for Qwen 2, but words include combining marks.
    Qwen3_5,
    /// The pattern of `o200k_base`.
    O200k,
    /// The same, but each digit is a piece, and contractions are pieces of their own.
    Tekken,
    /// Numbers, up to `longest` digits per piece.
    Numbers {
        /// The most digits of a piece.
        longest: usize,
    },
    /// Runs of Chinese characters and Japanese syllables.
    DeepSeekCjk,
    /// Words with combining marks, and with the mark before them.
    DeepSeekWords,
}

/// The models whose patterns [`Pattern::of_regex`] knows, for error messages.
pub(super) const KNOWN_PATTERNS: &str = "those of GPT-2, GPT-4 and Llama 3, Qwen 2 and 3, Qwen 3.5, \
                                         GPT-4o and gpt-oss, Mistral Tekken, and DeepSeek V3";

/// The regular expressions as files have them.
const PUBLISHED: [(&str, Pattern); 11] = [
    (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", Pattern::Gpt2),
    (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", Pattern::Gpt2),
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Pattern::Cl100k,
    ),
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Pattern::Qwen2,
    ),
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Pattern::Qwen3_5,
    ),
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Pattern::O200k,
    ),
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Pattern::Tekken,
    ),
    (r"\p{N}{1,3}", Pattern::Numbers { longest: 3 }),
    (r"\p{N}", Pattern::Numbers { longest: 1 }),
    ("[一-龥\u{3040}-ゟ゠-ヿ]+", Pattern::DeepSeekCjk),
    (
        "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
        Pattern::DeepSeekWords,
    ),
];

impl Pattern {
    /// The pattern of a published regular expression.
    pub(super) fn of_regex(regex: &str) -> Option<Self> {
        PUBLISHED.iter().find(|(known, _)| *known == regex).map(|&(_, pattern)| pattern)
    }

    /// Whether every character of any text is in a match.
    pub(super) fn matches_everything(self) -> bool {
        match self {
            Self::Numbers { .. } | Self::DeepSeekCjk | Self::DeepSeekWords => false,
            Self::Gpt2 | Self::Cl100k | Self::Qwen2 => true,
            Self::Qwen3_5 | Self::O200k | Self::Tekken => true,
        }
    }

    /// Calls `piece(start, end)` for every match and for each text between two matches, in order. Pieces are not empty,
    /// and together they are the text.
    #[inline]
    fn split(self, text: &str, classes: &Classes, piece: impl FnMut(usize, usize)) {
        let text = Text::new(text, classes);
        match self {
            Self::Gpt2 => isolate(text, |at| gpt2::end(text, at), piece),
            Self::Cl100k => isolate(text, |at| cl100k::end(text, at, cl100k::CL100K), piece),
            Self::Qwen2 => isolate(text, |at| cl100k::end(text, at, cl100k::QWEN2), piece),
            Self::Qwen3_5 => isolate(text, |at| cl100k::end(text, at, cl100k::QWEN3_5), piece),
            Self::O200k => isolate(text, |at| o200k::end(text, at, o200k::O200K), piece),
            Self::Tekken => isolate(text, |at| o200k::end(text, at, o200k::TEKKEN), piece),
            Self::Numbers { longest } => {
                let is_number = |at| text.at(at).is_some_and(|(class, _)| class.is(Class::NUMBER));
                let end = |at| is_number(at).then(|| number(text, at, longest));
                isolate(text, end, piece);
            }
            Self::DeepSeekCjk => isolate(text, |at| deepseek::cjk(text, at), piece),
            Self::DeepSeekWords => isolate(text, |at| deepseek::word(text, at), piece),
        }
    }
}

/// Calls `piece` for every match, whose end `end(start)` returns, and for each text between two matches.
#[inline]
fn isolate(
    text: Text<'_>,
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
        } else if let Some((_, width)) = text.at(at) {
            at += width;
        } else {
            break;
        }
    }
    if start < at {
        piece(start, at);
    }
}

/// A sequence of patterns. Each one splits the pieces of the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Patterns(Vec<Pattern>);

impl Patterns {
    pub(super) fn new(patterns: Vec<Pattern>) -> Self {
        Self(patterns)
    }

    /// Calls `piece(start, end)` for every piece of `text`, in order. Pieces are not empty, and together they are the
    /// text.
    #[inline]
    pub(super) fn split(&self, text: &str, classes: &Classes, mut piece: impl FnMut(usize, usize)) {
        match *self.0.as_slice() {
            // Without the `dyn` function that a sequence needs, the loop over pieces is inlined into the count.
            [only] => only.split(text, classes, piece),
            ref patterns => split_again(patterns, text, 0, classes, &mut piece),
        }
    }
}

/// Splits `text`, which starts at `offset` of a longer text, by each of `patterns` in turn.
fn split_again(
    patterns: &[Pattern],
    text: &str,
    offset: usize,
    classes: &Classes,
    piece: &mut dyn FnMut(usize, usize),
) {
    let Some((first, others)) = patterns.split_first() else {
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

    use super::super::super::prng::prng;
    use super::*;

    fn check(texts: &[String]) {
        let classes = Classes::new();
        for (regex, pattern) in PUBLISHED {
            let compiled = Regex::new(regex).unwrap();
            for text in texts {
                let mut pieces = Vec::new();
                pattern.split(text, &classes, |start, end| pieces.push((start, end)));
                let (mut expected, mut start) = (Vec::new(), 0);
                for found in compiled.find_iter(text).map(Result::unwrap) {
                    assert!(start == found.start() || !pattern.matches_everything(), "{regex}");
                    expected.extend((start < found.start()).then_some((start, found.start())));
                    expected.push((found.start(), found.end()));
                    start = found.end();
                }
                assert!(start == text.len() || !pattern.matches_everything(), "{regex}");
                expected.extend((start < text.len()).then_some((start, text.len())));
                assert_eq!(pieces, expected, "{pattern:?} of {text:?}");
            }
        }
    }

    #[test]
    fn pieces_of_every_short_text_are_what_the_regular_expression_matches() {
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
    fn contractions_are_split_off_as_the_regular_expression_does() {
        let endings = ["s", "S", "ſ", "t", "m", "D", "re", "Re", "VE", "ve", "ll", "LL", "l"];
        let texts =
            endings.map(|ending| format!("a'{ending}b A'{ending} '{ending}1'{ending}''{ending}"));
        check(&texts);
    }

    #[test]
    fn pieces_of_random_texts_are_what_the_regular_expression_matches() {
        let mut below = prng(1);
        let texts = (0..3_000).map(|_| {
            let bound = [0x11_0000, 0x3200, 0x250, 0x80][below(4) as usize];
            let length = 1 + below(40);
            (0..length).map(|_| char::from_u32(below(bound)).unwrap_or('\'')).collect()
        });
        check(&texts.collect::<Vec<String>>());
    }

    #[test]
    fn each_pattern_splits_the_pieces_of_the_one_before() {
        let patterns = Patterns::new(vec![
            Pattern::Numbers { longest: 3 },
            Pattern::DeepSeekCjk,
            Pattern::DeepSeekWords,
        ]);
        let text = "abc 12345かx 字!  b";
        let mut pieces = Vec::new();
        patterns
            .split(text, &Classes::new(), |start, end| pieces.push(text.get(start..end).unwrap()));
        assert_eq!(pieces, ["abc", " ", "123", "45", "か", "x", " ", "字", "!", " ", " b"]);
        let mut all = Vec::new();
        Patterns::new(Vec::new()).split(text, &Classes::new(), |start, end| all.push((start, end)));
        assert_eq!(all, [(0, text.len())]);
    }
}
