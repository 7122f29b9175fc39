//! Token counts by script, and the weight of a token of each script.
//!
//! The meter keeps raw counts by script and applies the weights on top. When the weights change, raw counts
//! are multiplied again, and no text has to be tokenized again.

use serde::{Deserialize, Serialize};

use super::MeterTokens;
use super::script::{SCRIPTS, Script, ScriptShare};

/// A factor or weight of 1. Factors and weights are whole millionths, so that sums are exact and a
/// conversation restored from a snapshot counts as it did before.
pub(crate) const ONE: u32 = 1_000_000;

/// Tokens of a part of a message, by script, before weights are applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartCost {
    /// Tokens of text in Latin, and tokens that are not of text.
    pub latin: u32,
    /// Tokens of text in other scripts.
    pub non_latin: u32,
    /// The script that `non_latin` is counted as: the most frequent one of the part.
    pub script: Script,
}

impl PartCost {
    /// Tokens that are not of text, or are counted exactly, so that their script does not matter.
    pub(crate) fn plain(tokens: u32) -> Self {
        Self { latin: tokens, ..Self::default() }
    }

    /// Divides the tokens of a text by script. Linear in the text.
    pub(crate) fn of(text: &str, tokens: u32) -> Self {
        let share = ScriptShare::of(text);
        let non_latin = share.non_latin_of(tokens);
        Self { latin: tokens.saturating_sub(non_latin), non_latin, script: share.script }
    }

    /// The same with additional tokens that are not of text.
    pub(crate) fn plus_overhead(self, tokens: u32) -> Self {
        Self { latin: self.latin.saturating_add(tokens), ..self }
    }
}

/// Tokens of many parts by script, before weights are applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<u32>", into = "Vec<u32>")]
pub(crate) struct ScriptTokens([u32; SCRIPTS]);

/// Latin first. Scripts missing at the end have 0 tokens.
impl From<Vec<u32>> for ScriptTokens {
    fn from(tokens: Vec<u32>) -> Self {
        let mut by_script = Self::default();
        by_script.0.iter_mut().zip(tokens).for_each(|(slot, tokens)| *slot = tokens);
        by_script
    }
}

impl From<ScriptTokens> for Vec<u32> {
    fn from(ScriptTokens(tokens): ScriptTokens) -> Self {
        let used = tokens.iter().rposition(|tokens| *tokens > 0).map_or(0, |last| last + 1);
        tokens.into_iter().take(used).collect()
    }
}

impl ScriptTokens {
    /// Tokens that are all in Latin.
    pub(crate) fn latin(tokens: u32) -> Self {
        let mut by_script = Self::default();
        by_script.add(&PartCost::plain(tokens));
        by_script
    }

    /// Adds the tokens of a part.
    pub(crate) fn add(&mut self, part: &PartCost) {
        for (script, tokens) in [(Script::Latin, part.latin), (part.script, part.non_latin)] {
            if let Some(slot) = self.0.get_mut(script as usize) {
                *slot = slot.saturating_add(tokens);
            }
        }
    }

    /// The sum of both.
    #[must_use]
    pub(crate) fn plus(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(slot, more)| *slot = slot.saturating_add(more));
        self
    }

    /// The difference, script by script, at least 0.
    #[must_use]
    pub(crate) fn minus(mut self, some: &Self) -> Self {
        self.0.iter_mut().zip(some.0).for_each(|(slot, less)| *slot = slot.saturating_sub(less));
        self
    }

    /// What was added since an earlier count; `None` if any script has fewer tokens now.
    pub(crate) fn since(&self, earlier: &Self) -> Option<Self> {
        let grew = self.0.iter().zip(earlier.0).all(|(now, before)| *now >= before);
        grew.then(|| self.minus(earlier))
    }

    /// The tokens of all scripts.
    pub(crate) fn sum(&self) -> u32 {
        self.0.iter().fold(0, |sum, tokens| sum.saturating_add(*tokens))
    }

    /// True if some are not in Latin.
    pub(crate) fn has_non_latin(&self) -> bool {
        self.0.iter().skip(1).any(|tokens| *tokens > 0)
    }

    /// Tokens of each script, Latin first.
    pub(crate) fn tokens(&self) -> [u32; SCRIPTS] {
        self.0
    }
}

/// The weight of a token of each script, in millionths: how many Latin tokens of the meter the provider counts
/// for it. [`MeterTokens`] are weighted, so that one factor converts all of them to the provider's tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Weights([u32; SCRIPTS]);

impl Default for Weights {
    fn default() -> Self {
        Self::EVEN
    }
}

impl Weights {
    /// The same weight for every script.
    pub(crate) const EVEN: Self = Self([ONE; SCRIPTS]);

    /// The weights that follow from the provider's tokens per token of the meter, by script, in millionths.
    pub(crate) fn from_factors(factors: [u32; SCRIPTS]) -> Self {
        let [latin, ..] = factors;
        let weight = |factor: u32| {
            let weight = u64::from(factor) * u64::from(ONE) / u64::from(latin.max(1));
            u32::try_from(weight).unwrap_or(u32::MAX)
        };
        Self(factors.map(weight))
    }

    /// True if each weight differs from the other one by at most `1 / divisor` of that.
    pub(crate) fn is_near(&self, others: &Self, divisor: u32) -> bool {
        let mut both = self.0.iter().zip(others.0);
        both.all(|(one, other)| one.abs_diff(other) <= other / divisor)
    }

    /// The inverse of [`Self::from_factors`]: the factor of each script, if that of Latin is `latin`.
    pub(crate) fn factors(&self, latin: u32) -> [u32; SCRIPTS] {
        self.0.map(|weight| {
            let factor = u64::from(weight) * u64::from(latin) / u64::from(ONE);
            u32::try_from(factor).unwrap_or(u32::MAX)
        })
    }

    /// The weighted tokens of a part.
    pub(crate) fn part(&self, part: &PartCost) -> MeterTokens {
        // Most parts are all Latin, and the weight of Latin is 1. This path is taken for each part of each
        // message.
        if part.non_latin == 0 {
            return MeterTokens::new(part.latin);
        }
        let weight = self.0.get(part.script as usize).copied().unwrap_or(ONE);
        let non_latin = u64::from(part.non_latin) * u64::from(weight) + u64::from(ONE / 2);
        let non_latin = u32::try_from(non_latin / u64::from(ONE)).unwrap_or(u32::MAX);
        MeterTokens::new(part.latin.saturating_add(non_latin))
    }

    /// The weighted tokens of a sum. Differs from the sum over the parts by rounding only.
    pub(crate) fn total(&self, by_script: &ScriptTokens) -> MeterTokens {
        let weighted = |(tokens, weight): (u32, u32)| u64::from(tokens) * u64::from(weight);
        let sum: u64 = by_script.0.into_iter().zip(self.0).map(weighted).sum();
        let rounded = (sum + u64::from(ONE / 2)) / u64::from(ONE);
        MeterTokens::new(u32::try_from(rounded).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HAN: PartCost = PartCost { latin: 20, non_latin: 80, script: Script::Han };

    #[test]
    fn a_part_is_weighted_by_its_scripts() {
        let weights = Weights::from_factors([800_000, 800_000, 800_000, 800_000, 1_200_000]);
        assert_eq!(weights.part(&HAN).get(), 20 + 120);
        assert_eq!(weights.part(&PartCost::plain(100)).get(), 100);
        assert_eq!(Weights::EVEN.part(&HAN).get(), 100);
        let huge = PartCost { latin: u32::MAX, non_latin: u32::MAX, ..HAN };
        assert_eq!(weights.part(&huge).get(), u32::MAX);
    }

    #[test]
    fn the_weight_of_a_sum_is_the_sum_of_the_weights() {
        let weights = Weights::from_factors([1_100_000, 900_000, 1_400_000, 2_000_000, 1_200_000]);
        let (mut by_script, mut sum) = (ScriptTokens::default(), 0);
        for (number, script) in (0..1_000).zip(Script::ALL.into_iter().cycle()) {
            let part = PartCost { latin: number, non_latin: number / 3, script };
            by_script.add(&part);
            sum += weights.part(&part).get();
        }
        assert!(
            weights.total(&by_script).get().abs_diff(sum) < 40,
            "{:?} and {sum}",
            weights.total(&by_script)
        );
    }

    #[test]
    fn script_tokens_are_serialized_without_trailing_zeros() {
        let mut by_script = ScriptTokens::latin(7);
        assert_eq!(serde_json::to_string(&by_script).unwrap(), "[7]");
        by_script.add(&HAN);
        let text = serde_json::to_string(&by_script).unwrap();
        assert_eq!(text, "[27,0,0,0,80]");
        assert_eq!(serde_json::from_str::<ScriptTokens>(&text).unwrap(), by_script);
    }

    #[test]
    fn since_is_none_if_a_script_has_fewer_tokens_than_before() {
        let mut more = ScriptTokens::latin(10);
        more.add(&HAN);
        assert_eq!(
            more.since(&ScriptTokens::latin(20)),
            Some(ScriptTokens(more.0).minus(&ScriptTokens::latin(20)))
        );
        assert_eq!(ScriptTokens::latin(90).since(&more), None);
    }
}
