//! Settings of the reducers, which save tokens without a model.

use serde::{Deserialize, Serialize};

use super::Trigger;
use epitome_text::note::CLEARED;

/// A reducer, the condition under which it works, and the least that it has to save.
///
/// During a compaction, every reducer without a condition and every one whose condition holds, whatever its phase, is
/// applied. A reducer with a condition is also applied without a compaction, as soon as a check finds that the
/// condition holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReducerRule {
    /// The way to save tokens.
    pub reducer: Reducer,
    /// The condition under which it is applied. Default: `null`, only and always as part of a compaction.
    #[serde(default)]
    pub when: Option<Trigger>,
    /// The reducer is not applied if it would save fewer tokens than this: a change in the middle of a conversation
    /// invalidates the provider's prompt cache from there on. Default: 0.
    #[serde(default)]
    pub clear_at_least: u32,
}

impl ReducerRule {
    /// A reducer that is applied as soon as `when` holds.
    pub fn when(reducer: Reducer, when: Trigger) -> Self {
        Self { reducer, when: Some(when), clear_at_least: 0 }
    }

    /// A reducer that is applied as part of every compaction, and only then.
    pub fn in_compactions(reducer: Reducer) -> Self {
        Self { reducer, when: None, clear_at_least: 0 }
    }
}

/// A way to save tokens without a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Reducer {
    /// Removes heartbeat exchanges (see the policy's `heartbeatAnswer`), and synthetic messages that a later one of
    /// the same kind repeats.
    Deduplicate,
    /// Truncates tool results by their age in messages.
    TruncateToolResults(TruncateToolResults),
    /// Shortens the long arguments of old tool calls; the names of the tools stay.
    ClearToolInputs(ClearToolInputs),
    /// Replaces all but the newest tool results by a placeholder.
    ClearToolResults(ClearToolResults),
    /// Replaces large tool results by their beginning, their end and a path under which the app can read all of it.
    /// Without a condition of its own it starts with the newest and stops at the target.
    OffloadToolResults(OffloadToolResults),
    /// Shortens the last user request to its beginning and its end if it alone exceeds the target: otherwise no compaction
    /// could reach it. The report names it, and the history has it whole. A pinned request stays as it is.
    ExcerptLastRequest,
    /// Removes the oldest messages until the rest meets the target. A tool call is removed with its results. The last
    /// resort: it is applied only if nothing is summarized.
    DropOldest,
}

/// Settings of the reducer `truncateToolResults`. By default results are truncated to 2,000 tokens from 11 messages
/// ago on, to 1,000 from 21 on, and to 500 from 41 on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TruncateToolResults {
    /// The limit for each age, in any order. Of several steps that apply, the one with the highest age counts.
    pub steps: Vec<TruncationStep>,
}

/// The longest tool result from some age on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TruncationStep {
    /// The step applies to results from this many messages ago on. The newest message is 1 message ago.
    pub from_messages: u32,
    /// The longest result from this age on, in tokens.
    pub max_tokens: u32,
}

impl Default for TruncateToolResults {
    fn default() -> Self {
        let step = |from_messages, max_tokens| TruncationStep { from_messages, max_tokens };
        Self { steps: vec![step(11, 2_000), step(21, 1_000), step(41, 500)] }
    }
}

impl TruncateToolResults {
    /// The longest result this many messages ago, in tokens; `None` if it is not truncated.
    pub fn limit(&self, messages_ago: u32) -> Option<u32> {
        let reached = self.steps.iter().filter(|step| step.from_messages <= messages_ago);
        reached.max_by_key(|step| step.from_messages).map(|step| step.max_tokens)
    }
}

/// Settings of the reducer `clearToolInputs`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ClearToolInputs {
    /// The newest messages that fill this share of the window are not changed, 0 to 1. Above 0, neither is the last
    /// message or the last tool call with its results. Default: 0.3.
    pub protect_fraction: f64,
    /// Arguments of at most this many tokens are not changed. Default: 200.
    pub arg_threshold_tokens: u32,
}

impl Default for ClearToolInputs {
    fn default() -> Self {
        Self { protect_fraction: 0.3, arg_threshold_tokens: 200 }
    }
}

/// Settings of the reducer `clearToolResults`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ClearToolResults {
    /// How many of the newest results are not changed. Default: 3.
    pub keep: u32,
    /// Tools whose results and inputs are not changed and are not counted by `keep`. An entry that ends in `*` stands for
    /// every name that begins with the part before it. Default: none.
    pub exclude_tools: Vec<String>,
    /// Whether the inputs of the calls are shortened too: their names stay. Default: false.
    pub clear_tool_inputs: bool,
    /// What stands in place of a result; not blank. Default: `[cleared]`.
    pub placeholder: String,
}

impl Default for ClearToolResults {
    fn default() -> Self {
        let placeholder = CLEARED.to_owned();
        Self { keep: 3, exclude_tools: Vec::new(), clear_tool_inputs: false, placeholder }
    }
}

/// Settings of the reducer `offloadToolResults`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OffloadToolResults {
    /// The newest messages that fill this share of the window are not changed, 0 to 1. Above 0, neither is the last
    /// message or the last tool call with its results; at 0, a result is offloaded before the model reads it for the
    /// first time. Default: 0.3.
    pub protect_fraction: f64,
    /// Results of at most this many tokens are not changed. Default: 2,000.
    pub max_tokens: u32,
    /// How much of a result stays, in tokens; at most `maxTokens`. Default: 200.
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
    fn c1_the_limit_of_a_result_falls_with_its_age() {
        let age = TruncateToolResults::default();
        let limits: Vec<Option<u32>> =
            [1, 10, 11, 20, 21, 40, 41, 900].map(|ago| age.limit(ago)).into();
        let (two, one, half) = (Some(2_000), Some(1_000), Some(500));
        assert_eq!(limits, [None, None, two, two, one, one, half, half]);
    }
}
