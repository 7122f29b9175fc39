//! Pre-tokenization: a text is split into pieces before merging, and no token crosses the boundary of a piece.
//!
//! Each encoding defines its pieces by a regular expression: its leftmost match, the first alternative first. The code
//! here finds the same matches without a regex engine, in time linear in the text.

mod block;
pub(super) mod cl100k;
pub(super) mod o200k;
pub(super) mod part;

use epitome::policy::Encoding;

use super::class::Classes;
use super::text::Text;
use block::Found;

/// Calls `piece(start, end)` for every piece of `text`, in order. Pieces are not empty, and together they are the text.
#[inline]
pub(super) fn split(
    encoding: Encoding,
    text: &str,
    classes: &Classes,
    mut piece: impl FnMut(usize, usize),
) {
    let text = Text::new(text, classes);
    let mut start = 0;
    match encoding {
        Encoding::Cl100kBase => {
            while let Some(end) = cl100k::end(text, start, cl100k::CL100K) {
                piece(start, end);
                start = end;
            }
        }
        Encoding::O200kBase => {
            // Before this position, pieces are found one by one: a block of 64 characters there has no sure piece.
            let mut one_by_one_until = 0;
            while start < text.len() {
                if start >= one_by_one_until {
                    match block::find(text, start, o200k::O200K) {
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
                        Found::Nothing(until) => one_by_one_until = until,
                    }
                }
                let Some(end) = o200k::end(text, start, o200k::O200K) else { return };
                piece(start, end);
                start = end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fancy_regex::Regex;

    use super::super::prng::prng;
    use super::*;
    use crate::division::between_pieces;

    /// As published, and as the pinned rank files have them.
    const PUBLISHED: [(Encoding, &str); 2] = [
        (
            Encoding::Cl100kBase,
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
        (
            Encoding::O200kBase,
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
    ];

    const CHARACTERS: [&str; 12] =
        ["a", "A", "字", "\u{301}", "1", " ", "\t", "\n", "!", "/", "'", "\u{3000}"];

    fn pieces<'a>(encoding: Encoding, text: &'a str, classes: &Classes) -> Vec<&'a str> {
        let mut pieces = Vec::new();
        split(encoding, text, classes, |start, end| pieces.push(text.get(start..end).unwrap()));
        pieces
    }

    fn check(texts: &[String]) {
        let classes = Classes::new();
        for (encoding, pattern) in PUBLISHED {
            let pattern = Regex::new(pattern).unwrap();
            for text in texts {
                let pieces = pieces(encoding, text, &classes);
                let matches = pattern.find_iter(text).map(|found| found.unwrap().as_str());
                assert_eq!(pieces, matches.collect::<Vec<_>>(), "{encoding:?} of {text:?}");
            }
        }
    }

    #[test]
    fn j24_the_pieces_of_a_divided_text_are_those_of_the_whole() {
        let classes = Classes::new();
        let divided = |text: &str| {
            let all = (0..=text.len()).filter_map(|from| between_pieces(text, from));
            for (encoding, _) in PUBLISHED {
                let whole = pieces(encoding, text, &classes);
                for at in all.clone() {
                    let (before, after) = text.split_at(at);
                    let mut parts = pieces(encoding, before, &classes);
                    parts.extend(pieces(encoding, after, &classes));
                    assert_eq!(parts, whole, "{encoding:?} of {text:?} at {at}");
                }
            }
            all.count()
        };
        let count = CHARACTERS.len();
        let texts = (0..count.pow(4)).map(move |number| {
            let digits = (0..4).map(|place| number / count.pow(place) % count);
            digits.map(|digit| CHARACTERS[digit]).collect::<String>()
        });
        assert!(texts.map(|text| divided(&text)).sum::<usize>() > 10_000);
    }

    #[test]
    fn pieces_of_every_short_text_match_the_published_pattern() {
        let count = CHARACTERS.len();
        let texts = (0..count.pow(4)).map(move |number| {
            let digits = (0..4).map(|place| number / count.pow(place) % count);
            digits.map(|digit| CHARACTERS[digit]).collect()
        });
        check(&texts.collect::<Vec<String>>());
    }

    #[test]
    fn pieces_of_long_texts_match_the_published_pattern() {
        const PARTS: [&str; 30] = [
            "a", "A", "b", "word", "Word", "WORD", "aB", " ", " ", "  ", "\t", "\n", "\r\n",
            "\n\n", "1", "12", "1234567", "!", "(", "...", "/", "'", "'s", "'re", "'LL", "'t",
            "\u{b}", "\0", "é", "字",
        ];
        let mut below = prng(1);
        let texts = (0..4_000).map(|_| {
            // From all parts, or from a few of them, so that runs become long.
            let (first, bound) = (below(30), [30, 28, 3, 6][below(4) as usize]);
            let length = 1 + below(120);
            (0..length).map(|_| PARTS[((first + below(bound)) % 30) as usize]).collect()
        });
        check(&texts.collect::<Vec<String>>());
    }

    #[test]
    fn contractions_of_any_case_are_split_off_as_published() {
        let endings =
            ["s", "S", "ſ", "t", "T", "m", "D", "re", "Re", "rE", "VE", "ll", "LL", "l", "r", "ſs"];
        let texts =
            endings.map(|ending| format!("a'{ending}b A'{ending} '{ending}1'{ending}''{ending}"));
        check(&texts);
    }

    #[test]
    fn pieces_of_random_texts_match_the_published_pattern() {
        let mut below = prng(1);
        let texts = (0..3_000).map(|_| {
            let bound = [0x11_0000, 0x3000, 0x250, 0x80][below(4) as usize];
            let length = 1 + below(40);
            (0..length).map(|_| char::from_u32(below(bound)).unwrap_or('\'')).collect()
        });
        check(&texts.collect::<Vec<String>>());
    }
}
