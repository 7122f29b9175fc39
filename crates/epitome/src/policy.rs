//! When to compact, how far, and what to leave alone: plain data, with named presets.

mod counting;
mod keep;
mod preset;
mod reason;
mod reducer;
mod retry;
#[cfg(feature = "schema")]
mod schema;
mod spec;
mod summary;
mod trigger;

pub use counting::{Counting, Encoding, Family};
pub use keep::{Keep, Size};
pub use preset::PRESETS;
pub use reason::Reason;
pub use reducer::{
    ClearToolInputs, OffloadToolResults, Reducer, ReducerRule, TruncateToolResults, TruncationStep,
};
pub use retry::{Failure, FailureKind, Retry};
#[cfg(feature = "schema")]
pub use schema::schema;
pub use spec::{DEFAULT_WINDOW, PolicySpec};
pub use summary::{
    LastRequest, Shape, Summarizer, SummaryPlacement, SummarySettings, ToolFilter, WindowTooSmall,
};
pub(crate) use trigger::share;
pub use trigger::{Budget, Fill, Load, Phase, Reactive, RequestBoundary, Trigger};

use std::fmt;

use serde::{Deserialize, Serialize};

/// Everything the engine decides by. Sizes are in tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// Size of the model's context window.
    pub window: u32,
    /// What calls for a compaction: any of these.
    pub triggers: Vec<Trigger>,
    /// Share of the threshold at which to warn, once until the next compaction, 0 to 1; `None`: never.
    #[serde(default)]
    pub warning: Option<f64>,
    /// Share of the window to come down to, 0 to 1.
    pub target: f64,
    /// The tail that stays word for word.
    pub keep: Keep,
    /// The latest user messages of this many tokens stay word for word, wherever they stand.
    #[serde(default)]
    pub keep_requests_tokens: u32,
    /// What saves tokens without a model, in the order in which it is done.
    #[serde(default)]
    pub reducers: Vec<ReducerRule>,
    /// How the prefix is summarized.
    pub summary: SummarySettings,
    /// Where the summary stands afterwards.
    #[serde(default)]
    pub summary_placement: SummaryPlacement,
    /// A result has to save at least this share of the tokens, 0 to 1, unless it makes the
    /// conversation fit the window at all.
    #[serde(default)]
    pub min_saving: f64,
    /// How often a summarizer that fails is asked again.
    pub retry: Retry,
    /// Tokens of what goes along with every request and is no message: tool schemas, mostly.
    pub tool_schema_tokens: u32,
    /// What counts tokens, for compactors made from then on. One that is there counts anew by
    /// [`Compactor::count_by`](crate::Compactor::count_by).
    #[serde(default)]
    pub counting: Counting,
    /// The model's name, where an estimate is to be for its family, and what is learned of how its provider
    /// counts is to be kept apart from that of other models.
    #[serde(default)]
    pub model: Option<String>,
}

/// A policy that cannot work: the field, its value, and what would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    /// The field, as written in JSON.
    pub field: String,
    /// What is wrong with it and what would do.
    pub problem: String,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy.{}: {}", self.field, self.problem)
    }
}

impl std::error::Error for PolicyError {}

impl Policy {
    /// The lowest of the thresholds; `None` where no number of tokens calls for a compaction.
    pub fn threshold(&self) -> Option<u32> {
        self.triggers.iter().filter_map(|trigger| trigger.threshold(self.window)).min()
    }

    /// True where what the window holds calls for a compaction, at whatever phase.
    pub fn fires(&self, load: &Load) -> bool {
        self.triggers.iter().any(|trigger| trigger.fires(load, self.window))
    }

    /// Why a compaction is called for at this phase; `None` where it is not.
    pub fn call(&self, phase: Phase, load: &Load) -> Option<Reason> {
        self.triggers.iter().find_map(|trigger| trigger.call(phase, load, self.window))
    }

    /// Tokens to come down to: the target, and below every threshold.
    pub fn target_tokens(&self) -> u32 {
        let target = share(self.window, self.target);
        self.threshold().map_or(target, |threshold| target.min(threshold.saturating_sub(1)))
    }

    /// Tokens at which to warn; `None` where nobody asked for it, or nothing calls for a compaction.
    pub fn warning_tokens(&self) -> Option<u32> {
        Some(share(self.threshold()?, self.warning?))
    }

    /// The settings for reacting to large prompts, where a trigger has them.
    pub fn reactive(&self) -> Option<&Reactive> {
        self.triggers.iter().find_map(Trigger::reactive)
    }

    /// The family that an estimate is for where `counting` names none: that of the model's name, or the
    /// `usual` one.
    pub fn family(&self, usual: Family) -> Family {
        self.model.as_deref().and_then(Family::of_model).unwrap_or(usual)
    }

    /// The window of whoever summarizes, in tokens, where it is known.
    pub fn summarizer_window(&self) -> Option<u32> {
        let own = self.summary.prompt.as_ref().map(|_| self.window);
        self.summary.window_tokens.or(own)
    }

    /// Refuses a policy that cannot work.
    pub fn check(&self) -> Result<(), PolicyError> {
        let window = self.window;
        ensure(window > 0, "window", || "is 0; give the model's context size in tokens".into())?;
        ensure(self.target > 0.0 && self.target < 1.0, "target", || {
            format!("is {}; give a share of the window between 0 and 1", self.target)
        })?;
        if let Keep::Fraction(fraction) = self.keep {
            ensure((0.0..1.0).contains(&fraction), "keep", || {
                format!("keeps {fraction} of the window; give a share from 0 to below 1")
            })?;
        }
        ensure((0.0..1.0).contains(&self.min_saving), "minSaving", || {
            format!("is {}; give a share of the tokens from 0 to below 1", self.min_saving)
        })?;
        if let Some(warning) = self.warning {
            ensure(warning > 0.0 && warning <= 1.0, "warning", || {
                format!("is {warning}; give a share of the threshold above 0 and up to 1")
            })?;
        }
        ensure(
            self.counting != Counting::CharactersPerToken(0),
            "counting.charactersPerToken",
            || "is 0; give how many characters make a token, such as 4".into(),
        )?;
        ensure(self.tool_schema_tokens < window, "toolSchemaTokens", || {
            format!("is {}, the whole window of {window}", self.tool_schema_tokens)
        })?;
        for (index, trigger) in self.triggers.iter().enumerate() {
            check_trigger(trigger, window, &format!("triggers[{index}]"))?;
        }
        for (index, reduction) in self.reducers.iter().enumerate() {
            check_reduction(reduction, window, &format!("reducers[{index}]"))?;
        }
        self.check_summary()
    }

    fn check_summary(&self) -> Result<(), PolicyError> {
        let summary = &self.summary;
        ensure(summary.max_tokens > 0, "summary.maxTokens", || {
            "is 0; a summary needs room".into()
        })?;
        ensure(summary.chunk_characters >= 1_000, "summary.chunkCharacters", || {
            format!("is {}; give at least 1000", summary.chunk_characters)
        })?;
        if let Some(name) = &summary.prompt {
            let known = summary.prompts.contains_key(name) || Shape::named(name).is_some();
            ensure(known, "summary.prompt", || {
                let names: Vec<&str> = summary.prompts.keys().map(String::as_str).collect();
                let there = if names.is_empty() { "none".into() } else { names.join(", ") };
                format!(
                    "is {name:?}, and summary.prompts has {there}; add it there, or name one that is built in: \
                     three-sections, seven-sections"
                )
            })?;
        }
        Ok(())
    }
}

fn ensure(holds: bool, field: &str, problem: impl FnOnce() -> String) -> Result<(), PolicyError> {
    if holds { Ok(()) } else { Err(PolicyError { field: field.into(), problem: problem() }) }
}

fn check_fraction(fraction: f64, field: &str) -> Result<(), PolicyError> {
    ensure((0.0..=1.0).contains(&fraction), field, || {
        format!("is {fraction}; give a share of the window from 0 to 1")
    })
}

fn check_trigger(trigger: &Trigger, window: u32, field: &str) -> Result<(), PolicyError> {
    for leaf in trigger.leaves() {
        match leaf {
            Trigger::Budget(budget) => {
                check_fraction(budget.fraction, &format!("{field}.budget.fraction"))?;
                let reserves = budget.output_reserve.saturating_add(budget.safety_margin);
                ensure(reserves < window, &format!("{field}.budget"), || {
                    format!(
                        "reserves {reserves} tokens and leaves nothing of a window of {window}; lower \
                         outputReserve or safetyMargin, or give a larger window"
                    )
                })?;
            }
            Trigger::Fill(fill) => {
                check_fraction(fill.fraction, &format!("{field}.fill.fraction"))?;
            }
            Trigger::Reactive(reactive) => {
                let field = format!("{field}.reactive");
                check_fraction(reactive.micro_fraction, &format!("{field}.microFraction"))?;
                check_fraction(reactive.full_fraction, &format!("{field}.fullFraction"))?;
                ensure(
                    reactive.micro_batch_rounds > 0,
                    &format!("{field}.microBatchRounds"),
                    || "is 0; give how many rounds to summarize at a time".into(),
                )?;
            }
            _ => {}
        }
        let threshold = leaf.threshold(window);
        ensure(threshold != Some(0), field, || {
            format!("fires at 0 tokens of a window of {window}; give a larger share or window")
        })?;
        ensure(threshold.is_none_or(|threshold| threshold <= window), field, || {
            let threshold = threshold.unwrap_or_default();
            format!(
                "fires at {threshold} tokens, above the window of {window}; give at most {window}, or a \
                 larger window"
            )
        })?;
    }
    Ok(())
}

fn check_reduction(reduction: &ReducerRule, window: u32, field: &str) -> Result<(), PolicyError> {
    if let Some(when) = &reduction.when {
        check_trigger(when, window, &format!("{field}.when"))?;
    }
    match &reduction.reducer {
        Reducer::ClearToolInputs(prune) => check_fraction(
            prune.protect_fraction,
            &format!("{field}.reducer.clearToolInputs.protectFraction"),
        ),
        Reducer::OffloadToolResults(offload) => {
            let field = format!("{field}.reducer.offloadToolResults");
            check_fraction(offload.protect_fraction, &format!("{field}.protectFraction"))?;
            ensure(
                offload.keep_tokens <= offload.max_tokens,
                &format!("{field}.keepTokens"),
                || {
                    format!(
                        "is {}, above maxTokens {}; give at most that",
                        offload.keep_tokens, offload.max_tokens
                    )
                },
            )
        }
        Reducer::Deduplicate | Reducer::TruncateToolResults(_) | Reducer::DropOldest => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Budget, OffloadToolResults};

    fn refused(policy: &Policy) -> String {
        policy.check().unwrap_err().to_string()
    }

    #[test]
    fn a_policy_that_cannot_work_is_refused_by_field_and_value() {
        let base = Policy::recommended(10_000);
        let check = |policy: Policy, words: &[&str]| {
            let error = refused(&policy);
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        };
        check(Policy { window: 0, ..base.clone() }, &["policy.window: is 0"]);
        let high = vec![Trigger::Manual, Trigger::Tokens(20_000)];
        check(
            Policy { triggers: high, ..base.clone() },
            &["policy.triggers[1]", "20000", "10000", "larger window"],
        );
        let reserve = vec![Trigger::Budget(Budget::default())];
        check(
            Policy { triggers: reserve, ..base.clone() },
            &["policy.triggers[0].budget", "40000", "10000", "outputReserve"],
        );
        check(Policy { keep: Keep::Fraction(-0.5), ..base.clone() }, &["policy.keep", "-0.5"]);
        check(Policy { warning: Some(1.5), ..base.clone() }, &["policy.warning", "1.5"]);
        let summary = SummarySettings { prompt: Some("mine".into()), ..SummarySettings::default() };
        check(Policy { summary, ..base.clone() }, &["policy.summary.prompt", "\"mine\"", "none"]);
        let offload =
            OffloadToolResults { keep_tokens: 9, max_tokens: 3, ..OffloadToolResults::default() };
        let reducers = vec![ReducerRule::in_compactions(Reducer::OffloadToolResults(offload))];
        check(
            Policy { reducers, ..base.clone() },
            &["policy.reducers[0].reducer.offloadToolResults.keepTokens: is 9, above maxTokens 3"],
        );
        check(Policy { target: 1.0, ..base }, &["policy.target: is 1"]);
    }

    #[test]
    fn b6_a_warning_comes_at_a_share_of_the_threshold_where_asked_for() {
        let mut policy = Policy::loop_middleware(400_000);
        assert_eq!(policy.warning_tokens(), None);
        policy.warning = Some(0.5);
        assert_eq!(policy.warning_tokens(), Some(100_000));
    }

    #[test]
    fn a_policy_is_written_as_it_is_read() {
        for name in crate::policy::PRESETS {
            let policy = Policy::preset(name, 200_000).unwrap();
            let text = serde_json::to_string(&policy).unwrap();
            assert_eq!(serde_json::from_str::<Policy>(&text).unwrap(), policy, "{text}");
        }
    }
}
