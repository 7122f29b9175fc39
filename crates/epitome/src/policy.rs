//! When to compact, how far, and which messages to keep: plain data, with named presets.

mod check;
mod counting;
mod keep;
mod memory;
mod prepare;
mod preset;
mod reason;
mod reducer;
mod retry;
#[cfg(feature = "schema")]
mod schema;
mod spec;
mod summary;
mod tasks;
mod trigger;
#[cfg(feature = "yaml")]
mod yaml;

pub use check::PolicyError;
pub use counting::{Counting, Encoding, Family};
pub use keep::Keep;
pub use memory::MemorySettings;
pub use prepare::PrepareAt;
pub use preset::PRESETS;
pub use reason::Reason;
pub use reducer::*;
pub use retry::{Failure, FailureKind, Retry};
#[cfg(feature = "schema")]
pub use schema::schema;
pub use spec::{
    ClearToolResultsRule, DEFAULT_WINDOW, FieldOverrides, PolicySpec, TriggerCondition,
};
pub use summary::{
    LastRequest, LockedReasoning, Shape, StaleSummary, Summarizer, SummaryInput, SummaryPlacement,
    SummarySettings, TokenCost, ToolFilter, Unsupported, WindowTooSmall,
};
pub use tasks::TaskSettings;
pub(crate) use trigger::share;
pub use trigger::*;

#[cfg(feature = "yaml")]
pub use yaml::{YamlError, YamlPolicy};

use serde::{Deserialize, Serialize};

/// Bytes of the longest answer to a heartbeat that is recognized.
pub(crate) const MAX_HEARTBEAT_BYTES: usize = 200;

/// Every setting of a compactor. Sizes are in tokens unless the name says otherwise, and shares are numbers from
/// 0 to 1.
///
/// The defaults named below are those of the preset `recommended`; another preset may have others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "tsify",
    derive(tsify::Tsify),
    tsify(missing_as_null, hashmap_as_object, rename = "PolicyFields")
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// Size of the model's context window in tokens, above 0. Default: the model's window if the app gives it, or
    /// 200,000.
    pub window: u32,
    /// The conditions under which a compaction is due. One that holds is enough. Default: 75 % of the window, or a
    /// large prompt in the tool loop (see `reactive`).
    pub triggers: Vec<Trigger>,
    /// Share of the lowest trigger threshold at which a `warning` event is sent, above 0 and at most 1. It is sent
    /// once, and again only after the next compaction. Default: `null`, no warning.
    #[serde(default)]
    pub warning: Option<f64>,
    /// How full the window is when the summary of the next compaction begins to be written in the background, while the
    /// chat goes on. A point below the threshold; the summary is used if what it covers has not changed until a compaction is
    /// due. Default: `null`, none is written in advance.
    #[serde(default)]
    pub prepare_at: Option<PrepareAt>,
    /// Share of the window that a compaction reduces the conversation to, above 0 and below 1. Default: 0.5.
    pub target: f64,
    /// How much of the end of the conversation stays word for word. Default: `{ fraction: 0.4 }`.
    pub keep: Keep,
    /// The latest user messages stay word for word up to this many tokens in total, wherever they stand in the
    /// conversation. 0: only those that `keep` holds. Default: a tenth of the window, at most 20,000.
    #[serde(default)]
    pub keep_requests_tokens: u32,
    /// Ways to save tokens without a model, applied in this order. Default: `deduplicate` from half of the window
    /// on, and `offloadToolResults` and `excerptLastRequest` as part of a compaction.
    #[serde(default)]
    pub reducers: Vec<ReducerRule>,
    /// How older messages are summarized.
    pub summary: SummarySettings,
    /// When entries of the memory are blended into its summary, and whether summaries show it.
    #[serde(default)]
    pub memory: MemorySettings,
    /// What happens when a task of the workflow is complete. Default: each agent starts the next task from a summary of its own.
    #[serde(default)]
    pub tasks: TaskSettings,
    /// Where the summary stands among the messages that are sent. Default: `systemSummaryTail`.
    #[serde(default)]
    pub summary_placement: SummaryPlacement,
    /// Share of the tokens that a compaction has to save to be applied, from 0 to below 1. A smaller saving is
    /// still applied if it makes the conversation fit the window. Default: 0.05.
    #[serde(default)]
    pub min_saving: f64,
    /// How often, and after how long, a failed summarizer request is repeated.
    pub retry: Retry,
    /// Tokens of each request that belong to no message, mostly the tool schemas; below `window`. Default: 0.
    pub tool_schema_tokens: u32,
    /// How tokens are counted. The engine itself does not read this: the app, or the npm package, gives the compactor
    /// a tokenizer for it. Default: `estimate`.
    #[serde(default)]
    pub counting: Counting,
    /// Name of the model, such as `claude-sonnet-4-5`. It selects the estimate if `counting` names no family, and
    /// keeps the calibration of this model apart from that of others. Claude Fable from 5.1 on accepts signed reasoning
    /// only behind an unchanged history; see `lockedReasoning`. Default: `null`.
    #[serde(default)]
    pub model: Option<String>,
    /// What happens to signed reasoning in messages that stay, if the model accepts it only behind an unchanged history.
    /// Without effect for all other models. Default: `remove`.
    #[serde(default)]
    pub locked_reasoning: LockedReasoning,
    /// What happens after a message that a summary covers was changed or removed, and the summary was undone because of it.
    /// Default: `undo`.
    #[serde(default)]
    pub stale_summary: StaleSummary,
    /// The exact answer of the assistant to a heartbeat, such as `HEARTBEAT_OK`; not blank. A heartbeat is a message
    /// that the app sends by itself to check that the assistant responds. Such exchanges count as synthetic: the
    /// reducer `deduplicate` removes them, and they are not taken for the last user request. Default: `null`, no
    /// message is a heartbeat.
    #[serde(default)]
    pub heartbeat_answer: Option<String>,
}

impl Policy {
    /// The lowest threshold of all triggers, in tokens; `None` if no trigger depends on the tokens in the window.
    pub fn threshold(&self) -> Option<u32> {
        self.triggers.iter().filter_map(|trigger| trigger.threshold(self.window)).min()
    }

    /// True if the condition of a trigger is met, whatever the phase.
    pub(crate) fn is_due(&self, load: &Load) -> bool {
        self.triggers.iter().any(|trigger| trigger.is_met(load, self.window))
    }

    /// Why a compaction is due at this phase, by the first trigger that is met; `None` if it is not due. It always
    /// is after a rejected request: the count that triggers compare was evidently too low.
    pub(crate) fn reason_to_compact(&self, phase: Phase, load: &Load) -> Option<Reason> {
        if phase == Phase::Overflow {
            return Some(Reason::ReactiveFull);
        }
        self.triggers.iter().find_map(|trigger| trigger.reason_to_compact(phase, load, self.window))
    }

    /// Tokens that a compaction has to reach: the target share of the window, and less than every threshold, since
    /// the next compaction would be due at once otherwise.
    pub(crate) fn target_tokens(&self) -> u32 {
        let target = share(self.window, self.target);
        self.threshold().map_or(target, |threshold| target.min(threshold.saturating_sub(1)))
    }

    /// Tokens at which the next summary begins to be written in advance; `None` if it is not.
    pub fn prepare_tokens(&self) -> Option<u32> {
        Some(self.prepare_at?.tokens(self.window))
    }

    /// Tokens at which to send a warning; `None` if the policy has no `warning` or no threshold.
    pub(crate) fn warning_tokens(&self) -> Option<u32> {
        Some(share(self.threshold()?, self.warning?))
    }

    /// The settings of the first [`Trigger::Reactive`]; `None` if there is none.
    pub fn reactive(&self) -> Option<&Reactive> {
        self.triggers.iter().find_map(Trigger::reactive)
    }

    /// The family of models to estimate tokens for if `counting` names none: that of the model's name, or
    /// `default` if the name does not say.
    pub fn family(&self, default: Family) -> Family {
        self.model.as_deref().and_then(Family::of_model).unwrap_or(default)
    }

    /// The context window of the summarizer in tokens; `None` if it is not known. If the conversation's own model
    /// summarizes, its window counts unless `summary.windowTokens` is set.
    pub(crate) fn summarizer_window(&self) -> Option<u32> {
        let own = self.summary.prompt.as_ref().map(|_| self.window);
        self.summary.window_tokens.or(own)
    }

    /// The same, and the conversation's window if its own model is asked inside it. A transcript that has to replace the
    /// conversation is divided by it if that is possible.
    pub(crate) fn asked_window(&self) -> Option<u32> {
        let own = self.summary.is_own_model().then_some(self.window);
        self.summary.window_tokens.or(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b6_a_warning_is_due_at_a_share_of_the_threshold_if_set() {
        let mut policy = Policy::loop_middleware(400_000);
        assert_eq!(policy.warning_tokens(), None);
        policy.warning = Some(0.5);
        assert_eq!(policy.warning_tokens(), Some(100_000));
    }

    #[test]
    fn b15_after_a_rejected_request_a_compaction_is_due_with_every_preset() {
        for name in PRESETS {
            let policy = Policy::preset(name, 200_000).unwrap();
            let reason = policy.reason_to_compact(Phase::Overflow, &Load::default());
            assert_eq!(reason, Some(Reason::ReactiveFull), "{name}");
        }
    }

    #[test]
    fn a_policy_survives_writing_and_reading() {
        for name in PRESETS {
            let policy = Policy::preset(name, 200_000).unwrap();
            let text = serde_json::to_string(&policy).unwrap();
            assert_eq!(serde_json::from_str::<Policy>(&text).unwrap(), policy, "{text}");
        }
    }
}
