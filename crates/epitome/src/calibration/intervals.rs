//! What a provider's counts of known stretches of messages teach about its tokens, script by script.
//!
//! A stretch in one script tells the factor of that script. Of a stretch in several, what was not expected goes to
//! those that much of it is in and little is known of.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::tokens::{Mix, ONE, SCRIPTS};

/// What a factor is never below nor above, in millionths.
pub(super) const BOUNDS: RangeInclusive<u32> = ONE / 2..=ONE * 2;
/// A stretch weighs no more than this many tokens, however long it is.
const HEAVIEST: u32 = 8_192;
/// Beyond so many tokens, earlier stretches weigh half.
const MEMORY: u64 = 65_536;

/// That a script is like all others weighs less than what is known beforehand of all of them, by this.
const LIKENESS: u64 = 4;

/// Sums over stretches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Stretches {
    /// Their tokens, by the meter.
    counted: u64,
    /// The same by the provider.
    told: u64,
    /// Script by script, Latin first. Where a snapshot has the sums alone, they hold for every script.
    scripts: [Learned; SCRIPTS],
}

/// What stretches have told of one script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 3]", into = "[u64; 3]")]
struct Learned {
    /// Tokens by the meter.
    counted: u64,
    /// The same by the provider, as far as can be told.
    told: u64,
    /// How far those were from what was to be expected, added up.
    astray: u64,
}

impl From<[u64; 3]> for Learned {
    fn from([counted, told, astray]: [u64; 3]) -> Self {
        Self { counted, told, astray }
    }
}

impl From<Learned> for [u64; 3] {
    fn from(Learned { counted, told, astray }: Learned) -> Self {
        [counted, told, astray]
    }
}

/// What a stretch is expected to come to in one script.
#[derive(Clone, Copy, Default)]
struct Expectation {
    /// Tokens by the meter.
    counted: u64,
    /// By the provider.
    told: u64,
    /// How much of what was not expected goes to it, against those of other scripts.
    blame: u64,
}

impl Stretches {
    /// Takes what was appended between two prompts, and what the provider counted more for it. A stretch that is
    /// odd, for its count is of something else, teaches nothing. `prior` is what is known beforehand, in tokens.
    pub(super) fn learn(&mut self, stretch: &Mix, told: u32, prior: u64) {
        let whole = u64::from(stretch.sum().max(1));
        let weight = whole.min(u64::from(HEAVIEST));
        let told = u64::from(told).saturating_mul(weight) / whole;
        if told.saturating_mul(5) < weight * 2 || told.saturating_mul(2) > weight * 5 {
            return;
        }
        // Of the first stretch, nothing better was expected.
        let all = if self.counted == 0 { (weight, told) } else { (self.counted, self.told) };
        let mut expected = [Expectation::default(); SCRIPTS];
        let tokens = stretch.tokens().map(|tokens| u64::from(tokens) * weight / whole);
        for ((slot, counted), learned) in expected.iter_mut().zip(tokens).zip(&self.scripts) {
            *slot = learned.expect(counted, all, prior);
        }
        let blame = expected.iter().map(|script| script.blame).sum::<u64>().max(1);
        let sum: u64 = expected.iter().map(|script| script.told).sum();
        for (learned, expected) in self.scripts.iter_mut().zip(expected) {
            // No more than a stretch in that script alone could be.
            let astray = told.abs_diff(sum) * expected.blame / blame;
            let astray = astray.min(expected.counted * 2);
            let told = match told >= sum {
                true => expected.told + astray,
                false => expected.told.saturating_sub(astray),
            };
            learned.take(expected.counted, told, astray);
        }
        self.counted += weight;
        self.told += told.clamp(weight / 2, weight * 2);
        if self.counted > MEMORY {
            (self.counted, self.told) = (self.counted / 2, self.told / 2);
        }
    }

    /// Millionths of the provider's tokens for one of the meter's in each script. `seed` is what they are before the
    /// first stretch, and weighs as much as `prior` tokens. Of a script that no stretch was in, it is what all tell.
    pub(super) fn factors(&self, seed: u32, prior: u64) -> [u32; SCRIPTS] {
        let sum = u64::from(seed) * prior + self.told * u64::from(ONE);
        let mean = sum / (prior + self.counted).max(1);
        self.scripts.map(|learned| {
            let (told, counted) = learned.against((self.counted, self.told), prior);
            let factor = (mean * told).checked_div(counted * self.told).unwrap_or(mean);
            let factor = u32::try_from(factor).unwrap_or(u32::MAX);
            factor.clamp(*BOUNDS.start(), *BOUNDS.end())
        })
    }

    /// Half-width of the relative error that is left in each script, where it was so many millionths beforehand. Twice
    /// the mean error of stretches, which is that of 95 in 100 where errors are normal.
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
    /// What the provider takes for tokens of this script, where all stretches are so many `counted` and `told`: the
    /// first number, times `counted`, for the second.
    fn against(&self, (counted, told): (u64, u64), prior: u64) -> (u64, u64) {
        let prior = prior / LIKENESS;
        (prior * told + self.told * counted, prior + self.counted)
    }

    /// What so many tokens are expected to come to. An error goes to them by how many they are, squared, and by how
    /// little is known of their script.
    fn expect(&self, tokens: u64, all: (u64, u64), prior: u64) -> Expectation {
        let (told, counted) = self.against(all, prior);
        let told = (tokens * told).checked_div(counted * all.0).unwrap_or(tokens);
        let blame = tokens * tokens * u64::from(ONE) / (prior + self.counted).max(1);
        Expectation { counted: tokens, told, blame }
    }

    /// Takes a stretch. Of the first one nothing was expected, so that it was not astray.
    fn take(&mut self, counted: u64, told: u64, astray: u64) {
        self.astray += if self.counted == 0 { 0 } else { astray };
        self.counted += counted;
        self.told += told.clamp(counted / 2, counted * 2);
        if self.counted > MEMORY {
            for sum in [&mut self.counted, &mut self.told, &mut self.astray] {
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

    fn mix(latin: u32, han: u32) -> Mix {
        Mix::from(vec![latin, 0, 0, 0, han])
    }

    /// A provider that takes these percent of the meter's tokens for Latin and for Han.
    fn learn(stretches: &mut Stretches, percent: [u32; 2], latin: u32, han: u32) {
        let told = (latin * percent[0] + han * percent[1]) / 100;
        stretches.learn(&mix(latin, han), told, PRIOR);
    }

    fn percent(stretches: &Stretches) -> [u32; SCRIPTS] {
        stretches.factors(ONE, PRIOR).map(|factor| factor / (ONE / 100))
    }

    #[test]
    fn what_one_script_tells_holds_for_all() {
        let mut stretches = Stretches::default();
        for number in 0..40 {
            learn(&mut stretches, [100, 130], 0, 500 + number * 17);
        }
        let [first, others @ ..] = percent(&stretches);
        assert!((128..=130).contains(&first) && others.iter().all(|other| *other == first));
    }

    #[test]
    fn stretches_in_one_script_each_tell_the_factors_of_both() {
        let mut stretches = Stretches::default();
        for _ in 0..30 {
            learn(&mut stretches, [105, 160], 600, 0);
            learn(&mut stretches, [105, 160], 0, 400);
        }
        let found = percent(&stretches);
        assert!(found[LATIN].abs_diff(105) <= 2 && found[HAN].abs_diff(160) <= 4, "{found:?}");
        assert!((120..140).contains(&found[ARABIC]), "what all together tell: {found:?}");
    }

    #[test]
    fn of_a_mixed_stretch_the_script_learns_that_little_is_known_of() {
        let mut stretches = Stretches::default();
        for _ in 0..30 {
            learn(&mut stretches, [100, 150], 1_000, 0);
        }
        for _ in 0..20 {
            learn(&mut stretches, [100, 150], 500, 500);
        }
        let found = percent(&stretches);
        assert!(found[LATIN].abs_diff(100) <= 5 && found[HAN].abs_diff(150) <= 8, "{found:?}");
    }

    #[test]
    fn some_words_in_another_script_are_not_blamed_for_what_surrounds_them() {
        let mut stretches = Stretches::default();
        for number in 0..60 {
            learn(&mut stretches, [100 + number % 2 * 20, 100], 800, 20);
        }
        let found = percent(&stretches);
        assert!(found[HAN].abs_diff(found[LATIN]) <= 6, "{found:?}");
    }

    #[test]
    fn the_error_that_is_left_is_told_script_by_script() {
        let mut stretches = Stretches::default();
        for number in 0..40 {
            learn(&mut stretches, [110, 130 + number % 2 * 40], 600, 0);
            learn(&mut stretches, [110, 130 + number % 2 * 40], 0, 600);
        }
        let bands = stretches.error_bands(ONE / 4, PRIOR);
        assert!(bands[LATIN] < 0.03 && bands[HAN] > 0.2, "{bands:?}");
        assert!((bands[ARABIC] - 0.25).abs() < 1e-9, "none was in it");
    }

    #[test]
    fn a_script_that_is_no_longer_written_is_not_forgotten() {
        let mut stretches = Stretches::default();
        for _ in 0..10 {
            learn(&mut stretches, [100, 150], 600, 0);
            learn(&mut stretches, [100, 150], 0, 600);
        }
        for _ in 0..200 {
            learn(&mut stretches, [100, 150], 4_000, 0);
        }
        let found = percent(&stretches);
        assert!(found[LATIN] == 100 && found[HAN].abs_diff(150) <= 5, "{found:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_is_told_no_factor_leaves_its_bounds(
            told in prop::collection::vec((prop::array::uniform5(0_u32..20_000), any::<u16>()), 1..200),
            seed in ONE / 2..ONE * 2,
        ) {
            let mut stretches = Stretches::default();
            for (tokens, percent) in told {
                let mix = Mix::from(tokens.to_vec());
                // Some of it is odd, and most of it is not.
                let percent = u64::from(percent) % 320;
                let told = u64::from(mix.sum()) * percent / 100;
                stretches.learn(&mix, u32::try_from(told).unwrap(), PRIOR);
                let factors = stretches.factors(seed, PRIOR);
                prop_assert!(factors.iter().all(|factor| BOUNDS.contains(factor)), "{:?}", factors);
                let bands = stretches.error_bands(ONE / 4, PRIOR);
                prop_assert!(bands.iter().all(|band| (0.0..4.0).contains(band)), "{:?}", bands);
            }
        }
    }
}
