//! Where text is cut before merging: no token reaches over the border of a piece.
//!
//! Each way of cutting is defined by a regular expression and its leftmost match, first alternative first.
//! What is here finds the same matches without an engine, in time linear in the text.

mod block;
pub(super) mod cl100k;
pub(super) mod o200k;

use epitome::policy::Encoding;

use super::class::{Class, Classes};
use super::scan::Scan;
use block::Found;

/// A way of cutting text into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Splitter {
    /// Words with what stands before them; contractions are pieces of their own.
    Cl100k,
    /// Words with what stands before them and a contraction behind them; a capital starts a new word.
    O200k,
}

impl Splitter {
    /// The encoding that cuts text in this way.
    pub(super) fn encoding(self) -> Encoding {
        match self {
            Self::Cl100k => Encoding::Cl100kBase,
            Self::O200k => Encoding::O200kBase,
        }
    }

    /// Calls `piece(start, end)` for every piece of `text`, from the first to the last. They are not empty,
    /// and together they are the text.
    #[inline]
    pub(super) fn split(self, text: &str, classes: &Classes, mut piece: impl FnMut(usize, usize)) {
        let scan = Scan::new(text, classes);
        let mut start = 0;
        match self {
            Self::Cl100k => {
                while let Some(end) = cl100k::end(scan, start, cl100k::CL100K) {
                    piece(start, end);
                    start = end;
                }
            }
            Self::O200k => {
                let mut one_by_one = 0;
                while start < scan.len() {
                    if start >= one_by_one {
                        match block::find(scan, start, o200k::O200K) {
                            Found::Ends(mut ends) => {
                                let first = start + 1;
                                while ends != 0 {
                                    let end = first + ends.trailing_zeros() as usize;
                                    piece(start, end);
                                    start = end;
                                    ends &= ends - 1;
                                }
                                continue;
                            }
                            Found::Nothing(until) => one_by_one = until,
                        }
                    }
                    let Some(end) = o200k::end(scan, start, o200k::O200K) else { return };
                    piece(start, end);
                    start = end;
                }
            }
        }
    }
}

/// `[^\s\p{L}\p{N}]`
pub(super) const MARKS: Class = Class::OTHER.or(Class::MARK);

/// `\p{N}{1,most}`, where a number starts at `start`.
#[inline]
pub(super) fn number(scan: Scan<'_>, start: usize, most: usize) -> usize {
    let mut end = start;
    for _ in 0..most {
        match scan.at(end) {
            Some((class, width)) if class.is(Class::NUMBER) => end += width,
            _ => break,
        }
    }
    end
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at `at`: where it ends. The long s is an s as well.
#[inline]
fn contraction(scan: Scan<'_>, at: usize) -> Option<usize> {
    if scan.byte(at) != b'\'' {
        return None;
    }
    match (scan.byte(at + 1), scan.byte(at + 2)) {
        (b's' | b't' | b'm' | b'd' | b'S' | b'T' | b'M' | b'D', _) => Some(at + 2),
        (b'r' | b'R' | b'v' | b'V', b'e' | b'E') | (b'l' | b'L', b'l' | b'L') => Some(at + 3),
        (0xC5, 0xBF) => Some(at + 3),
        _ => None,
    }
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`, where a blank starts at `start`: up to the last end of a line; else all
/// before what is not blank but the last, which belongs to what follows.
pub(super) fn blank(scan: Scan<'_>, start: usize) -> usize {
    let (mut end, mut last, mut lines) = (start, start, start);
    while let Some((class, width)) = scan.at(end)
        && class.is(Class::BLANK)
    {
        last = end;
        end += width;
        if class.is(Class::NEWLINE) {
            lines = end;
        }
    }
    if lines > start {
        lines
    } else if end < scan.len() && last > start {
        last
    } else {
        end
    }
}

#[cfg(test)]
mod tests {
    use fancy_regex::Regex;

    use super::super::dice::dice;
    use super::*;

    /// As published, and as the pinned rank files have them.
    const PUBLISHED: [(Splitter, &str); 2] = [
        (
            Splitter::Cl100k,
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
        (
            Splitter::O200k,
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
    ];

    fn check(texts: &[String]) {
        let classes = Classes::new();
        for (splitter, pattern) in PUBLISHED {
            let pattern = Regex::new(pattern).unwrap();
            for text in texts {
                let mut pieces = Vec::new();
                splitter
                    .split(text, &classes, |start, end| pieces.push(text.get(start..end).unwrap()));
                let matches = pattern.find_iter(text).map(|found| found.unwrap().as_str());
                assert_eq!(pieces, matches.collect::<Vec<_>>(), "{splitter:?} of {text:?}");
            }
        }
    }

    #[test]
    fn pieces_of_every_short_text_are_what_the_published_pattern_matches() {
        const CHARACTERS: [&str; 11] =
            ["a", "A", "字", "\u{301}", "1", " ", "\t", "\n", "!", "/", "'"];
        let count = CHARACTERS.len();
        let texts = (0..count.pow(4)).map(move |number| {
            let digits = (0..4).map(|place| number / count.pow(place) % count);
            digits.map(|digit| CHARACTERS[digit]).collect()
        });
        check(&texts.collect::<Vec<String>>());
    }

    #[test]
    fn pieces_of_long_texts_are_what_the_published_pattern_matches() {
        const PARTS: [&str; 30] = [
            "a", "A", "b", "word", "Word", "WORD", "aB", " ", " ", "  ", "\t", "\n", "\r\n",
            "\n\n", "1", "12", "1234567", "!", "(", "...", "/", "'", "'s", "'re", "'LL", "'t",
            "\u{b}", "\0", "é", "字",
        ];
        let mut below = dice(1);
        let texts = (0..4_000).map(|_| {
            // Of all parts, or of few, so that runs become long.
            let (first, bound) = (below(30), [30, 28, 3, 6][below(4) as usize]);
            let length = 1 + below(120);
            (0..length).map(|_| PARTS[((first + below(bound)) % 30) as usize]).collect()
        });
        check(&texts.collect::<Vec<String>>());
    }

    #[test]
    fn contractions_are_cut_whatever_their_case() {
        let endings =
            ["s", "S", "ſ", "t", "T", "m", "D", "re", "Re", "rE", "VE", "ll", "LL", "l", "r", "ſs"];
        let texts =
            endings.map(|ending| format!("a'{ending}b A'{ending} '{ending}1'{ending}''{ending}"));
        check(&texts);
    }

    #[test]
    fn pieces_of_random_texts_are_what_the_published_pattern_matches() {
        let mut below = dice(1);
        let texts = (0..3_000).map(|_| {
            let bound = [0x11_0000, 0x3000, 0x250, 0x80][below(4) as usize];
            let length = 1 + below(40);
            (0..length).map(|_| char::from_u32(below(bound)).unwrap_or('\'')).collect()
        });
        check(&texts.collect::<Vec<String>>());
    }
}
