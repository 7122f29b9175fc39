//! Tokens by script: of a part, of many messages together, and what they weigh against one another.

use serde::{Deserialize, Serialize};

use super::MeterTokens;
use super::script::{Blend, SCRIPTS, Script};

/// A factor of one, in millionths.
pub(crate) const ONE: u32 = 1_000_000;

/// What a part of a message costs, by its script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartCost {
    /// Tokens of text in Latin, and of what is counted besides text.
    pub latin: u32,
    /// Tokens of text in another script, before anything is known of that.
    pub foreign: u32,
    /// That other script.
    pub script: Script,
}

impl PartCost {
    /// Tokens that are not of text, or of text whose script makes no difference.
    pub(crate) fn plain(tokens: u32) -> Self {
        Self { latin: tokens, ..Self::default() }
    }

    /// Tokens of a text. Linear in the text.
    pub(crate) fn of(text: &str, tokens: u32) -> Self {
        let blend = Blend::of(text);
        let foreign = blend.foreign_of(tokens);
        Self { latin: tokens.saturating_sub(foreign), foreign, script: blend.script }
    }

    /// The same with tokens that are not of text.
    pub(crate) fn beside(self, tokens: u32) -> Self {
        Self { latin: self.latin.saturating_add(tokens), ..self }
    }
}

/// Tokens by script, before anything is known of what a script weighs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<u32>", into = "Vec<u32>")]
pub(crate) struct ScriptTokens([u32; SCRIPTS]);

/// Those of Latin first. What is missing at the end is none.
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
    /// Tokens in Latin alone.
    pub(crate) fn latin(tokens: u32) -> Self {
        let mut by_script = Self::default();
        by_script.add(&PartCost::plain(tokens));
        by_script
    }

    /// Takes a part in.
    pub(crate) fn add(&mut self, part: &PartCost) {
        for (script, tokens) in [(Script::Latin, part.latin), (part.script, part.foreign)] {
            if let Some(slot) = self.0.get_mut(script as usize) {
                *slot = slot.saturating_add(tokens);
            }
        }
    }

    /// Both together.
    #[must_use]
    pub(crate) fn plus(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(slot, more)| *slot = slot.saturating_add(more));
        self
    }

    /// What is left without some of them.
    #[must_use]
    pub(crate) fn minus(mut self, some: &Self) -> Self {
        self.0.iter_mut().zip(some.0).for_each(|(slot, less)| *slot = slot.saturating_sub(less));
        self
    }

    /// What came to an earlier by_script; `None` where something went.
    pub(crate) fn since(&self, earlier: &Self) -> Option<Self> {
        let grew = self.0.iter().zip(earlier.0).all(|(now, before)| *now >= before);
        grew.then(|| self.minus(earlier))
    }

    /// All of them, whatever their script.
    pub(crate) fn sum(&self) -> u32 {
        self.0.iter().fold(0, |sum, tokens| sum.saturating_add(*tokens))
    }

    /// True where some are in a script other than Latin.
    pub(crate) fn is_foreign(&self) -> bool {
        self.0.iter().skip(1).any(|tokens| *tokens > 0)
    }

    /// Tokens of each script, Latin first.
    pub(crate) fn tokens(&self) -> [u32; SCRIPTS] {
        self.0
    }
}

/// What a token in each script weighs: how many tokens in Latin the provider takes for as much, in millionths. The
/// meter's tokens are weighed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Weights([u32; SCRIPTS]);

impl Default for Weights {
    fn default() -> Self {
        Self::EVEN
    }
}

impl Weights {
    /// A token weighs the same in every script.
    pub(crate) const EVEN: Self = Self([ONE; SCRIPTS]);

    /// Weights by what the provider takes for a token in each script, in millionths.
    pub(crate) fn by(factors: [u32; SCRIPTS]) -> Self {
        let [latin, ..] = factors;
        let weight = |factor: u32| {
            let weight = u64::from(factor) * u64::from(ONE) / u64::from(latin.max(1));
            u32::try_from(weight).unwrap_or(u32::MAX)
        };
        Self(factors.map(weight))
    }

    /// True where none is further than by a part of so many from those others.
    pub(crate) fn is_near(&self, others: &Self, parts: u32) -> bool {
        let mut both = self.0.iter().zip(others.0);
        both.all(|(one, other)| one.abs_diff(other) <= other / parts)
    }

    /// What the provider takes for a token in each script, in millionths, where it takes so many in Latin.
    pub(crate) fn factors(&self, latin: u32) -> [u32; SCRIPTS] {
        self.0.map(|weight| {
            let factor = u64::from(weight) * u64::from(latin) / u64::from(ONE);
            u32::try_from(factor).unwrap_or(u32::MAX)
        })
    }

    /// What a part weighs.
    pub(crate) fn part(&self, part: &PartCost) -> MeterTokens {
        if part.foreign == 0 {
            return MeterTokens::new(part.latin);
        }
        let weight = self.0.get(part.script as usize).copied().unwrap_or(ONE);
        let foreign = u64::from(part.foreign) * u64::from(weight) + u64::from(ONE / 2);
        let foreign = u32::try_from(foreign / u64::from(ONE)).unwrap_or(u32::MAX);
        MeterTokens::new(part.latin.saturating_add(foreign))
    }

    /// What tokens weigh together.
    pub(crate) fn total(&self, by_script: &ScriptTokens) -> MeterTokens {
        let weighed = |(tokens, weight): (u32, u32)| u64::from(tokens) * u64::from(weight);
        let sum: u64 = by_script.0.into_iter().zip(self.0).map(weighed).sum();
        let rounded = (sum + u64::from(ONE / 2)) / u64::from(ONE);
        MeterTokens::new(u32::try_from(rounded).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HAN: PartCost = PartCost { latin: 20, foreign: 80, script: Script::Han };

    #[test]
    fn a_part_weighs_what_its_scripts_do() {
        let weights = Weights::by([800_000, 800_000, 800_000, 800_000, 1_200_000]);
        assert_eq!(weights.part(&HAN).get(), 20 + 120);
        assert_eq!(weights.part(&PartCost::plain(100)).get(), 100);
        assert_eq!(Weights::EVEN.part(&HAN).get(), 100);
        let huge = PartCost { latin: u32::MAX, foreign: u32::MAX, ..HAN };
        assert_eq!(weights.part(&huge).get(), u32::MAX);
    }

    #[test]
    fn parts_together_weigh_what_they_do_one_by_one() {
        let weights = Weights::by([1_100_000, 900_000, 1_400_000, 2_000_000, 1_200_000]);
        let (mut by_script, mut sum) = (ScriptTokens::default(), 0);
        for (number, script) in (0..1_000).zip(Script::ALL.into_iter().cycle()) {
            let part = PartCost { latin: number, foreign: number / 3, script };
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
    fn a_mix_is_written_as_short_as_it_is() {
        let mut by_script = ScriptTokens::latin(7);
        assert_eq!(serde_json::to_string(&by_script).unwrap(), "[7]");
        by_script.add(&HAN);
        let text = serde_json::to_string(&by_script).unwrap();
        assert_eq!(text, "[27,0,0,0,80]");
        assert_eq!(serde_json::from_str::<ScriptTokens>(&text).unwrap(), by_script);
    }

    #[test]
    fn what_went_is_no_growth() {
        let mut more = ScriptTokens::latin(10);
        more.add(&HAN);
        assert_eq!(
            more.since(&ScriptTokens::latin(20)),
            Some(ScriptTokens(more.0).minus(&ScriptTokens::latin(20)))
        );
        assert_eq!(ScriptTokens::latin(90).since(&more), None);
    }
}
