//! How the prefix is summarized, by whom, and where the summary stands afterwards, as settings.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// How the prefix is summarized.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(missing_as_null, hashmap_as_object))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SummarySettings {
    /// Name of one of `prompts`, or of a built-in one: `three-sections`, `seven-sections`. The model of the
    /// conversation itself is then asked to summarize, in these words. Goes before `agent`.
    pub prompt: Option<String>,
    /// Name of the agent that is asked to summarize. Goes before `default_agent`.
    pub agent: Option<String>,
    /// Name of the agent that is asked where nothing else is said. With `None` here and above, nothing
    /// is summarized, and only reducers work.
    pub default_agent: Option<String>,
    /// Prompts of the host's own, by name.
    pub prompts: BTreeMap<String, String>,
    /// The sections of a summary, where no `prompt` says otherwise.
    pub shape: Shape,
    /// Where an answer has none of the headings that `shape` asks for, ask once more with a reminder. Of
    /// use with models; the extractive summarizer only quotes.
    pub check_headings: bool,
    /// Longest summary, in tokens.
    pub max_tokens: u32,
    /// Longest ledger of facts that the summary lost, in tokens, out of `max_tokens`; at most a quarter
    /// of what a summary may take.
    pub ledger_tokens: u32,
    /// A summary above this many tokens is itself summarized; 0: never.
    pub rollup_tokens: u32,
    /// Longest transcript to put before the summarizer at once, in characters; a longer one is folded
    /// chunk by chunk, each on the summary so far.
    pub chunk_characters: u32,
    /// Number of chunks to fold a transcript in, where above 1.
    pub chunks: u32,
    /// The summarizer's own window, in tokens. `None`: that of the conversation where `prompt` has its
    /// model summarize, and unknown otherwise.
    pub window_tokens: Option<u32>,
    /// Which tools the summarizer reads about.
    pub tools: ToolFilter,
    /// Longest tool call or result in the transcript, in characters.
    pub tool_result_max_characters: u32,
    /// Where the result is too large, shorter limits for tool results to try one after the other, in
    /// characters; and after them, shorter tails. Empty: the first result counts.
    pub fallback_levels: Vec<u32>,
    /// What becomes of the last user request.
    pub last_request: LastRequest,
}

impl Default for SummarySettings {
    fn default() -> Self {
        Self {
            prompt: None,
            agent: None,
            default_agent: Some("summarizer".into()),
            prompts: BTreeMap::new(),
            shape: Shape::default(),
            check_headings: false,
            max_tokens: 8_000,
            ledger_tokens: 1_000,
            rollup_tokens: 0,
            chunk_characters: 120_000,
            chunks: 1,
            window_tokens: None,
            tools: ToolFilter::All,
            tool_result_max_characters: 2_000,
            fallback_levels: Vec::new(),
            last_request: LastRequest::default(),
        }
    }
}

impl SummarySettings {
    /// True for an answer that has none of the headings it was asked for, where that is to be checked.
    pub(crate) fn misses_headings(&self, answer: &str) -> bool {
        let asked = self.check_headings && self.prompt.is_none();
        asked && !self.shape.headings().any(|heading| answer.contains(heading))
    }

    /// Who summarizes; `None` where nobody does.
    pub fn summarizer(&self) -> Option<Summarizer> {
        if let Some(prompt) = &self.prompt {
            return Some(Summarizer::Own { prompt: prompt.clone() });
        }
        let agent = self.agent.as_ref().or(self.default_agent.as_ref())?;
        Some(Summarizer::Agent { name: agent.clone() })
    }
}

/// A summarizer's window that a question does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowTooSmall {
    /// The window, in tokens.
    pub window_tokens: u32,
    /// What the question and its answer need of it.
    pub needed_tokens: u32,
}

impl fmt::Display for WindowTooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { window_tokens, needed_tokens } = self;
        write!(
            f,
            "the summarizer's window of {window_tokens} tokens is too small: question and answer need \
             {needed_tokens}; name a summarizer with a larger window (policy.summary.windowTokens) or ask \
             for shorter summaries (policy.summary.maxTokens)"
        )
    }
}

impl std::error::Error for WindowTooSmall {}

/// Who is asked for a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Summarizer {
    /// The model of the conversation itself, with a named prompt.
    Own {
        /// The prompt's name.
        prompt: String,
    },
    /// An agent of the host's.
    Agent {
        /// Its name.
        name: String,
    },
}

/// The sections that a summary is to have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum Shape {
    /// Key facts, course of the conversation, open points.
    #[default]
    ThreeSections,
    /// From the goals to the very next step.
    SevenSections,
}

impl Shape {
    /// The shape that a built-in prompt of this name asks for.
    pub fn named(prompt: &str) -> Option<Self> {
        match prompt {
            "three-sections" => Some(Self::ThreeSections),
            "seven-sections" => Some(Self::SevenSections),
            _ => None,
        }
    }
}

/// What becomes of the last user request in a compaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum LastRequest {
    /// It stays as the message it is.
    #[default]
    Keep,
    /// It is appended to the summary, word for word.
    Append,
}

/// Where the summary stands in what the model sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum SummaryPlacement {
    /// System prompts, the summary as a user message, and the messages that stay.
    #[default]
    SystemSummaryTail,
    /// System prompts and one user message with everything in it; only pinned messages stay besides.
    OneMessage,
    /// System prompts, the summary as another one, and the messages that stay.
    LeadingSystem,
    /// The summary as a user message in the place of what it stands for.
    InPlace,
}

/// Which tool calls and results go into a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d2_tools_are_allowed_by_exact_name_or_by_prefix() {
        let only = ToolFilter::Only(vec!["userQuestions".into(), "linear*".into()]);
        assert!(only.allows("userQuestions") && only.allows("linearCreateIssue"));
        assert!(!only.allows("userQuestions2") && !only.allows("line"));
        assert!(ToolFilter::All.allows("anything"));
    }

    #[test]
    fn d11_who_summarizes_is_the_own_prompt_then_the_agent_then_the_default_then_nobody() {
        let named = |name: &str| Some(Summarizer::Agent { name: name.into() });
        let default = SummarySettings::default();
        assert_eq!(default.summarizer(), named("summarizer"));
        let agent = SummarySettings { agent: Some("fast".into()), ..default.clone() };
        assert_eq!(agent.summarizer(), named("fast"));
        let own = SummarySettings { prompt: Some("mine".into()), ..agent };
        assert_eq!(own.summarizer(), Some(Summarizer::Own { prompt: "mine".into() }));
        let nobody = SummarySettings { default_agent: None, ..default };
        assert_eq!(nobody.summarizer(), None);
    }
}
