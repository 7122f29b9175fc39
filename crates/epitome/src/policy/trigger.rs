//! When to act: a number of tokens, worked out from the window.

use serde::{Deserialize, Serialize};

/// One condition on the tokens in the window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Trigger {
    /// At the smaller of a fraction of the window and the window without its reserves.
    Budget(Budget),
    /// At a fraction of the window, unless a number of tokens is given.
    Fill(Fill),
    /// At this many tokens, whatever the window. 0 or less turns it off.
    Tokens(i64),
}

/// See [`Trigger::Budget`]. The defaults put a window of 200,000 at 140,000.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Budget {
    /// Share of the window, 0 to 1.
    pub fraction: f64,
    /// Tokens kept free for the answer.
    pub output_reserve: u32,
    /// Tokens kept free for what the count may be wrong by.
    pub safety_margin: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { fraction: 0.7, output_reserve: 32_000, safety_margin: 8_000 }
    }
}

/// See [`Trigger::Fill`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Fill {
    /// Share of the window, 0 to 1.
    pub fraction: f64,
    /// Above 0, this many tokens count instead of the fraction.
    pub max_tokens: u32,
}

impl Default for Fill {
    fn default() -> Self {
        Self { fraction: 0.8, max_tokens: 0 }
    }
}

impl Trigger {
    /// The tokens at which it fires in a window of `window` tokens; `None` where it never does.
    pub fn threshold(&self, window: u32) -> Option<u32> {
        match self {
            Self::Budget(budget) => {
                let reserves = budget.output_reserve.saturating_add(budget.safety_margin);
                Some(share(window, budget.fraction).min(window.saturating_sub(reserves)))
            }
            Self::Fill(fill) if fill.max_tokens > 0 => Some(fill.max_tokens),
            Self::Fill(fill) => Some(share(window, fill.fraction)),
            Self::Tokens(tokens) if *tokens <= 0 => None,
            Self::Tokens(tokens) => Some(u32::try_from(*tokens).unwrap_or(u32::MAX)),
        }
    }

    /// True where a threshold is met only when exceeded: a budget may be filled to its last token.
    pub fn fires(&self, tokens: u32, window: u32) -> bool {
        match (self, self.threshold(window)) {
            (_, None) => false,
            (Self::Budget(_), Some(threshold)) => tokens > threshold,
            (_, Some(threshold)) => tokens >= threshold,
        }
    }
}

/// A fraction of a number of tokens, rounded down; a fraction outside 0 to 1 is brought inside.
pub(crate) fn share(tokens: u32, fraction: f64) -> u32 {
    let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 };
    // A product of a u32 and a number of at most 1 fits a u32.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 <= x <= u32::MAX"
    )]
    let share = (f64::from(tokens) * fraction + 1e-6) as u32;
    share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b2_threshold_is_the_smaller_of_fraction_and_reserve() {
        let budget = Trigger::Budget(Budget::default());
        assert_eq!(budget.threshold(200_000), Some(140_000));
        assert_eq!(budget.threshold(100_000), Some(60_000), "the reserves are the tighter bound");
        assert_eq!(budget.threshold(20_000), Some(0));
        assert!(!budget.fires(140_000, 200_000));
        assert!(budget.fires(140_001, 200_000));
    }

    #[test]
    fn b2_all_of_its_numbers_can_be_set() {
        let budget = Budget { fraction: 0.5, output_reserve: 10, safety_margin: 5 };
        assert_eq!(Trigger::Budget(budget).threshold(100), Some(50));
        assert_eq!(Trigger::Budget(Budget { fraction: 1.0, ..budget }).threshold(100), Some(85));
    }

    #[test]
    fn b3_fill_fires_at_eighty_percent_unless_tokens_are_given() {
        let fill = Trigger::Fill(Fill::default());
        assert_eq!(fill.threshold(128_000), Some(102_400));
        assert!(fill.fires(102_400, 128_000));
        let tokens = Trigger::Fill(Fill { max_tokens: 9_000, ..Fill::default() });
        assert_eq!(tokens.threshold(128_000), Some(9_000));
    }

    #[test]
    fn b4_trimming_begins_at_half_the_window_unless_tokens_are_given() {
        let trim = crate::Policy::recommended(100_000).trim;
        assert!(trim.fires(50_000, 100_000) && !trim.fires(49_999, 100_000));
        let tokens = Trigger::Fill(Fill { fraction: 0.5, max_tokens: 9_000 });
        assert!(tokens.fires(9_000, 100_000) && !tokens.fires(8_999, 100_000));
    }

    #[test]
    fn b5_an_absolute_threshold_of_zero_or_less_is_off() {
        assert!(Trigger::Tokens(200_000).fires(200_000, 1_000_000));
        assert!(!Trigger::Tokens(200_000).fires(199_999, 1_000_000));
        assert_eq!(Trigger::Tokens(0).threshold(10), None);
        assert!(!Trigger::Tokens(-1).fires(u32::MAX, 10));
    }
}
