//! What makes a conversation smaller without a model.

use epitome::policy;
use serde::Serialize;
use tsify::Tsify;

use super::Trigger;

/// A reducer, when it works, and when it is not worth it. One that has a condition of its own works as soon
/// as that holds, compaction or not.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ReducerRule {
    /// What is done.
    pub reducer: Reducer,
    /// When it is done on its own; null or absent: only as part of a compaction.
    #[tsify(optional, type = "Trigger | null")]
    pub when: Option<Trigger>,
    /// Where it would save fewer tokens than this, nothing is done: a change in the middle of a
    /// conversation costs the provider's cache of everything behind it.
    #[tsify(optional)]
    pub min_saving_tokens: u32,
}

/// A way to save tokens without a model: `deduplicate` leaves out health checks and machine-made messages that a
/// later one repeats, `truncateToolResults` truncates tool results by their age, `clearToolInputs` shortens the arguments of old
/// tool calls, `offloadToolResults` puts large tool results aside, and `dropOldest`, where nothing is summarized, leaves
/// out the oldest exchanges.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Reducer {
    /// Leaves out health checks, and machine-made messages that a later one repeats.
    Deduplicate,
    /// Truncates tool results by their age.
    TruncateToolResults(TruncateToolResults),
    /// Shortens the arguments of old tool calls; their names stay.
    ClearToolInputs(ClearToolInputs),
    /// Puts large tool results aside under a name by which they can be read back.
    OffloadToolResults(OffloadToolResults),
    /// Leaves out the oldest exchanges until the rest comes down to the target.
    DropOldest,
}

/// Truncation of tool results by their age.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct TruncateToolResults {
    /// What results of each age may take: 2,000 tokens from 11 messages ago, 1,000 from 21 and 500 from 41
    /// where absent.
    pub steps: Vec<TruncationStep>,
}

/// What a tool result of some age may take.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct TruncationStep {
    /// How many messages ago it begins; the newest message is 1 message ago.
    pub from_messages: u32,
    /// Longest result from there on, in tokens.
    pub max_tokens: u32,
}

/// Shortening of the arguments of old tool calls.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct ClearToolInputs {
    /// The newest messages that fill this share of the window are left alone, 0 to 1; 0.3 where absent.
    pub protect_fraction: f64,
    /// Arguments of at most this many tokens are left alone; 200 where absent.
    pub arg_threshold_tokens: u32,
}

/// Putting large tool results aside.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct OffloadToolResults {
    /// The newest messages that fill this share of the window are left alone, 0 to 1; 0.3 where absent.
    /// The latest exchange always is.
    pub protect_fraction: f64,
    /// Results of at most this many tokens are left alone; 2,000 where absent.
    pub max_tokens: u32,
    /// How much of a result stays, in tokens; 200 where absent.
    pub keep_tokens: u32,
}

impl From<policy::ReducerRule> for ReducerRule {
    fn from(reduction: policy::ReducerRule) -> Self {
        let policy::ReducerRule { reducer, when, min_saving_tokens } = reduction;
        Self { reducer: reducer.into(), when: when.map(Trigger::from), min_saving_tokens }
    }
}

impl From<policy::Reducer> for Reducer {
    fn from(reducer: policy::Reducer) -> Self {
        match reducer {
            policy::Reducer::Deduplicate => Self::Deduplicate,
            policy::Reducer::TruncateToolResults(policy::TruncateToolResults { steps }) => {
                Self::TruncateToolResults(TruncateToolResults {
                    steps: steps.into_iter().map(TruncationStep::from).collect(),
                })
            }
            policy::Reducer::ClearToolInputs(policy::ClearToolInputs {
                protect_fraction,
                arg_threshold_tokens,
            }) => Self::ClearToolInputs(ClearToolInputs { protect_fraction, arg_threshold_tokens }),
            policy::Reducer::OffloadToolResults(offload) => {
                Self::OffloadToolResults(offload.into())
            }
            policy::Reducer::DropOldest => Self::DropOldest,
        }
    }
}

impl From<policy::TruncationStep> for TruncationStep {
    fn from(step: policy::TruncationStep) -> Self {
        let policy::TruncationStep { from_messages, max_tokens } = step;
        Self { from_messages, max_tokens }
    }
}

impl From<policy::OffloadToolResults> for OffloadToolResults {
    fn from(offload: policy::OffloadToolResults) -> Self {
        let policy::OffloadToolResults { protect_fraction, max_tokens, keep_tokens } = offload;
        Self { protect_fraction, max_tokens, keep_tokens }
    }
}
