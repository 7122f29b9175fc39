//! An estimate of token counts without a vocabulary: each character has a weight, by its position and its neighbours.

mod estimate;
mod kinds;
mod packed_sum;
mod script_class;
#[allow(dead_code, reason = "the fit and a test of the walk need the steps by definition")]
mod state_machine;
mod table;
mod units;
mod walk;
mod weights;

use epitome::policy::Family;
use epitome::tokens::{BoxedTokenizer, TokenOverhead, Tokenizer};
pub use estimate::Estimate;

/// Estimates tokens of `o200k_base`: the [`Estimate`] for the default family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heuristic;

impl Heuristic {
    const ESTIMATE: Estimate = Estimate(Family::O200kBase);
}

impl Tokenizer for Heuristic {
    fn count(&self, text: &str) -> u32 {
        Self::ESTIMATE.count(text)
    }

    fn error_band(&self) -> f64 {
        Self::ESTIMATE.error_band()
    }

    fn overhead(&self) -> TokenOverhead {
        Self::ESTIMATE.overhead()
    }

    fn divide(&self, text: &str, from: usize) -> usize {
        Self::ESTIMATE.divide(text, from)
    }
}

/// The estimate for the models of a family.
pub fn heuristic(family: Family) -> BoxedTokenizer {
    Box::new(Estimate(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts with their exact counts by `o200k_base`, and how far off an estimate may be.
    const KNOWN: [(&str, u32, u32); 18] = [
        ("Hello, world!", 4, 1),
        ("The quick brown fox jumps over the lazy dog.", 10, 2),
        ("I don't think we'll need it; they've already shipped.", 11, 2),
        ("fn main() {\n    println!(\"{}\", parse_url_fast(input)?);\n}\n", 14, 3),
        ("{\"reservation_id\": \"4WQ150\", \"total\": 1234567, \"ok\": true}", 23, 3),
        ("2024-05-15 15:00:00", 12, 1),
        ("你好，麻烦帮我推荐一家有美食林一星的餐馆，谢谢。", 19, 4),
        ("明日の午後三時に東京駅で会いましょう。", 14, 3),
        ("Быстрая коричневая лиса прыгает через ленивую собаку.", 20, 5),
        ("Größere Straßen führen über die Brücke.", 11, 4),
        ("안녕하세요, 오늘 회의는 세 시에 시작합니다.", 13, 3),
        ("كيف يمكنني مساعدتك اليوم؟", 7, 3),
        ("मैं आज बाज़ार जा रहा हूँ।", 9, 3),
        ("🎉🚀 done ✅", 6, 2),
        ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", 29, 6),
        ("d41d8cd98f00b204e9800998ecf8427e", 19, 3),
        ("<|endoftext|>", 7, 4),
        ("- [ ] first\n- [x] second\n\n\n    indented\n\ttabbed", 17, 4),
    ];

    #[test]
    fn estimates_are_near_the_exact_counts() {
        for (text, exact, band) in KNOWN {
            let estimate = Heuristic.count(text);
            assert!(estimate.abs_diff(exact) <= band, "{text:?}: {estimate}, exactly {exact}");
        }
    }

    #[test]
    fn empty_text_has_no_tokens_and_any_other_text_has_at_least_one() {
        assert_eq!(Heuristic.count(""), 0);
        for text in [" ", "\n", "a", "\u{0}", "\u{301}", "\u{200d}", "\u{fffd}", "'"] {
            assert!(Heuristic.count(text) >= 1, "{text:?}");
        }
    }

    #[test]
    fn the_text_of_special_tokens_is_plain_text() {
        assert!(Heuristic.count("<|im_start|>system<|im_sep|>") > 6);
    }

    #[test]
    fn encoded_bytes_cost_more_than_words() {
        let encoded = "kJ8fQz2LmX0vRb7TnW5cYp3HsD9aGe1UiO6tKq4B".repeat(20);
        let words = "plain words of the same length as these ".repeat(20);
        assert!(Heuristic.count(&encoded) > 2 * Heuristic.count(&words));
    }

    #[test]
    fn a_thousand_times_the_text_is_a_thousand_times_the_count() {
        let all: String = KNOWN.iter().map(|(text, ..)| format!("{text}\n")).collect();
        let one = Heuristic.count(&all);
        let many = Heuristic.count(&all.repeat(1_000));
        assert!(many.abs_diff(one * 1_000) <= one * 1_000 / 50, "{one} and {many}");
    }

    #[test]
    fn every_character_is_counted_at_every_position() {
        let all: String = ('\0'..=char::MAX).step_by(7).collect();
        assert!(Heuristic.count(&all) > 10_000);
        let starts =
            ["a", "A", "1", " ", "\n", "\t", "'", "!", "é", "é'", "字", "👍", "\u{301}", "\u{a0}"];
        for first in starts {
            for second in starts {
                for third in starts {
                    assert!(Heuristic.count(&format!("{first}{second}{third}")) >= 1);
                }
            }
        }
    }

    #[test]
    fn long_runs_of_one_character_are_counted() {
        for unit in ["a", "Z", "9", " ", "\n", "!", "é", "я", "字", "👩\u{200d}", "\u{0}"] {
            assert!(Heuristic.count(&unit.repeat(1 << 20)) >= 1, "{unit:?}");
        }
    }
}
