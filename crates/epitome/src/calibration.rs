//! What the provider's counts teach about the meter's, and the scale that follows from it.
//!
//! Where the provider has counted two prompts of one view, the difference is of known messages, and tells how its
//! tokens relate to the meter's. What a prompt holds beyond its messages goes along with every request: tool
//! schemas, and a system prompt that is no message. All of it is sums of whole numbers, so that a conversation
//! goes on from a snapshot as it would have gone on without.

mod intervals;
mod scale;

pub use scale::Scale;

use serde::{Deserialize, Serialize};

use crate::tokens::{ONE, SCRIPTS, ScriptTokens, Weights};
use intervals::{BOUNDS, Intervals};

/// A interval of fewer tokens tells nothing: what is counted by the message would outweigh its text.
const LEAST: u32 = 100;
/// What is known before the first interval weighs as much as this many tokens, divided by its error band: 820 where
/// that is 25 %.
const PRIOR: u64 = 205;
/// And no more than this: an estimate may be close for its family, and the model of another one.
const HEAVIEST_PRIOR: u64 = 1_024;
/// Prompts that are remembered whole.
const WHOLES: usize = 3;
/// Models whose counts are remembered.
const MODELS: usize = 8;
/// A script is weighed anew where that makes a difference of more than its weight divided by this.
const DIFFERENCE: u32 = 64;

/// What a provider has counted, and what the meter counts of the same messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(Written, u32)", into = "(Written, u32)")]
pub(crate) struct Sample {
    /// By the meter.
    pub(crate) counted: ScriptTokens,
    /// By the provider, with whatever else was in the prompt.
    pub(crate) reported: u32,
}

/// The meter's tokens in a snapshot: one number where all are in Latin, as in snapshots that tell no scripts apart.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Latin(u32),
    Mixed(ScriptTokens),
}

impl From<(Written, u32)> for Sample {
    fn from((counted, reported): (Written, u32)) -> Self {
        let counted = match counted {
            Written::Latin(tokens) => ScriptTokens::latin(tokens),
            Written::Mixed(by_script) => by_script,
        };
        Self { counted, reported }
    }
}

impl From<Sample> for (Written, u32) {
    fn from(Sample { counted, reported }: Sample) -> Self {
        let written = match counted.has_non_latin() {
            true => Written::Mixed(counted),
            false => Written::Latin(counted.sum()),
        };
        (written, reported)
    }
}

/// What is known apart from the provider's counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Tokens that the host says go along with every request.
    pub(crate) overhead: u32,
    /// Tokens that a request takes besides, by the overhead.
    pub(crate) request: u32,
    /// Half-width of the relative error of the meter's count, as its tokenizer says.
    pub(crate) error_band: f64,
    /// Size of the window.
    pub(crate) window: u32,
    /// What the meter's tokens weigh.
    pub(crate) weights: Weights,
}

/// What the counts of one model have taught so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Calibration {
    /// The model's name; empty where nobody reported it.
    model: String,
    /// The first prompt that was long enough to tell something, without what the host said goes along.
    first: Option<Sample>,
    /// The latest prompts, the newest last.
    wholes: Vec<Sample>,
    /// The latest prompt of the present view.
    last: Option<Sample>,
    /// What lay between two prompts.
    #[serde(flatten)]
    intervals: Intervals,
}

impl Calibration {
    /// Takes a prompt that was counted. Constant time.
    fn learn(&mut self, sample: Sample, terms: Terms) {
        if sample.reported == 0 {
            return;
        }
        let counted = sample.counted.sum();
        match self.last {
            None => self.last = Some(sample),
            Some(last) if counted.abs_diff(last.counted.sum()) < LEAST => {}
            Some(last) => {
                if let Some(interval) = sample.counted.since(&last.counted) {
                    let reported = sample.reported.saturating_sub(last.reported);
                    self.intervals.learn(&interval, reported, prior(millionths(terms.error_band)));
                }
                self.last = Some(sample);
            }
        }
        if self.first.is_none() && counted >= 5 * LEAST {
            let reported =
                sample.reported.saturating_sub(terms.overhead).saturating_sub(terms.request);
            self.first = Some(Sample { reported, ..sample });
        }
        if self.wholes.len() >= WHOLES {
            self.wholes.remove(0);
        }
        self.wholes.push(sample);
    }

    /// Millionths of the provider's tokens for one of the meter's in each script, Latin first, where the meter's are
    /// off by so much at most.
    fn factors(&self, error_band: f64) -> [u32; SCRIPTS] {
        let band = millionths(error_band);
        if band == 0 {
            return [ONE; SCRIPTS];
        }
        let seed = self.first.map_or(ONE, |first| {
            let counted = u64::from(first.counted.sum().max(1));
            let ratio = u64::from(first.reported) * u64::from(ONE) / counted;
            let ratio = u32::try_from(ratio).unwrap_or(u32::MAX);
            ratio.clamp(ONE.saturating_sub(band), ONE.saturating_add(band))
        });
        self.intervals.factors(seed, prior(band))
    }

    /// Millionths of the provider's tokens for one that the meter weighs.
    fn factor(&self, terms: Terms) -> u32 {
        let [latin, ..] = self.factors(terms.error_band);
        latin
    }

    /// What scripts weigh from now on: what they do already, as long as that makes no difference and keeps every
    /// factor within its bounds.
    fn weights(&self, error_band: f64, weights: Weights) -> Weights {
        let factors = self.factors(error_band);
        let [latin, ..] = factors;
        let learned = Weights::from_factors(factors);
        let bounded = weights.factors(latin).iter().all(|factor| BOUNDS.contains(factor));
        if bounded && weights.is_near(&learned, DIFFERENCE) { weights } else { learned }
    }

    /// What goes along with every request: the middle of what the latest prompts tell, the smaller of two. One
    /// alone is believed within a quarter of the window, several within half of it.
    fn overhead(&self, terms: Terms) -> Option<u32> {
        let alone = Scale { factor: self.factor(terms), overhead: 0, request: terms.request };
        let mut rests: Vec<u32> = self
            .wholes
            .iter()
            .map(|whole| {
                whole
                    .reported
                    .saturating_sub(alone.prompt_tokens(terms.weights.total(&whole.counted)))
            })
            .collect();
        rests.sort_unstable();
        match *rests.as_slice() {
            [rest] => (rest <= terms.window / 4).then_some(rest),
            [rest, _] | [_, rest, _] => Some(rest.min(terms.window / 2)),
            _ => None,
        }
    }

    fn scale(&self, terms: Terms) -> Scale {
        let overhead = self.overhead(terms).unwrap_or(terms.overhead);
        Scale { factor: self.factor(terms), overhead, request: terms.request }
    }

    /// Half-width of the relative error that is left of tokens in these scripts: of each script by its share.
    fn error_band(&self, by_script: &ScriptTokens, terms: Terms) -> f64 {
        let band = millionths(terms.error_band);
        let bands = self.intervals.error_bands(band, prior(band));
        let [latin, ..] = bands;
        let shares = by_script.tokens().map(f64::from);
        let sum: f64 = shares.iter().sum();
        if sum <= 0.0 {
            return latin;
        }
        shares.iter().zip(bands).map(|(share, band)| share * band).sum::<f64>() / sum
    }
}

/// The weight of what is known before the first interval.
fn prior(band: u32) -> u64 {
    (PRIOR * u64::from(ONE) / u64::from(band.max(1))).min(HEAVIEST_PRIOR)
}

fn millionths(share: f64) -> u32 {
    scale::rounded(share.clamp(0.0, 1.0) * f64::from(ONE))
}

/// What is known of each model's counts. Those of a model that is not named are kept under no name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Calibrations {
    model: String,
    /// The latest to be new last.
    models: Vec<Calibration>,
}

impl Calibrations {
    /// Names the model that counts from now on. True where that is another one.
    pub(crate) fn name(&mut self, model: Option<&str>) -> bool {
        let model = model.unwrap_or_default();
        let another = self.model != model;
        if another {
            model.clone_into(&mut self.model);
        }
        another
    }

    /// Takes a prompt that was counted.
    pub(crate) fn learn(&mut self, sample: Sample, terms: Terms) {
        let known = self.models.iter_mut().find(|one| one.model == self.model);
        if let Some(calibration) = known {
            return calibration.learn(sample, terms);
        }
        if self.models.len() >= MODELS {
            self.models.remove(0);
        }
        let mut calibration = Calibration { model: self.model.clone(), ..Calibration::default() };
        calibration.learn(sample, terms);
        self.models.push(calibration);
    }

    /// How the meter's tokens become the provider's.
    pub(crate) fn scale(&self, terms: Terms) -> Scale {
        let untaught = Scale { factor: ONE, overhead: terms.overhead, request: terms.request };
        self.present().map_or(untaught, |calibration| calibration.scale(terms))
    }

    /// What tokens in each script weigh, where the meter's are off by so much at most and weigh so much already.
    pub(crate) fn weights(&self, error_band: f64, weights: Weights) -> Weights {
        self.present().map_or(Weights::EVEN, |calibration| calibration.weights(error_band, weights))
    }

    /// Half-width of the relative error of what [`Self::scale`] gives for tokens in these scripts.
    pub(crate) fn error_band(&self, by_script: &ScriptTokens, terms: Terms) -> f64 {
        self.present()
            .map_or(terms.error_band, |calibration| calibration.error_band(by_script, terms))
    }

    /// The view is another one from now on: what was counted of it can no longer be subtracted.
    pub(crate) fn begin_epoch(&mut self) {
        for calibration in &mut self.models {
            calibration.last = None;
        }
    }

    /// The meter counts otherwise from now on.
    pub(crate) fn forget(&mut self) {
        self.models.clear();
    }

    fn present(&self) -> Option<&Calibration> {
        self.models.iter().find(|one| one.model == self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::MeterTokens;

    const TERMS: Terms = Terms {
        overhead: 0,
        request: 0,
        error_band: 0.25,
        window: 200_000,
        weights: Weights::EVEN,
    };

    fn latin(counted: u32, reported: u32) -> Sample {
        Sample { counted: ScriptTokens::latin(counted), reported }
    }

    /// Prompts of a provider whose tokens are `percent` of the meter's, overhead so many that are not seen.
    fn taught(percent: u32, overhead: u32, counts: &[u32]) -> Calibration {
        let mut calibration = Calibration::default();
        for counted in counts {
            let reported = counted * percent / 100 + overhead;
            calibration.learn(latin(*counted, reported), TERMS);
        }
        calibration
    }

    fn close(scale: Scale, counted: u32, reported: u32, percent: u32) {
        let found = scale.prompt_tokens(MeterTokens::new(counted));
        assert!(
            found.abs_diff(reported) <= reported * percent / 100,
            "{found}, and really {reported}"
        );
    }

    #[test]
    fn without_a_reading_nothing_is_bent() {
        let scale = Calibrations::default().scale(Terms { overhead: 70, request: 3, ..TERMS });
        assert_eq!(
            (
                scale.prompt_tokens(MeterTokens::new(1_000)),
                scale.to_provider(MeterTokens::new(1_000))
            ),
            (1_073, 1_000)
        );
    }

    #[test]
    fn a_factor_and_what_goes_along_are_reported_apart() {
        let counts: Vec<u32> = (1..30).map(|turn| turn * 3_000).collect();
        let calibration = taught(127, 20_000, &counts);
        close(calibration.scale(TERMS), 87_000, 87_000 * 127 / 100 + 20_000, 1);
        // What a compaction leaves is a small part of that.
        close(calibration.scale(TERMS), 5_000, 5_000 * 127 / 100 + 20_000, 6);
    }

    #[test]
    fn the_first_reading_bends_no_further_than_the_estimate_may_be_wrong() {
        let calibration = taught(127, 0, &[10_000]);
        assert_eq!(calibration.factor(TERMS), 1_250_000);
        assert_eq!(calibration.overhead(TERMS), Some(200));
        let exact = Terms { error_band: 0.0, ..TERMS };
        assert_eq!(calibration.scale(exact), Scale { factor: ONE, overhead: 2_700, request: 0 });
    }

    #[test]
    fn nothing_bends_a_count_beyond_its_half_and_its_double() {
        for (percent, most) in [(210, 2.0), (45, 0.5)] {
            let counts: Vec<u32> = (1..60).map(|turn| turn * 8_000).collect();
            let factor = f64::from(taught(percent, 0, &counts).factor(TERMS)) / f64::from(ONE);
            assert!((factor - most).abs() < 0.2 && (0.5..=2.0).contains(&factor), "{factor}");
        }
    }

    #[test]
    fn one_odd_reading_teaches_next_to_nothing() {
        let counts: Vec<u32> = (1..20).map(|turn| turn * 2_000).collect();
        for odd in [3, 10_000, 195_000, u32::MAX] {
            let mut calibration = taught(120, 5_000, &counts);
            let before = calibration.scale(TERMS);
            calibration.learn(latin(40_000, odd), TERMS);
            close(
                calibration.scale(TERMS),
                10_000,
                before.prompt_tokens(MeterTokens::new(10_000)),
                1,
            );
            for turn in 21..25 {
                let counted = turn * 2_000;
                calibration.learn(latin(counted, counted * 120 / 100 + 5_000), TERMS);
            }
            close(calibration.scale(TERMS), 50_000, 50_000 * 120 / 100 + 5_000, 1);
        }
    }

    #[test]
    fn readings_that_agree_narrow_the_error_and_others_widen_it() {
        let counts: Vec<u32> = (1..20).map(|turn| turn * 2_000).collect();
        let band =
            |calibration: &Calibration| calibration.error_band(&ScriptTokens::latin(1), TERMS);
        let agreed = taught(110, 1_000, &counts);
        assert!(band(&Calibration::default()) > 0.24 && band(&agreed) < 0.05, "{}", band(&agreed));
        let mut noisy = agreed.clone();
        for turn in 0..8_u32 {
            let counted = 40_000 + turn * 2_000;
            let reported = counted * 110 / 100 + 1_000 + turn % 2 * 1_000;
            noisy.learn(latin(counted, reported), TERMS);
        }
        assert!(band(&noisy) > 3.0 * band(&agreed), "{}", band(&noisy));
    }

    #[test]
    fn every_model_has_its_own_and_no_more_than_a_few_are_kept() {
        let mut calibrations = Calibrations::default();
        for model in 0..20 {
            assert!(calibrations.name(Some(&format!("model-{model:02}"))));
            calibrations.learn(latin(10_000, 11_000 + model * 10), TERMS);
        }
        assert_eq!(calibrations.models.len(), MODELS);
        assert_eq!(calibrations.scale(TERMS).prompt_tokens(MeterTokens::new(10_000)), 11_190);
        calibrations.name(Some("model-15"));
        assert_eq!(calibrations.scale(TERMS).prompt_tokens(MeterTokens::new(10_000)), 11_150);
        calibrations.name(None);
        assert_eq!(calibrations.scale(TERMS).prompt_tokens(MeterTokens::new(10_000)), 10_000);
    }

    /// A provider that takes these percent of the meter's tokens for Latin and for Han, in turns.
    fn taught_by_script(latin: u32, han: u32) -> Calibration {
        let mut calibration = Calibration::default();
        let mut tokens = [0, 0];
        for turn in 0..60 {
            tokens[turn % 2] += 900;
            let counted = ScriptTokens::from(vec![tokens[0], 0, 0, 0, tokens[1]]);
            let reported = (tokens[0] * latin + tokens[1] * han) / 100;
            calibration.learn(Sample { counted, reported }, TERMS);
        }
        calibration
    }

    #[test]
    fn scripts_weigh_what_the_provider_takes_for_them() {
        let calibration = taught_by_script(110, 165);
        let weights = calibration.weights(TERMS.error_band, Weights::EVEN);
        let terms = Terms { weights, ..TERMS };
        for (latin, han) in [(10_000, 0), (0, 10_000), (8_000, 2_000)] {
            let counted = weights.total(&ScriptTokens::from(vec![latin, 0, 0, 0, han]));
            close(calibration.scale(terms), counted.get(), (latin * 110 + han * 165) / 100, 4);
        }
    }

    #[test]
    fn scripts_are_weighed_anew_where_that_makes_a_difference() {
        let mut calibration = taught_by_script(100, 150);
        let weights = calibration.weights(TERMS.error_band, Weights::EVEN);
        assert_ne!(weights, Weights::EVEN);
        calibration.intervals.learn(&ScriptTokens::latin(400), 404, 820);
        assert_eq!(calibration.weights(TERMS.error_band, weights), weights);
        assert_eq!(calibration.weights(0.0, weights), Weights::EVEN, "an exact count is not bent");
        let alone = taught(130, 0, &[1_000, 9_000, 17_000]);
        assert_eq!(alone.weights(TERMS.error_band, Weights::EVEN), Weights::EVEN);
    }

    #[test]
    fn a_snapshot_that_tells_no_scripts_apart_has_one_factor_for_all() {
        let text = r#"{"model":"m","first":[5000,6500],"wholes":[[5000,6500],[9000,11500]],
                       "last":[9000,11500],"counted":40000,"reported":52000,"astray":900}"#;
        let calibration: Calibration = serde_json::from_str(text).unwrap();
        let [first, others @ ..] = calibration.factors(TERMS.error_band);
        assert!((1_290_000..=1_300_000).contains(&first));
        assert!(others.iter().all(|other| *other == first));
        assert_eq!(calibration.last, Some(latin(9_000, 11_500)));
        let written = serde_json::to_string(&taught_by_script(110, 165)).unwrap();
        let read: Calibration = serde_json::from_str(&written).unwrap();
        assert_eq!(read, taught_by_script(110, 165));
    }
}
