//! Learns from the provider's token counts how to convert the meter's counts into the provider's.
//!
//! A provider's count of a prompt is `factor` × the meter's count of its messages + an overhead: tool schemas,
//! a system prompt outside the messages. Two unknowns, and each reported count is one equation:
//!
//! - **Factor.** The difference between two prompts of the same view consists of known messages, and the
//!   overhead cancels out. Such an interval says how the provider's tokens relate to the meter's
//!   (`Intervals`), separately for each script, since a heuristic tokenizer errs differently in each.
//! - **Overhead.** What the latest prompts have beyond their scaled messages. The median of three is used,
//!   since a single prompt may contain text that is not in the log, for example search results that the app
//!   adds to one request.
//!
//! Few counts are known at first, so that each estimate begins with a prior: the tokenizer's own count, with a
//! weight that follows from its error band. A wide band means that the tokenizer may be far off, and lets the
//! first intervals change the factor quickly; a narrow band lets them change it slowly. Nothing is learned for
//! an exact tokenizer (band 0), except the overhead.
//!
//! All state is sums of integers, so that a conversation restored from a snapshot goes on with exactly the
//! same numbers.

mod intervals;
mod scale;

pub(crate) use scale::ContextTokens;
pub use scale::Scale;

use serde::{Deserialize, Serialize};

use crate::tokens::{ONE, SCRIPTS, ScriptTokens, Weights};
pub(crate) use intervals::LEAST_FACTOR;
use intervals::{BOUNDS, Intervals};

/// The shortest interval to learn from, in the meter's tokens. In a shorter one the overhead per message, which
/// is not scaled like text, outweighs the text.
const MIN_INTERVAL_TOKENS: u32 = 100;
/// The shortest first prompt to learn from: its unknown overhead matters less the longer it is.
const MIN_FIRST_PROMPT_TOKENS: u32 = 5 * MIN_INTERVAL_TOKENS;
/// The prior of a tokenizer with an error band of 100 %, in tokens. It is divided by the band: 820 tokens at
/// 25 %.
const PRIOR_TOKENS: u64 = 205;
/// The largest prior, in tokens. A tokenizer with a narrow band may be used for a model of another family, so
/// that even then some intervals must be enough to correct it.
const MAX_PRIOR_TOKENS: u64 = 1_024;
/// How many of the latest prompts the overhead is learned from.
const OVERHEAD_PROMPTS: usize = 3;
/// How many models' counts are remembered, for users who switch between models.
const MODELS: usize = 8;
/// Weights of scripts change only if one changes by more than 1/64, since every change updates the
/// counts of all messages.
const WEIGHT_CHANGE_DIVISOR: u32 = 64;

/// A prompt as counted by the provider and by the meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(ScriptTokens, u32)", into = "(ScriptTokens, u32)")]
pub(crate) struct Sample {
    /// Its messages by the meter, before weights are applied.
    pub(crate) counted: ScriptTokens,
    /// The whole prompt by the provider, its overhead included.
    pub(crate) reported: u32,
}

impl From<(ScriptTokens, u32)> for Sample {
    fn from((counted, reported): (ScriptTokens, u32)) -> Self {
        Self { counted, reported }
    }
}

impl From<Sample> for (ScriptTokens, u32) {
    fn from(Sample { counted, reported }: Sample) -> Self {
        (counted, reported)
    }
}

/// What a scale depends on in addition to the provider's counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaleInputs {
    /// The overhead that the app states, in the provider's tokens; used until one is learned.
    pub(crate) overhead: u32,
    /// The tokenizer's overhead per request, in the provider's tokens.
    pub(crate) request: u32,
    /// Half-width of the relative error of the meter's count, as its tokenizer states it.
    pub(crate) error_band: f64,
    /// Size of the window, in the provider's tokens.
    pub(crate) window: u32,
    /// The weights that the meter applies now.
    pub(crate) weights: Weights,
}

/// What was learned from the counts of one model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Calibration {
    /// The model's name; empty if the policy names none.
    model: String,
    /// The first prompt that was long enough, without the overhead that was known at that time.
    first: Option<Sample>,
    /// The latest prompts, oldest first.
    latest: Vec<Sample>,
    /// The prompt of the present view at which the next interval begins.
    interval_start: Option<Sample>,
    /// The sums over all intervals.
    intervals: Intervals,
}

impl Calibration {
    /// Learns from a prompt that was counted. Constant time.
    fn learn(&mut self, sample: Sample, inputs: ScaleInputs) {
        // A server that does not count reports 0. As a count it would pull the overhead to 0.
        if sample.reported == 0 {
            return;
        }
        let counted = sample.counted.sum();
        match self.interval_start {
            None => self.interval_start = Some(sample),
            // Too short so far: the next prompt ends a longer interval with the same start.
            Some(start) if counted.abs_diff(start.counted.sum()) < MIN_INTERVAL_TOKENS => {}
            Some(start) => {
                // If any script has fewer tokens than at the start, the two prompts are not of one growing
                // view, and the difference is not an interval.
                if let Some(interval) = sample.counted.since(&start.counted) {
                    let reported = sample.reported.saturating_sub(start.reported);
                    self.intervals.learn(&interval, reported, prior(millionths(inputs.error_band)));
                }
                self.interval_start = Some(sample);
            }
        }
        if self.first.is_none() && counted >= MIN_FIRST_PROMPT_TOKENS {
            let reported =
                sample.reported.saturating_sub(inputs.overhead).saturating_sub(inputs.request);
            self.first = Some(Sample { reported, ..sample });
        }
        if self.latest.len() >= OVERHEAD_PROMPTS {
            self.latest.remove(0);
        }
        self.latest.push(sample);
    }

    /// The provider's tokens per token of the meter for each script, Latin first, in millionths. `error_band`
    /// is that of the tokenizer.
    fn factors(&self, error_band: f64) -> [u32; SCRIPTS] {
        let band = millionths(error_band);
        if band == 0 {
            return [ONE; SCRIPTS];
        }
        // The first prompt is better than the tokenizer's own count, but may have an unknown overhead. So it is
        // trusted only as far as the tokenizer may be wrong.
        let seed = self.first.map_or(ONE, |first| {
            let counted = u64::from(first.counted.sum().max(1));
            let ratio = u64::from(first.reported) * u64::from(ONE) / counted;
            let ratio = u32::try_from(ratio).unwrap_or(u32::MAX);
            ratio.clamp(ONE.saturating_sub(band), ONE.saturating_add(band))
        });
        self.intervals.factors(seed, prior(band))
    }

    /// The provider's tokens per weighted token of the meter, in millionths. Weights are relative to Latin, so
    /// that it is the factor of Latin.
    fn factor(&self, inputs: ScaleInputs) -> u32 {
        let [latin, ..] = self.factors(inputs.error_band);
        latin
    }

    /// The weights of scripts to apply from now on. The present ones are returned if they are close enough and
    /// imply a factor within the bounds for every script.
    fn weights(&self, error_band: f64, weights: Weights) -> Weights {
        let factors = self.factors(error_band);
        let [latin, ..] = factors;
        let learned = Weights::from_factors(factors);
        // Weights that stay are applied to a new factor of Latin. Their product can leave the bounds although
        // every learned factor is within them.
        let bounded = weights.factors(latin).iter().all(|factor| BOUNDS.contains(factor));
        if bounded && weights.is_near(&learned, WEIGHT_CHANGE_DIVISOR) { weights } else { learned }
    }

    /// The overhead of a request, in the provider's tokens: the median of what the latest prompts have beyond
    /// their messages, and of two prompts the smaller. `None` if too little is known.
    ///
    /// An overhead that is too large would fill the window on its own, so that it is limited: from a single
    /// prompt, one above a quarter of the window is not believed at all; from several, it is cut to half of the
    /// window.
    fn overhead(&self, inputs: ScaleInputs) -> Option<u32> {
        let messages =
            Scale { factor: self.factor(inputs), request: inputs.request, ..Scale::IDENTITY };
        let mut overheads: Vec<u32> = self
            .latest
            .iter()
            .map(|prompt| {
                let counted = inputs.weights.total(&prompt.counted);
                prompt.reported.saturating_sub(messages.prompt_tokens(counted))
            })
            .collect();
        overheads.sort_unstable();
        match *overheads.as_slice() {
            [overhead] => (overhead <= inputs.window / 4).then_some(overhead),
            [overhead, _] | [_, overhead, _] => Some(overhead.min(inputs.window / 2)),
            _ => None,
        }
    }

    fn scale(&self, inputs: ScaleInputs) -> Scale {
        let overhead = self.overhead(inputs).unwrap_or(inputs.overhead);
        Scale { factor: self.factor(inputs), overhead, request: inputs.request, ..Scale::IDENTITY }
    }

    /// Half-width of the relative error of scaled tokens: the bands of their scripts, averaged by share.
    fn error_band(&self, by_script: &ScriptTokens, inputs: ScaleInputs) -> f64 {
        let band = millionths(inputs.error_band);
        let bands = self.intervals.error_bands(band, prior(band));
        let [latin, ..] = bands;
        let shares = by_script.tokens().map(f64::from);
        let sum: f64 = shares.iter().sum();
        // Without tokens there are no shares: 0 / 0 is NaN, and each comparison with it is false.
        if sum <= 0.0 {
            return latin;
        }
        shares.iter().zip(bands).map(|(share, band)| share * band).sum::<f64>() / sum
    }
}

/// The weight of the tokenizer's own count against the intervals, in tokens. `band` is in millionths.
fn prior(band: u32) -> u64 {
    (PRIOR_TOKENS * u64::from(ONE) / u64::from(band.max(1))).min(MAX_PRIOR_TOKENS)
}

fn millionths(share: f64) -> u32 {
    scale::rounded(share.clamp(0.0, 1.0) * f64::from(ONE))
}

/// What was learned from the counts of each model. Models without a name share one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Calibrations {
    /// The model in use.
    model: String,
    /// In the order of their first count; the oldest is removed first.
    models: Vec<Calibration>,
}

impl Calibrations {
    /// Selects the model that counts come from, from now on. True if it is not the one before.
    pub(crate) fn select_model(&mut self, model: Option<&str>) -> bool {
        let model = model.unwrap_or_default();
        let changed = self.model != model;
        if changed {
            model.clone_into(&mut self.model);
        }
        changed
    }

    /// Learns from a prompt that was counted. Constant time.
    pub(crate) fn learn(&mut self, sample: Sample, inputs: ScaleInputs) {
        // Of one model only: each has its own tokenizer, and a count of another model would move the factor
        // away from both.
        let known = self.models.iter_mut().find(|one| one.model == self.model);
        if let Some(calibration) = known {
            return calibration.learn(sample, inputs);
        }
        if self.models.len() >= MODELS {
            self.models.remove(0);
        }
        let mut calibration = Calibration { model: self.model.clone(), ..Calibration::default() };
        calibration.learn(sample, inputs);
        self.models.push(calibration);
    }

    /// The conversion from the meter's tokens to the provider's. Constant time.
    pub(crate) fn scale(&self, inputs: ScaleInputs) -> Scale {
        let unlearned =
            Scale { overhead: inputs.overhead, request: inputs.request, ..Scale::IDENTITY };
        self.current().map_or(unlearned, |calibration| calibration.scale(inputs))
    }

    /// The weights of scripts to apply from now on. `error_band` is that of the tokenizer, and `weights` are
    /// the present weights, which stay if the change is small.
    pub(crate) fn weights(&self, error_band: f64, weights: Weights) -> Weights {
        self.current().map_or(Weights::EVEN, |calibration| calibration.weights(error_band, weights))
    }

    /// Half-width of the relative error of tokens in these scripts after [`Self::scale`].
    pub(crate) fn error_band(&self, by_script: &ScriptTokens, inputs: ScaleInputs) -> f64 {
        self.current()
            .map_or(inputs.error_band, |calibration| calibration.error_band(by_script, inputs))
    }

    /// Ends the present interval of every model, since the view changes: the difference to the next prompt is
    /// not only of appended messages.
    pub(crate) fn begin_epoch(&mut self) {
        for calibration in &mut self.models {
            calibration.interval_start = None;
        }
    }

    /// Forgets everything, since the meter has another tokenizer from now on.
    pub(crate) fn forget(&mut self) {
        self.models.clear();
    }

    fn current(&self) -> Option<&Calibration> {
        self.models.iter().find(|one| one.model == self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::MeterTokens;

    const INPUTS: ScaleInputs = ScaleInputs {
        overhead: 0,
        request: 0,
        error_band: 0.25,
        window: 200_000,
        weights: Weights::EVEN,
    };

    fn latin(counted: u32, reported: u32) -> Sample {
        Sample { counted: ScriptTokens::latin(counted), reported }
    }

    /// Prompts of a provider whose tokens are `percent` of the meter's, with an overhead unknown to the app.
    fn learned(percent: u32, overhead: u32, counts: &[u32]) -> Calibration {
        let mut calibration = Calibration::default();
        for counted in counts {
            let reported = counted * percent / 100 + overhead;
            calibration.learn(latin(*counted, reported), INPUTS);
        }
        calibration
    }

    fn close(scale: Scale, counted: u32, reported: u32, percent: u32) {
        let found = scale.prompt_tokens(MeterTokens::new(counted));
        assert!(
            found.abs_diff(reported) <= reported * percent / 100,
            "{found} instead of {reported}"
        );
    }

    #[test]
    fn before_the_first_report_counts_are_not_scaled() {
        let scale =
            Calibrations::default().scale(ScaleInputs { overhead: 70, request: 3, ..INPUTS });
        assert_eq!(
            (
                scale.prompt_tokens(MeterTokens::new(1_000)),
                scale.to_provider(MeterTokens::new(1_000))
            ),
            (1_073, 1_000)
        );
    }

    #[test]
    fn factor_and_overhead_are_learned_separately() {
        let counts: Vec<u32> = (1..30).map(|turn| turn * 3_000).collect();
        let calibration = learned(127, 20_000, &counts);
        close(calibration.scale(INPUTS), 87_000, 87_000 * 127 / 100 + 20_000, 1);
        // After a compaction, a small part of that is left, and the overhead matters most.
        close(calibration.scale(INPUTS), 5_000, 5_000 * 127 / 100 + 20_000, 6);
    }

    #[test]
    fn the_first_report_scales_counts_at_most_by_the_error_band() {
        let calibration = learned(127, 0, &[10_000]);
        assert_eq!(calibration.factor(INPUTS), 1_250_000);
        assert_eq!(calibration.overhead(INPUTS), Some(200));
        let exact = ScaleInputs { error_band: 0.0, ..INPUTS };
        assert_eq!(calibration.scale(exact), Scale { overhead: 2_700, ..Scale::IDENTITY });
    }

    #[test]
    fn counts_are_scaled_at_most_to_half_or_double() {
        for (percent, most) in [(210, 2.0), (45, 0.5)] {
            let counts: Vec<u32> = (1..60).map(|turn| turn * 8_000).collect();
            let factor = f64::from(learned(percent, 0, &counts).factor(INPUTS)) / f64::from(ONE);
            assert!((factor - most).abs() < 0.2 && (0.5..=2.0).contains(&factor), "{factor}");
        }
    }

    #[test]
    fn a_single_outlier_changes_almost_nothing() {
        let counts: Vec<u32> = (1..20).map(|turn| turn * 2_000).collect();
        for odd in [3, 10_000, 195_000, u32::MAX] {
            let mut calibration = learned(120, 5_000, &counts);
            let before = calibration.scale(INPUTS);
            calibration.learn(latin(40_000, odd), INPUTS);
            close(
                calibration.scale(INPUTS),
                10_000,
                before.prompt_tokens(MeterTokens::new(10_000)),
                1,
            );
            for turn in 21..25 {
                let counted = turn * 2_000;
                calibration.learn(latin(counted, counted * 120 / 100 + 5_000), INPUTS);
            }
            close(calibration.scale(INPUTS), 50_000, 50_000 * 120 / 100 + 5_000, 1);
        }
    }

    #[test]
    fn reports_that_agree_narrow_the_error_band_and_others_widen_it() {
        let counts: Vec<u32> = (1..20).map(|turn| turn * 2_000).collect();
        let band =
            |calibration: &Calibration| calibration.error_band(&ScriptTokens::latin(1), INPUTS);
        let agreed = learned(110, 1_000, &counts);
        assert!(band(&Calibration::default()) > 0.24 && band(&agreed) < 0.05, "{}", band(&agreed));
        let mut noisy = agreed.clone();
        for turn in 0..8_u32 {
            let counted = 40_000 + turn * 2_000;
            let reported = counted * 110 / 100 + 1_000 + turn % 2 * 1_000;
            noisy.learn(latin(counted, reported), INPUTS);
        }
        assert!(band(&noisy) > 3.0 * band(&agreed), "{}", band(&noisy));
    }

    #[test]
    fn each_model_has_its_own_calibration_and_old_ones_are_removed() {
        let mut calibrations = Calibrations::default();
        for model in 0..20 {
            assert!(calibrations.select_model(Some(&format!("model-{model:02}"))));
            calibrations.learn(latin(10_000, 11_000 + model * 10), INPUTS);
        }
        assert_eq!(calibrations.models.len(), MODELS);
        assert_eq!(calibrations.scale(INPUTS).prompt_tokens(MeterTokens::new(10_000)), 11_190);
        calibrations.select_model(Some("model-15"));
        assert_eq!(calibrations.scale(INPUTS).prompt_tokens(MeterTokens::new(10_000)), 11_150);
        calibrations.select_model(None);
        assert_eq!(calibrations.scale(INPUTS).prompt_tokens(MeterTokens::new(10_000)), 10_000);
    }

    /// A provider whose tokens are these percentages of the meter's, with Latin and Han messages alternating.
    fn learned_by_script(latin: u32, han: u32) -> Calibration {
        let mut calibration = Calibration::default();
        let mut tokens = [0, 0];
        for turn in 0..60 {
            tokens[turn % 2] += 900;
            let counted = ScriptTokens::from(vec![tokens[0], 0, 0, 0, tokens[1]]);
            let reported = (tokens[0] * latin + tokens[1] * han) / 100;
            calibration.learn(Sample { counted, reported }, INPUTS);
        }
        calibration
    }

    #[test]
    fn weights_of_scripts_follow_the_providers_counts() {
        let calibration = learned_by_script(110, 165);
        let weights = calibration.weights(INPUTS.error_band, Weights::EVEN);
        let terms = ScaleInputs { weights, ..INPUTS };
        for (latin, han) in [(10_000, 0), (0, 10_000), (8_000, 2_000)] {
            let counted = weights.total(&ScriptTokens::from(vec![latin, 0, 0, 0, han]));
            close(calibration.scale(terms), counted.get(), (latin * 110 + han * 165) / 100, 4);
        }
    }

    #[test]
    fn weights_of_scripts_change_only_if_the_difference_is_large() {
        let mut calibration = learned_by_script(100, 150);
        let weights = calibration.weights(INPUTS.error_band, Weights::EVEN);
        assert_ne!(weights, Weights::EVEN);
        calibration.intervals.learn(&ScriptTokens::latin(400), 404, 820);
        assert_eq!(calibration.weights(INPUTS.error_band, weights), weights);
        assert_eq!(
            calibration.weights(0.0, weights),
            Weights::EVEN,
            "an exact count is not scaled"
        );
        let alone = learned(130, 0, &[1_000, 9_000, 17_000]);
        assert_eq!(alone.weights(INPUTS.error_band, Weights::EVEN), Weights::EVEN);
    }

    #[test]
    fn what_was_learned_is_stored_and_read_again() {
        let written = serde_json::to_string(&learned_by_script(110, 165)).unwrap();
        let read: Calibration = serde_json::from_str(&written).unwrap();
        assert_eq!(read, learned_by_script(110, 165));
    }
}
