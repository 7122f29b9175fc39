//! Everything the engine decides by.

use epitome::policy;
use serde::Serialize;
use tsify::Tsify;

use super::{Counting, Keep, ReducerRule, SummarySettings, Trigger};

/// Everything the engine decides by. Sizes are in tokens.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null, hashmap_as_object)]
pub struct Policy {
    /// Size of the model's context window.
    pub window: u32,
    /// What calls for a compaction: any of these.
    pub triggers: Vec<Trigger>,
    /// Share of the threshold at which to warn, once until the next compaction, 0 to 1; null: never.
    pub warning: Option<f64>,
    /// Share of the window to come down to, 0 to 1.
    pub target: f64,
    /// The tail that stays word for word.
    pub keep: Keep,
    /// The latest user messages of this many tokens stay word for word, wherever they stand.
    pub keep_requests_tokens: u32,
    /// What saves tokens without a model, in the order in which it is done.
    pub reducers: Vec<ReducerRule>,
    /// How the prefix is summarized.
    pub summary: SummarySettings,
    /// Where the summary stands afterwards.
    pub summary_placement: SummaryPlacement,
    /// A result has to save at least this share of the tokens, 0 to 1, unless it makes the conversation
    /// fit the window at all.
    pub min_saving: f64,
    /// How often a summarizer that fails is asked again.
    pub retry: Retry,
    /// Tokens of what goes along with every request and is no message: tool schemas, mostly.
    pub tool_schema_tokens: u32,
    /// What counts tokens.
    pub counting: Counting,
    /// The model's name, where an estimate is to be for its family, and what is learned of how its provider
    /// counts is to be kept apart from that of other models.
    pub model: Option<String>,
    /// What an assistant answers, word for word, to a heartbeat message of the app; null: there are none.
    pub heartbeat_answer: Option<String>,
}

/// Where the summary stands in what the model sees: behind the system prompts, as a user message in front
/// of those that stay or in one with them, or as another system prompt; or in the place of what it stands
/// for.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum SummaryPlacement {
    /// System prompts, the summary as a user message, and the messages that stay.
    SystemSummaryTail,
    /// System prompts and one user message with everything in it; only pinned messages stay besides.
    OneMessage,
    /// System prompts, the summary as another one, and the messages that stay.
    LeadingSystem,
    /// The summary as a user message in the place of what it stands for.
    InPlace,
}

/// How often a summarizer that fails is asked again, and how long between.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// Wait before the second attempt in milliseconds; doubled for each one after it.
    pub base_ms: f64,
    /// Longest wait between attempts in milliseconds.
    pub cap_ms: f64,
}

impl From<epitome::Policy> for Policy {
    fn from(policy: epitome::Policy) -> Self {
        let epitome::Policy {
            window,
            triggers,
            warning,
            target,
            keep,
            keep_requests_tokens,
            reducers,
            summary,
            summary_placement,
            min_saving,
            retry,
            tool_schema_tokens,
            counting,
            model,
            heartbeat_answer,
        } = policy;
        Self {
            window,
            triggers: triggers.into_iter().map(Trigger::from).collect(),
            warning,
            target,
            keep: keep.into(),
            keep_requests_tokens,
            reducers: reducers.into_iter().map(ReducerRule::from).collect(),
            summary: summary.into(),
            summary_placement: summary_placement.into(),
            min_saving,
            retry: retry.into(),
            tool_schema_tokens,
            counting: counting.into(),
            model,
            heartbeat_answer,
        }
    }
}

impl From<policy::SummaryPlacement> for SummaryPlacement {
    fn from(summary_placement: policy::SummaryPlacement) -> Self {
        match summary_placement {
            policy::SummaryPlacement::SystemSummaryTail => Self::SystemSummaryTail,
            policy::SummaryPlacement::OneMessage => Self::OneMessage,
            policy::SummaryPlacement::LeadingSystem => Self::LeadingSystem,
            policy::SummaryPlacement::InPlace => Self::InPlace,
        }
    }
}

impl From<epitome::Retry> for Retry {
    fn from(retry: epitome::Retry) -> Self {
        let epitome::Retry { attempts, base_ms, cap_ms } = retry;
        Self { attempts, base_ms: base_ms as f64, cap_ms: cap_ms as f64 }
    }
}
