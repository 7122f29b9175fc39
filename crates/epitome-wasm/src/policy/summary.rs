//! How the prefix is summarized, and by whom.

use std::collections::BTreeMap;

use epitome::policy;
use serde::Serialize;
use tsify::Tsify;

/// How the prefix is summarized.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null, hashmap_as_object)]
pub struct SummarySettings {
    /// Name of one of `prompts`: the model of the conversation itself is then asked to summarize, in these
    /// words. Goes before `agent`.
    pub prompt: Option<String>,
    /// Name of the agent that is asked to summarize. Goes before `defaultAgent`.
    pub agent: Option<String>,
    /// Name of the agent that is asked where nothing else is said. With null here and above, nothing is
    /// summarized, and only reducers work.
    pub default_agent: Option<String>,
    /// Prompts of the app's own, by name.
    pub prompts: BTreeMap<String, String>,
    /// The sections of a summary, where no `prompt` says otherwise.
    pub shape: Shape,
    /// Where an answer has none of the headings that `shape` asks for, ask once more with a reminder. Of
    /// use with models; the extractive summarizer only quotes.
    pub check_headings: bool,
    /// Longest summary, in tokens.
    pub max_tokens: u32,
    /// Longest ledger of facts that the summary lost, in tokens, out of `maxTokens`; at most a quarter
    /// of what a summary may take.
    pub ledger_tokens: u32,
    /// A summary above this many tokens is itself summarized; 0: never.
    pub rollup_tokens: u32,
    /// Longest transcript to put before the summarizer at once, in characters; a longer one is folded
    /// chunk by chunk, each on the summary so far.
    pub chunk_characters: u32,
    /// Number of chunks to fold a transcript in, where above 1.
    pub chunks: u32,
    /// The summarizer's own window, in tokens. Null: that of the conversation where `prompt` has its model
    /// summarize, and unknown otherwise.
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

/// The sections that a summary is to have: key facts, course of the conversation and open points; or seven,
/// from the goals to the very next step.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Shape {
    /// Key facts, course of the conversation, open points.
    ThreeSections,
    /// From the goals to the very next step.
    SevenSections,
}

/// What becomes of the last user request: it stays as the message it is, or is appended to the summary word
/// for word.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum LastRequest {
    /// It stays as the message it is.
    Keep,
    /// It is appended to the summary, word for word.
    Append,
}

/// Which tool calls and results go into a transcript: all, or those of tools named here; an entry that ends
/// in `*` takes every name that begins so.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum ToolFilter {
    /// All of them.
    All,
    /// Those of tools named here.
    Only(Vec<String>),
}

impl From<policy::SummarySettings> for SummarySettings {
    fn from(settings: policy::SummarySettings) -> Self {
        let policy::SummarySettings {
            prompt,
            agent,
            default_agent,
            prompts,
            shape,
            check_headings,
            max_tokens,
            ledger_tokens,
            rollup_tokens,
            chunk_characters,
            chunks,
            window_tokens,
            tools,
            tool_result_max_characters,
            fallback_levels,
            last_request,
        } = settings;
        Self {
            prompt,
            agent,
            default_agent,
            prompts,
            shape: shape.into(),
            check_headings,
            max_tokens,
            ledger_tokens,
            rollup_tokens,
            chunk_characters,
            chunks,
            window_tokens,
            tools: tools.into(),
            tool_result_max_characters,
            fallback_levels,
            last_request: last_request.into(),
        }
    }
}

impl From<policy::Shape> for Shape {
    fn from(shape: policy::Shape) -> Self {
        match shape {
            policy::Shape::ThreeSections => Self::ThreeSections,
            policy::Shape::SevenSections => Self::SevenSections,
        }
    }
}

impl From<policy::LastRequest> for LastRequest {
    fn from(last_request: policy::LastRequest) -> Self {
        match last_request {
            policy::LastRequest::Keep => Self::Keep,
            policy::LastRequest::Append => Self::Append,
        }
    }
}

impl From<policy::ToolFilter> for ToolFilter {
    fn from(tools: policy::ToolFilter) -> Self {
        match tools {
            policy::ToolFilter::All => Self::All,
            policy::ToolFilter::Only(names) => Self::Only(names),
        }
    }
}
