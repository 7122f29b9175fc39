//! Learns a factor for each script from intervals: messages between two prompts that the provider counted.
//!
//! An interval in one script says what the factor of that script is. An interval in several scripts has one
//! count and several unknowns. Its count is compared with the expected one, and the difference is divided among
//! the scripts: a script gets more of it the more tokens of it the interval has, and the less is known of it.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::tokens::{ONE, SCRIPTS, ScriptTokens};

/// Bounds of every factor, in millionths. A factor beyond them means that the provider counted more than the messages.
pub(super) const BOUNDS: RangeInclusive<u32> = LEAST_FACTOR..=ONE * 2;
/// The least factor, in millionths: a provider is never taken to count less than half of what the meter counts.
pub(crate) const LEAST_FACTOR: u32 = ONE / 2;
/// The largest weight of an interval, in tokens, so that a single long one does not outweigh all others.
const MAX_INTERVAL_WEIGHT: u32 = 8_192;
/// The sums are halved when they exceed this many tokens, so that old intervals matter less and less.
const MAX_SUM: u64 = 65_536;
/// A script starts with the mean factor of all scripts, as a prior. Its weight is that of the tokenizer's own
/// count divided by this: scripts differ from each other more than the mean differs from the tokenizer.
const SCRIPT_PRIOR_DIVISOR: u64 = 4;

/// Sums over intervals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Intervals {
    /// Tokens of all scripts by the meter.
    counted: u64,
    /// The same by the provider.
    reported: u64,
    /// By script, Latin first. If a snapshot has only the sums above, they hold for every script.
    scripts: [ScriptSums; SCRIPTS],
}

/// Sums over the share of one script in the intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 3]", into = "[u64; 3]")]
struct ScriptSums {
    /// Tokens by the meter.
    counted: u64,
    /// Tokens by the provider, as far as they were attributed to this script.
    reported: u64,
    /// Absolute differences between the reported and the expected tokens.
    absolute_error: u64,
}

impl From<[u64; 3]> for ScriptSums {
    fn from([counted, reported, absolute_error]: [u64; 3]) -> Self {
        Self { counted, reported, absolute_error }
    }
}

impl From<ScriptSums> for [u64; 3] {
    fn from(ScriptSums { counted, reported, absolute_error }: ScriptSums) -> Self {
        [counted, reported, absolute_error]
    }
}

/// The expected tokens of an interval in one script.
#[derive(Clone, Copy, Default)]
struct Expectation {
    /// Tokens by the meter.
    counted: u64,
    /// Expected tokens by the provider.
    reported: u64,
    /// This script's share of an unexpected difference, relative to the shares of the other scripts.
    error_share: u64,
}

impl Intervals {
    /// Learns from an interval: its tokens by the meter, and how much the provider's count grew by it. `prior`
    /// is the weight of the tokenizer's own count, in tokens. Constant time.
    ///
    /// A count below 0.4 or above 2.5 times the meter's is an outlier and ignored: the app has changed
    /// something else than the messages, for example its tool schemas.
    pub(super) fn learn(&mut self, interval: &ScriptTokens, reported: u32, prior: u64) {
        let whole = u64::from(interval.sum().max(1));
        let weight = whole.min(u64::from(MAX_INTERVAL_WEIGHT));
        let reported = u64::from(reported).saturating_mul(weight) / whole;
        if reported.saturating_mul(5) < weight * 2 || reported.saturating_mul(2) > weight * 5 {
            return;
        }
        // The first interval is compared with itself, since nothing else is known.
        let all =
            if self.counted == 0 { (weight, reported) } else { (self.counted, self.reported) };
        let mut expected = [Expectation::default(); SCRIPTS];
        let tokens = interval.tokens().map(|tokens| u64::from(tokens) * weight / whole);
        for ((slot, counted), sums) in expected.iter_mut().zip(tokens).zip(&self.scripts) {
            *slot = sums.expect(counted, all, prior);
        }
        let shares = expected.iter().map(|script| script.error_share).sum::<u64>().max(1);
        let sum: u64 = expected.iter().map(|script| script.reported).sum();
        for (sums, expected) in self.scripts.iter_mut().zip(expected) {
            // Limited to what an interval in this script alone could differ by: otherwise a few words in a
            // little-known script would get the whole difference of the text around them.
            let error = reported.abs_diff(sum) * expected.error_share / shares;
            let error = error.min(expected.counted * 2);
            let reported = match reported >= sum {
                true => expected.reported + error,
                false => expected.reported.saturating_sub(error),
            };
            sums.add(expected.counted, reported, error);
        }
        self.counted += weight;
        // Outliers begin at 0.4 and 2.5, factors end at 0.5 and 2. An interval in between counts as one at the
        // bound; otherwise the sums would leave the bounds, and many intervals would be needed to bring them
        // back.
        self.reported += reported.clamp(weight / 2, weight * 2);
        if self.counted > MAX_SUM {
            (self.counted, self.reported) = (self.counted / 2, self.reported / 2);
        }
    }

    /// The provider's tokens per token of the meter for each script, in millionths. `seed` is the factor before
    /// the first interval, which counts like an interval of `prior` tokens. A script that was in no interval
    /// has the mean factor.
    pub(super) fn factors(&self, seed: u32, prior: u64) -> [u32; SCRIPTS] {
        let sum = u64::from(seed) * prior + self.reported * u64::from(ONE);
        let mean = sum / (prior + self.counted).max(1);
        self.scripts.map(|sums| {
            let (reported, counted) = sums.with_prior((self.counted, self.reported), prior);
            // The products fit 64 bits, because every sum is limited by `MAX_SUM`. There is nothing to divide
            // by before the first interval.
            let factor = (mean * reported).checked_div(counted * self.reported).unwrap_or(mean);
            let factor = u32::try_from(factor).unwrap_or(u32::MAX);
            factor.clamp(*BOUNDS.start(), *BOUNDS.end())
        })
    }

    /// Half-width of the relative error that is left in each script: `band` millionths before the first
    /// interval, and then twice the mean absolute error of intervals, which covers about nine of ten if errors
    /// are normally distributed.
    pub(super) fn error_bands(&self, band: u32, prior: u64) -> [f64; SCRIPTS] {
        let one = u64::from(ONE);
        self.scripts.map(|sums| {
            let sum = u64::from(band) * prior + sums.absolute_error * 2 * one;
            // Both are far below 2⁵³, so that the conversion is exact.
            sum as f64 / ((prior + sums.counted) * one) as f64
        })
    }
}

impl ScriptSums {
    /// The factor of this script as a fraction: the first number ÷ (the second × `counted`).
    ///
    /// `counted` and `reported` are the sums of all scripts. Their ratio is the prior of this script, with a
    /// weight of `prior / SCRIPT_PRIOR_DIVISOR` tokens.
    fn with_prior(&self, (counted, reported): (u64, u64), prior: u64) -> (u64, u64) {
        let prior = prior / SCRIPT_PRIOR_DIVISOR;
        (prior * reported + self.reported * counted, prior + self.counted)
    }

    /// How many tokens the provider is expected to count for `tokens` tokens of the meter in this script.
    ///
    /// The error share is the variance of that expectation: it grows with the square of the tokens, and shrinks
    /// as more tokens of the script are known.
    fn expect(&self, tokens: u64, all: (u64, u64), prior: u64) -> Expectation {
        let (reported, counted) = self.with_prior(all, prior);
        let reported = (tokens * reported).checked_div(counted * all.0).unwrap_or(tokens);
        let error_share = tokens * tokens * u64::from(ONE) / (prior + self.counted).max(1);
        Expectation { counted: tokens, reported, error_share }
    }

    /// Adds an interval. The first one had no expectation to differ from, so that its error does not count.
    fn add(&mut self, counted: u64, reported: u64, error: u64) {
        self.absolute_error += if self.counted == 0 { 0 } else { error };
        self.counted += counted;
        self.reported += reported.clamp(counted / 2, counted * 2);
        if self.counted > MAX_SUM {
            for sum in [&mut self.counted, &mut self.reported, &mut self.absolute_error] {
                *sum /= 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::Script;

    const PRIOR: u64 = 820;
    const LATIN: usize = Script::Latin as usize;
    const HAN: usize = Script::Han as usize;
    const ARABIC: usize = Script::Arabic as usize;

    fn by_script(latin: u32, han: u32) -> ScriptTokens {
        ScriptTokens::from(vec![latin, 0, 0, 0, han])
    }

    /// An interval by a provider whose tokens are these percentages of the meter's, for Latin and for Han.
    fn learn(intervals: &mut Intervals, percent: [u32; 2], latin: u32, han: u32) {
        let reported = (latin * percent[0] + han * percent[1]) / 100;
        intervals.learn(&by_script(latin, han), reported, PRIOR);
    }

    fn percent(intervals: &Intervals) -> [u32; SCRIPTS] {
        intervals.factors(ONE, PRIOR).map(|factor| factor / (ONE / 100))
    }

    #[test]
    fn a_script_without_intervals_has_the_mean_factor() {
        let mut intervals = Intervals::default();
        for number in 0..40 {
            learn(&mut intervals, [100, 130], 0, 500 + number * 17);
        }
        let [first, others @ ..] = percent(&intervals);
        assert!((128..=130).contains(&first) && others.iter().all(|other| *other == first));
    }

    #[test]
    fn intervals_in_one_script_each_give_both_factors() {
        let mut intervals = Intervals::default();
        for _ in 0..30 {
            learn(&mut intervals, [105, 160], 600, 0);
            learn(&mut intervals, [105, 160], 0, 400);
        }
        let found = percent(&intervals);
        assert!(found[LATIN].abs_diff(105) <= 2 && found[HAN].abs_diff(160) <= 4, "{found:?}");
        assert!((120..140).contains(&found[ARABIC]), "the mean factor: {found:?}");
    }

    #[test]
    fn the_error_of_a_mixed_interval_goes_to_the_less_known_script() {
        let mut intervals = Intervals::default();
        for _ in 0..30 {
            learn(&mut intervals, [100, 150], 1_000, 0);
        }
        for _ in 0..20 {
            learn(&mut intervals, [100, 150], 500, 500);
        }
        let found = percent(&intervals);
        assert!(found[LATIN].abs_diff(100) <= 5 && found[HAN].abs_diff(150) <= 8, "{found:?}");
    }

    #[test]
    fn a_few_words_in_another_script_do_not_get_the_error_of_their_context() {
        let mut intervals = Intervals::default();
        for number in 0..60 {
            learn(&mut intervals, [100 + number % 2 * 20, 100], 800, 20);
        }
        let found = percent(&intervals);
        assert!(found[HAN].abs_diff(found[LATIN]) <= 6, "{found:?}");
    }

    #[test]
    fn the_remaining_error_is_known_by_script() {
        let mut intervals = Intervals::default();
        for number in 0..40 {
            learn(&mut intervals, [110, 130 + number % 2 * 40], 600, 0);
            learn(&mut intervals, [110, 130 + number % 2 * 40], 0, 600);
        }
        let bands = intervals.error_bands(ONE / 4, PRIOR);
        assert!(bands[LATIN] < 0.03 && bands[HAN] > 0.2, "{bands:?}");
        assert!((bands[ARABIC] - 0.25).abs() < 1e-9, "no interval has this script");
    }

    #[test]
    fn a_script_that_is_no_longer_used_keeps_its_factor() {
        let mut intervals = Intervals::default();
        for _ in 0..10 {
            learn(&mut intervals, [100, 150], 600, 0);
            learn(&mut intervals, [100, 150], 0, 600);
        }
        for _ in 0..200 {
            learn(&mut intervals, [100, 150], 4_000, 0);
        }
        let found = percent(&intervals);
        assert!(found[LATIN] == 100 && found[HAN].abs_diff(150) <= 5, "{found:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_reports_move_a_factor_out_of_its_bounds(
            reported in prop::collection::vec((prop::array::uniform5(0_u32..20_000), any::<u16>()), 1..200),
            seed in ONE / 2..ONE * 2,
        ) {
            let mut intervals = Intervals::default();
            for (tokens, percent) in reported {
                let by_script = ScriptTokens::from(tokens.to_vec());
                // Some intervals are outliers, and most are not.
                let percent = u64::from(percent) % 320;
                let reported = u64::from(by_script.sum()) * percent / 100;
                intervals.learn(&by_script, u32::try_from(reported).unwrap(), PRIOR);
                let factors = intervals.factors(seed, PRIOR);
                prop_assert!(factors.iter().all(|factor| BOUNDS.contains(factor)), "{:?}", factors);
                let bands = intervals.error_bands(ONE / 4, PRIOR);
                prop_assert!(bands.iter().all(|band| (0.0..4.0).contains(band)), "{:?}", bands);
            }
        }
    }
}
