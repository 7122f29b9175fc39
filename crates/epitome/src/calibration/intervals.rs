//! What a provider's counts of known intervals of messages teach about its tokens, script by script.
//!
//! A interval in one script tells the factor of that script. Of a interval in several, what was not expected goes to
//! those that much of it is in and little is known of.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::tokens::{ONE, SCRIPTS, ScriptTokens};

/// What a factor is never below nor above, in millionths.
pub(super) const BOUNDS: RangeInclusive<u32> = ONE / 2..=ONE * 2;
/// A interval weighs no more than this many tokens, however long it is.
const HEAVIEST: u32 = 8_192;
/// Beyond so many tokens, earlier intervals weigh half.
const MEMORY: u64 = 65_536;

/// That a script is like all others weighs less than what is known beforehand of all of them, by this.
const LIKENESS: u64 = 4;

/// Sums over intervals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Intervals {
    /// Their tokens, by the meter.
    counted: u64,
    /// The same by the provider.
    reported: u64,
    /// Script by script, Latin first. Where a snapshot has the sums alone, they hold for every script.
    scripts: [Learned; SCRIPTS],
}

/// What intervals have reported of one script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 3]", into = "[u64; 3]")]
struct Learned {
    /// Tokens by the meter.
    counted: u64,
    /// The same by the provider, as far as can be reported.
    reported: u64,
    /// How far those were from what was to be expected, added up.
    astray: u64,
}

impl From<[u64; 3]> for Learned {
    fn from([counted, reported, astray]: [u64; 3]) -> Self {
        Self { counted, reported, astray }
    }
}

impl From<Learned> for [u64; 3] {
    fn from(Learned { counted, reported, astray }: Learned) -> Self {
        [counted, reported, astray]
    }
}

/// What a interval is expected to come to in one script.
#[derive(Clone, Copy, Default)]
struct Expectation {
    /// Tokens by the meter.
    counted: u64,
    /// By the provider.
    reported: u64,
    /// How much of what was not expected goes to it, against those of other scripts.
    blame: u64,
}

impl Intervals {
    /// Takes what was appended between two prompts, and what the provider counted more for it. A interval that is
    /// odd, for its count is of something else, teaches nothing. `prior` is what is known beforehand, in tokens.
    pub(super) fn learn(&mut self, interval: &ScriptTokens, reported: u32, prior: u64) {
        let whole = u64::from(interval.sum().max(1));
        let weight = whole.min(u64::from(HEAVIEST));
        let reported = u64::from(reported).saturating_mul(weight) / whole;
        if reported.saturating_mul(5) < weight * 2 || reported.saturating_mul(2) > weight * 5 {
            return;
        }
        // Of the first interval, nothing better was expected.
        let all =
            if self.counted == 0 { (weight, reported) } else { (self.counted, self.reported) };
        let mut expected = [Expectation::default(); SCRIPTS];
        let tokens = interval.tokens().map(|tokens| u64::from(tokens) * weight / whole);
        for ((slot, counted), learned) in expected.iter_mut().zip(tokens).zip(&self.scripts) {
            *slot = learned.expect(counted, all, prior);
        }
        let blame = expected.iter().map(|script| script.blame).sum::<u64>().max(1);
        let sum: u64 = expected.iter().map(|script| script.reported).sum();
        for (learned, expected) in self.scripts.iter_mut().zip(expected) {
            // No more than a interval in that script alone could be.
            let astray = reported.abs_diff(sum) * expected.blame / blame;
            let astray = astray.min(expected.counted * 2);
            let reported = match reported >= sum {
                true => expected.reported + astray,
                false => expected.reported.saturating_sub(astray),
            };
            learned.take(expected.counted, reported, astray);
        }
        self.counted += weight;
        self.reported += reported.clamp(weight / 2, weight * 2);
        if self.counted > MEMORY {
            (self.counted, self.reported) = (self.counted / 2, self.reported / 2);
        }
    }

    /// Millionths of the provider's tokens for one of the meter's in each script. `seed` is what they are before the
    /// first interval, and weighs as much as `prior` tokens. Of a script that no interval was in, it is what all tell.
    pub(super) fn factors(&self, seed: u32, prior: u64) -> [u32; SCRIPTS] {
        let sum = u64::from(seed) * prior + self.reported * u64::from(ONE);
        let mean = sum / (prior + self.counted).max(1);
        self.scripts.map(|learned| {
            let (reported, counted) = learned.against((self.counted, self.reported), prior);
            let factor = (mean * reported).checked_div(counted * self.reported).unwrap_or(mean);
            let factor = u32::try_from(factor).unwrap_or(u32::MAX);
            factor.clamp(*BOUNDS.start(), *BOUNDS.end())
        })
    }

    /// Half-width of the relative error that is left in each script, where it was so many millionths beforehand. Twice
    /// the mean error of intervals, which is that of 95 in 100 where errors are normal.
    pub(super) fn error_bands(&self, band: u32, prior: u64) -> [f64; SCRIPTS] {
        let one = u64::from(ONE);
        self.scripts.map(|learned| {
            let sum = u64::from(band) * prior + learned.astray * 2 * one;
            // Both are far below 2⁵³.
            sum as f64 / ((prior + learned.counted) * one) as f64
        })
    }
}

impl Learned {
    /// What the provider takes for tokens of this script, where all intervals are so many `counted` and `reported`: the
    /// first number, times `counted`, for the second.
    fn against(&self, (counted, reported): (u64, u64), prior: u64) -> (u64, u64) {
        let prior = prior / LIKENESS;
        (prior * reported + self.reported * counted, prior + self.counted)
    }

    /// What so many tokens are expected to come to. An error goes to them by how many they are, squared, and by how
    /// little is known of their script.
    fn expect(&self, tokens: u64, all: (u64, u64), prior: u64) -> Expectation {
        let (reported, counted) = self.against(all, prior);
        let reported = (tokens * reported).checked_div(counted * all.0).unwrap_or(tokens);
        let blame = tokens * tokens * u64::from(ONE) / (prior + self.counted).max(1);
        Expectation { counted: tokens, reported, blame }
    }

    /// Takes a interval. Of the first one nothing was expected, so that it was not astray.
    fn take(&mut self, counted: u64, reported: u64, astray: u64) {
        self.astray += if self.counted == 0 { 0 } else { astray };
        self.counted += counted;
        self.reported += reported.clamp(counted / 2, counted * 2);
        if self.counted > MEMORY {
            for sum in [&mut self.counted, &mut self.reported, &mut self.astray] {
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

    /// A provider that takes these percent of the meter's tokens for Latin and for Han.
    fn learn(intervals: &mut Intervals, percent: [u32; 2], latin: u32, han: u32) {
        let reported = (latin * percent[0] + han * percent[1]) / 100;
        intervals.learn(&by_script(latin, han), reported, PRIOR);
    }

    fn percent(intervals: &Intervals) -> [u32; SCRIPTS] {
        intervals.factors(ONE, PRIOR).map(|factor| factor / (ONE / 100))
    }

    #[test]
    fn what_one_script_tells_holds_for_all() {
        let mut intervals = Intervals::default();
        for number in 0..40 {
            learn(&mut intervals, [100, 130], 0, 500 + number * 17);
        }
        let [first, others @ ..] = percent(&intervals);
        assert!((128..=130).contains(&first) && others.iter().all(|other| *other == first));
    }

    #[test]
    fn stretches_in_one_script_each_tell_the_factors_of_both() {
        let mut intervals = Intervals::default();
        for _ in 0..30 {
            learn(&mut intervals, [105, 160], 600, 0);
            learn(&mut intervals, [105, 160], 0, 400);
        }
        let found = percent(&intervals);
        assert!(found[LATIN].abs_diff(105) <= 2 && found[HAN].abs_diff(160) <= 4, "{found:?}");
        assert!((120..140).contains(&found[ARABIC]), "what all together tell: {found:?}");
    }

    #[test]
    fn of_a_mixed_stretch_the_script_learns_that_little_is_known_of() {
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
    fn some_words_in_another_script_are_not_blamed_for_what_surrounds_them() {
        let mut intervals = Intervals::default();
        for number in 0..60 {
            learn(&mut intervals, [100 + number % 2 * 20, 100], 800, 20);
        }
        let found = percent(&intervals);
        assert!(found[HAN].abs_diff(found[LATIN]) <= 6, "{found:?}");
    }

    #[test]
    fn the_error_that_is_left_is_reported_script_by_script() {
        let mut intervals = Intervals::default();
        for number in 0..40 {
            learn(&mut intervals, [110, 130 + number % 2 * 40], 600, 0);
            learn(&mut intervals, [110, 130 + number % 2 * 40], 0, 600);
        }
        let bands = intervals.error_bands(ONE / 4, PRIOR);
        assert!(bands[LATIN] < 0.03 && bands[HAN] > 0.2, "{bands:?}");
        assert!((bands[ARABIC] - 0.25).abs() < 1e-9, "none was in it");
    }

    #[test]
    fn a_script_that_is_no_longer_written_is_not_forgotten() {
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
        fn whatever_is_reported_no_factor_leaves_its_bounds(
            reported in prop::collection::vec((prop::array::uniform5(0_u32..20_000), any::<u16>()), 1..200),
            seed in ONE / 2..ONE * 2,
        ) {
            let mut intervals = Intervals::default();
            for (tokens, percent) in reported {
                let by_script = ScriptTokens::from(tokens.to_vec());
                // Some of it is odd, and most of it is not.
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
