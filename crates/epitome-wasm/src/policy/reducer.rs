//! What makes a conversation smaller without a model.

use epitome::policy;
use serde::Serialize;
use tsify::Tsify;

use super::Trigger;

/// A reducer, when it works, and when it is not worth it. One that has a condition of its own works as soon
/// as that holds, compaction or not.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Reduction {
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

/// A way to save tokens without a model: `trim` leaves out health checks and machine-made messages that a
/// later one repeats, `age` truncates tool results by their age, `prune` shortens the arguments of old
/// tool calls, `offload` puts large tool results aside, and `drop`, where nothing is summarized, leaves
/// out the oldest exchanges.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Reducer {
    /// Leaves out health checks, and machine-made messages that a later one repeats.
    Trim,
    /// Truncates tool results by their age.
    Age(Age),
    /// Shortens the arguments of old tool calls; their names stay.
    Prune(Prune),
    /// Puts large tool results aside under a name by which they can be read back.
    Offload(Offload),
    /// Leaves out the oldest exchanges until the rest comes down to the target.
    Drop,
}

/// Truncation of tool results by their age.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct Age {
    /// What results of each age may take: 2,000 tokens from 11 messages ago, 1,000 from 21 and 500 from 41
    /// where absent.
    pub steps: Vec<AgeStep>,
}

/// What a tool result of some age may take.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct AgeStep {
    /// How many messages ago it begins; the newest message is 1 message ago.
    pub from_messages: u32,
    /// Longest result from there on, in tokens.
    pub max_tokens: u32,
}

/// Shortening of the arguments of old tool calls.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct Prune {
    /// The newest messages that fill this share of the window are left alone, 0 to 1; 0.3 where absent.
    pub protect_fraction: f64,
    /// Arguments of at most this many tokens are left alone; 200 where absent.
    pub arg_threshold_tokens: u32,
}

/// Putting large tool results aside.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct Offload {
    /// The newest messages that fill this share of the window are left alone, 0 to 1; 0.3 where absent.
    /// The latest exchange always is.
    pub protect_fraction: f64,
    /// Results of at most this many tokens are left alone; 2,000 where absent.
    pub max_tokens: u32,
    /// How much of a result stays, in tokens; 200 where absent.
    pub keep_tokens: u32,
}

impl From<policy::Reduction> for Reduction {
    fn from(reduction: policy::Reduction) -> Self {
        let policy::Reduction { reducer, when, min_saving_tokens } = reduction;
        Self { reducer: reducer.into(), when: when.map(Trigger::from), min_saving_tokens }
    }
}

impl From<policy::Reducer> for Reducer {
    fn from(reducer: policy::Reducer) -> Self {
        match reducer {
            policy::Reducer::Trim => Self::Trim,
            policy::Reducer::Age(policy::Age { steps }) => {
                Self::Age(Age { steps: steps.into_iter().map(AgeStep::from).collect() })
            }
            policy::Reducer::Prune(policy::Prune { protect_fraction, arg_threshold_tokens }) => {
                Self::Prune(Prune { protect_fraction, arg_threshold_tokens })
            }
            policy::Reducer::Offload(offload) => Self::Offload(offload.into()),
            policy::Reducer::Drop => Self::Drop,
        }
    }
}

impl From<policy::AgeStep> for AgeStep {
    fn from(step: policy::AgeStep) -> Self {
        let policy::AgeStep { from_messages, max_tokens } = step;
        Self { from_messages, max_tokens }
    }
}

impl From<policy::Offload> for Offload {
    fn from(offload: policy::Offload) -> Self {
        let policy::Offload { protect_fraction, max_tokens, keep_tokens } = offload;
        Self { protect_fraction, max_tokens, keep_tokens }
    }
}
