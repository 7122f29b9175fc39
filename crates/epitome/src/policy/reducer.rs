//! What makes a conversation smaller without a model, as settings.

use serde::{Deserialize, Serialize};

use super::Trigger;

/// A reducer, when it works, and when it is not worth it.
///
/// Every reducer whose condition holds works as part of a compaction. One that has a condition of its
/// own works as soon as that holds, compaction or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReducerRule {
    /// What is done.
    pub reducer: Reducer,
    /// When it is done on its own; `None`: only as part of a compaction.
    #[serde(default)]
    pub when: Option<Trigger>,
    /// Where it would save fewer tokens than this, nothing is done: a change in the middle of a
    /// conversation costs the provider's cache of everything behind it.
    #[serde(default)]
    pub min_saving_tokens: u32,
}

impl ReducerRule {
    /// A reducer that works as soon as `when` holds.
    pub fn when(reducer: Reducer, when: Trigger) -> Self {
        Self { reducer, when: Some(when), min_saving_tokens: 0 }
    }

    /// A reducer that works as part of every compaction.
    pub fn in_compactions(reducer: Reducer) -> Self {
        Self { reducer, when: None, min_saving_tokens: 0 }
    }
}

/// A way to save tokens without a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Reducer {
    /// Leaves out health checks, and machine-made messages that a later one repeats.
    Deduplicate,
    /// Truncates tool results by their age.
    TruncateToolResults(TruncateToolResults),
    /// Shortens the arguments of old tool calls; their names stay.
    ClearToolInputs(ClearToolInputs),
    /// Puts large tool results aside under a name by which they can be read back.
    OffloadToolResults(OffloadToolResults),
    /// Leaves out the oldest exchanges until the rest comes down to the target. The last resort: it
    /// works only where nothing is summarized.
    DropOldest,
}

/// See [`Reducer::TruncateToolResults`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TruncateToolResults {
    /// What results of each age may take. Of several steps that apply, the oldest counts.
    pub steps: Vec<TruncationStep>,
}

/// What a tool result of some age may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TruncationStep {
    /// How many messages ago it begins; the newest message is 1 message ago.
    pub from_messages: u32,
    /// Longest result from there on, in tokens.
    pub max_tokens: u32,
}

impl Default for TruncateToolResults {
    fn default() -> Self {
        let step = |from_messages, max_tokens| TruncationStep { from_messages, max_tokens };
        Self { steps: vec![step(11, 2_000), step(21, 1_000), step(41, 500)] }
    }
}

impl TruncateToolResults {
    /// Longest result this many messages ago, in tokens; `None` where it stays whole.
    pub fn limit(&self, messages_ago: u32) -> Option<u32> {
        let reached = self.steps.iter().filter(|step| step.from_messages <= messages_ago);
        reached.max_by_key(|step| step.from_messages).map(|step| step.max_tokens)
    }
}

/// See [`Reducer::ClearToolInputs`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ClearToolInputs {
    /// The newest messages that fill this share of the window are left alone, 0 to 1.
    pub protect_fraction: f64,
    /// Arguments of at most this many tokens are left alone.
    pub arg_threshold_tokens: u32,
}

impl Default for ClearToolInputs {
    fn default() -> Self {
        Self { protect_fraction: 0.3, arg_threshold_tokens: 200 }
    }
}

/// See [`Reducer::OffloadToolResults`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OffloadToolResults {
    /// The newest messages that fill this share of the window are left alone, 0 to 1. The latest
    /// exchange always is.
    pub protect_fraction: f64,
    /// Results of at most this many tokens are left alone.
    pub max_tokens: u32,
    /// How much of a result stays, in tokens.
    pub keep_tokens: u32,
}

impl Default for OffloadToolResults {
    fn default() -> Self {
        Self { protect_fraction: 0.3, max_tokens: 2_000, keep_tokens: 200 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c1_what_a_result_may_take_goes_down_with_its_age() {
        let age = TruncateToolResults::default();
        let limits: Vec<Option<u32>> =
            [1, 10, 11, 20, 21, 40, 41, 900].map(|ago| age.limit(ago)).into();
        let (two, one, half) = (Some(2_000), Some(1_000), Some(500));
        assert_eq!(limits, [None, None, two, two, one, one, half, half]);
    }
}
