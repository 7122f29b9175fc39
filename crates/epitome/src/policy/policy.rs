//! When to compact and how far: plain data.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::trigger::share;
use super::{Fill, Keep, Trigger};
use crate::Retry;

/// Everything the engine decides by. Sizes are in tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// Size of the model's context window.
    pub window: u32,
    /// What calls for a compaction: any of these.
    pub triggers: Vec<Trigger>,
    /// Where the level turns from ok to warn: time for whatever needs no model.
    pub trim: Trigger,
    /// Share of the window to come down to, 0 to 1.
    pub target: f64,
    /// The tail that stays word for word.
    pub keep: Keep,
    /// How the prefix is summarized.
    pub summary: SummarySettings,
    /// How often a summarizer that fails is asked again.
    pub retry: Retry,
    /// Tokens of what goes along with every request and is no message: tool schemas, mostly.
    pub tool_schema_tokens: u32,
}

/// How the prefix is summarized.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SummarySettings {
    /// Longest summary, in tokens.
    pub max_tokens: u32,
    /// Longest ledger of facts that the summary lost, in tokens, out of `max_tokens`; at most a quarter
    /// of what a summary may take.
    pub ledger_tokens: u32,
    /// Longest transcript to put before the summarizer at once, in characters; a longer one is folded
    /// chunk by chunk, each on the summary so far.
    pub chunk_characters: u32,
    /// Number of chunks to fold a transcript in, where above 1.
    pub chunks: u32,
    /// Which tools the summarizer reads about.
    pub tools: ToolFilter,
    /// Longest tool call or result in the transcript, in characters.
    pub tool_result_max_characters: u32,
}

impl Default for SummarySettings {
    fn default() -> Self {
        Self {
            max_tokens: 8_000,
            ledger_tokens: 1_000,
            chunk_characters: 120_000,
            chunks: 1,
            tools: ToolFilter::All,
            tool_result_max_characters: 2_000,
        }
    }
}

/// Which tool calls and results go into a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolFilter {
    /// All of them.
    All,
    /// Those of tools named here; an entry that ends in `*` takes every name that begins so.
    Only(Vec<String>),
}

impl ToolFilter {
    /// True where calls and results of this tool are read.
    pub fn allows(&self, tool: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.iter().any(|name| match name.strip_suffix('*') {
                Some(prefix) => tool.starts_with(prefix),
                None => tool == name,
            }),
        }
    }
}

/// A policy that cannot work: the field, its value, and what would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    /// The field, as written in JSON.
    pub field: &'static str,
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
    /// What the field has learned: act at three quarters of the window, come down to half, keep a fifth.
    pub fn recommended(window: u32) -> Self {
        Self {
            window,
            triggers: vec![Trigger::Fill(Fill { fraction: 0.75, max_tokens: 0 })],
            trim: Trigger::Fill(Fill { fraction: 0.5, max_tokens: 0 }),
            target: 0.5,
            keep: Keep::Fraction(0.2),
            summary: SummarySettings::default(),
            retry: Retry::default(),
            tool_schema_tokens: 0,
        }
    }

    /// The lowest of the thresholds; `None` where nothing ever calls for a compaction.
    pub fn threshold(&self) -> Option<u32> {
        self.triggers.iter().filter_map(|trigger| trigger.threshold(self.window)).min()
    }

    /// True where `tokens` in the window call for a compaction.
    pub fn fires(&self, tokens: u32) -> bool {
        self.triggers.iter().any(|trigger| trigger.fires(tokens, self.window))
    }

    /// Tokens to come down to: the target, and below every threshold.
    pub fn target_tokens(&self) -> u32 {
        let target = share(self.window, self.target);
        self.threshold().map_or(target, |threshold| target.min(threshold.saturating_sub(1)))
    }

    /// Refuses a policy that cannot work.
    pub fn check(&self) -> Result<(), PolicyError> {
        let refuse = |field, problem| Err(PolicyError { field, problem });
        let window = self.window;
        if window == 0 {
            return refuse("window", "is 0; give the model's context size in tokens".into());
        }
        if !(self.target > 0.0 && self.target < 1.0) {
            let problem = format!("is {}; give a share of the window between 0 and 1", self.target);
            return refuse("target", problem);
        }
        if let Keep::Fraction(fraction) = self.keep
            && !(0.0..1.0).contains(&fraction)
        {
            let problem = format!("keeps {fraction} of the window; give a share from 0 to below 1");
            return refuse("keep", problem);
        }
        for trigger in &self.triggers {
            let threshold = trigger.threshold(window);
            if threshold == Some(0) {
                let problem = format!(
                    "leave nothing of a window of {window} tokens; lower the reserves or the window's use"
                );
                return refuse("triggers", problem);
            }
            if threshold.is_some_and(|threshold| threshold > window) {
                let problem = format!(
                    "fire at {} tokens, above the window of {window}; give at most {window}",
                    threshold.unwrap_or_default()
                );
                return refuse("triggers", problem);
            }
        }
        if self.tool_schema_tokens >= window {
            let problem = format!("is {}, the whole window of {window}", self.tool_schema_tokens);
            return refuse("toolSchemaTokens", problem);
        }
        if self.summary.max_tokens == 0 {
            return refuse("summary.maxTokens", "is 0; a summary needs room".into());
        }
        if self.summary.chunk_characters < 1_000 {
            let problem = format!("is {}; give at least 1000", self.summary.chunk_characters);
            return refuse("summary.chunkCharacters", problem);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Budget;

    fn refused(policy: &Policy) -> String {
        policy.check().unwrap_err().to_string()
    }

    #[test]
    fn the_recommended_policy_works_for_every_window() {
        for window in [2, 100, 4_096, 128_000, 2_000_000, u32::MAX] {
            let policy = Policy::recommended(window);
            assert_eq!(policy.check(), Ok(()), "{window}");
            assert!(policy.target_tokens() < policy.threshold().unwrap(), "{window}");
        }
    }

    #[test]
    fn a_policy_that_cannot_work_is_refused_by_field_and_value() {
        let base = Policy::recommended(10_000);
        let zero = refused(&Policy { window: 0, ..base.clone() });
        assert!(zero.starts_with("policy.window: is 0"), "{zero}");
        let high = refused(&Policy { triggers: vec![Trigger::Tokens(20_000)], ..base.clone() });
        assert!(high.contains("20000") && high.contains("10000"), "{high}");
        let reserve = vec![Trigger::Budget(Budget::default())];
        let reserve = refused(&Policy { triggers: reserve, ..base.clone() });
        assert!(reserve.starts_with("policy.triggers: leave nothing"), "{reserve}");
        let keep = refused(&Policy { keep: Keep::Fraction(-0.5), ..base });
        assert!(keep.contains("-0.5"), "{keep}");
    }

    #[test]
    fn d2_tools_are_allowed_by_exact_name_or_by_prefix() {
        let only = ToolFilter::Only(vec!["userQuestions".into(), "linear*".into()]);
        assert!(only.allows("userQuestions") && only.allows("linearCreateIssue"));
        assert!(!only.allows("userQuestions2") && !only.allows("line"));
        assert!(ToolFilter::All.allows("anything"));
    }
}
