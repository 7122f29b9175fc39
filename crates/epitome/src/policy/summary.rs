//! Settings of the summary: who writes it, from what, how long it may be, and where it stands.

use epitome_columns::SortedMap;
use serde::{Deserialize, Serialize};
use strum::EnumCount;

/// How older messages are summarized.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify), tsify(missing_as_null, hashmap_as_object))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SummarySettings {
    /// Name of a prompt in `prompts`, or of a built-in one: `three-sections`, `seven-sections` or `conclusions`. If
    /// set, the conversation's own model summarizes with this prompt, whatever `agent` is. Default: `null`.
    pub prompt: Option<String>,
    /// Name of the agent that summarizes, in place of `defaultAgent`. Default: `null`.
    pub agent: Option<String>,
    /// Name of the agent that summarizes if neither `prompt` nor `agent` is set. If all three are `null`, nothing is
    /// summarized, and only reducers are applied. Default: `summarizer`.
    pub default_agent: Option<String>,
    /// The app's own prompts, by name. Default: none.
    #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, String>"))]
    #[cfg_attr(feature = "tsify", tsify(type = "Record<string, string>"))]
    pub prompts: SortedMap<String, String>,
    /// The sections of a summary, unless `prompt` is set. Default: `threeSections`.
    pub shape: Shape,
    /// Whether a summary must have one of the headings of `shape`: without any, the request is repeated once with a reminder.
    /// `null`: only if the summarizer was given the instructions, as the package's endpoints are; what it answers without
    /// headings is no summary, and `fallbackSummarizers` are asked. `true`: of every summarizer, and the second answer is
    /// accepted. Default: `null`.
    pub check_headings: Option<bool>,
    /// Who is asked, one after the other, if a summarizer fails for good or writes no summary: names of agents of the app,
    /// and `extractive`, which needs no model. Before that, a summarizer that wrote no summary is asked once more, and then for
    /// smaller chunks. Empty: the compaction fails. Default: empty.
    #[serde(default)]
    pub fallback_summarizers: Vec<String>,
    /// What happens to names, dates, amounts and quotes in a summary that no message has. Default: `report`.
    #[serde(default)]
    pub unsupported: Unsupported,
    /// The longest summary in tokens, above 0. `null`: as long as `target` leaves room for. Default: 8 % of the window,
    /// but 8,000 at least and 20,000 at most.
    pub max_tokens: Option<u32>,
    /// The longest ledger in tokens: facts other than lists that the summary lost, appended to it. It is part of
    /// `maxTokens`, and at most an eighth of what the summary may take, or a quarter
    /// of a short one. 0: no ledger. Default: 1,000.
    pub ledger_tokens: u32,
    /// Checklists and acceptance criteria that the summary lost are appended to it whole up to this many tokens in
    /// total, in addition to `maxTokens` and `ledgerTokens`; below the target the conversation has to have space for
    /// them. Of what is beyond that, a note says how many items are left out. 0: no lists, and no note. Default: 4,000.
    pub checklist_tokens: u32,
    /// Whether the summarizer is asked for changes to the structured state as well: what was decided, what is to be done, what
    /// is open. The state stands behind the summary, and the next summarizer is given it. Default: false.
    pub structured_state: bool,
    /// A summary of more tokens than this is itself summarized. 0: never. Default: 0.
    pub rollup_tokens: u32,
    /// What the summarizer gets. `tools`, `chunks` and every limit in characters are those of a transcript. Default:
    /// `transcript`.
    pub input: SummaryInput,
    /// What the summarizer's tokens cost, for the report of a compaction. Default: `null`, unknown.
    pub cost: Option<TokenCost>,
    /// The longest transcript in one summarizer request, in characters, at least 1,000. A longer one is split into
    /// chunks, and each request gets one chunk and the summary of those before. `null`: of any length, as far as
    /// the summarizer's window is not known to be smaller. The package's summarizer without a model reads in slices and gets up to
    /// 1,000,000 characters at once. Default: 120,000.
    pub chunk_characters: Option<u32>,
    /// The least number of chunks to split a transcript into, as far as it has that many messages. 0 counts as 1.
    /// Default: 1.
    pub chunks: u32,
    /// The summarizer's context window in tokens. Default: `null`, the policy's `window` if `prompt` is set or the
    /// conversation is sent, and otherwise unknown.
    pub window_tokens: Option<u32>,
    /// The tools whose calls and results the summarizer reads. Default: `all`.
    pub tools: ToolFilter,
    /// The longest tool result in the transcript, in characters; the rest is cut. `null`: results are whole. Default:
    /// 2,000.
    pub tool_result_max_characters: Option<u32>,
    /// The longest arguments of a tool call in the transcript, in characters; the rest is cut. `null`: arguments are
    /// whole. `fallbackLevels` do not change it. Default: 2,000.
    pub tool_input_max_characters: Option<u32>,
    /// Values for `toolResultMaxCharacters` to try one after the other if the result of the compaction is still too
    /// large; after them, shorter tails are tried. Empty: the first result is used. Default: empty.
    pub fallback_levels: Vec<u32>,
    /// What happens to the last user request. Default: `keep`.
    pub last_request: LastRequest,
    /// One line that stands in front of the summary in the message that is sent to the model, such as `What happened
    /// so far:`. The summarizer never reads it. Default: `null`, no label.
    pub label: Option<String>,
    /// Text that ends the message with the summary, such as a request to go on without clarifying questions. It stands
    /// behind the open tasks and the last request. Default: `null`, none.
    pub closing: Option<String>,
}

impl Default for SummarySettings {
    fn default() -> Self {
        Self {
            prompt: None,
            agent: None,
            default_agent: Some("summarizer".into()),
            prompts: SortedMap::new(),
            shape: Shape::default(),
            check_headings: None,
            fallback_summarizers: Vec::new(),
            unsupported: Unsupported::default(),
            max_tokens: Some(8_000),
            ledger_tokens: 1_000,
            checklist_tokens: 4_000,
            structured_state: false,
            rollup_tokens: 0,
            input: SummaryInput::default(),
            cost: None,
            chunk_characters: Some(120_000),
            chunks: 1,
            window_tokens: None,
            tools: ToolFilter::All,
            tool_result_max_characters: Some(2_000),
            tool_input_max_characters: Some(2_000),
            fallback_levels: Vec::new(),
            last_request: LastRequest::default(),
            label: None,
            closing: None,
        }
    }
}

impl SummarySettings {
    /// The longest chunk of a summarizer that reads in slices, in characters: with it, none of the steps that read a whole chunk
    /// blocks a page for long.
    pub(crate) const SLICED_CHUNK: u32 = 1_000_000;

    /// True if headings are to be checked and this answer has none of them. `is_instructed` says that the summarizer was
    /// given the instructions that ask for them.
    pub(crate) fn misses_headings(&self, answer: &str, is_instructed: bool) -> bool {
        let is_checked = self.check_headings.unwrap_or(is_instructed) && self.prompt.is_none();
        is_checked && !self.shape.headings().any(|heading| answer.contains(heading))
    }

    /// True if the conversation's own model summarizes.
    pub(crate) fn is_own_model(&self) -> bool {
        self.prompt.is_some() || self.input == SummaryInput::Conversation
    }

    /// The summarizer that the settings select; `None` if nothing is summarized.
    pub fn summarizer(&self) -> Option<Summarizer> {
        if let Some(prompt) = &self.prompt {
            return Some(Summarizer::Own { prompt: prompt.clone() });
        }
        let agent = self.agent.as_ref().or(self.default_agent.as_ref())?;
        Some(Summarizer::Agent { name: agent.clone() })
    }
}

/// What the summarizer gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum SummaryInput {
    /// The older messages as one text, in chunks if it is long.
    #[default]
    Transcript,
    /// The older messages themselves, in the app's format, and one user message that asks for the summary.
    Messages,
    /// The whole conversation as it was last sent to the model, and one user message that asks for the summary. For the
    /// conversation's own model, whose provider then reads all but that message from its prompt cache.
    Conversation,
}

/// What the tokens of a model cost, each in any currency for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TokenCost {
    /// Of the prompt, 0 or more.
    pub input: f64,
    /// Of the part of the prompt that the provider reads from its cache, 0 or more.
    pub cached_input: f64,
    /// Of the answer, 0 or more.
    pub output: f64,
}

/// A summarizer's window is too small for a request and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the summarizer's window of {window_tokens} tokens is too small: question and answer need \
     {needed_tokens}; name a summarizer with a larger window (policy.summary.windowTokens) or ask for \
     shorter summaries (policy.summary.maxTokens)"
)]
pub struct WindowTooSmall {
    /// The window, in tokens.
    pub window_tokens: u32,
    /// Tokens that the request and its answer need.
    pub needed_tokens: u32,
}

/// Who writes a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Summarizer {
    /// The conversation's own model, with a named prompt.
    Own {
        /// The prompt's name.
        prompt: String,
    },
    /// One of the app's agents.
    Agent {
        /// Its name.
        name: String,
    },
    /// The summarizer without a model, which quotes the messages.
    Extractive,
}

impl Summarizer {
    /// The name of the summarizer without a model in `fallbackSummarizers`.
    pub const EXTRACTIVE: &str = "extractive";

    /// The summarizer of this name.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            Self::EXTRACTIVE => Self::Extractive,
            _ => Self::Agent { name: name.to_owned() },
        }
    }
}

/// What happens to names, dates, amounts and quotes in a summary that no message has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum Unsupported {
    /// Only the receipt lists them.
    #[default]
    Report,
    /// Behind each, the summary says that no message has it.
    Annotate,
    /// The sentences with them are taken out of the summary.
    Remove,
    /// The summarizer is asked once to write the summary without them. Those that are still there are marked.
    AskAgain,
}

/// The sections of a summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumCount, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum Shape {
    /// Key facts, course of the conversation, open points.
    #[default]
    ThreeSections,
    /// Goals, course, technical ground, files and changes, work in hand, open points, next step.
    SevenSections,
    /// Conclusions, results that matter, open points. The course of the conversation is left out.
    Conclusions,
}

impl Shape {
    /// The built-in prompts by name, each with the shape that it asks for.
    pub const PROMPTS: [(&str, Self); Self::COUNT] = [
        (Self::ThreeSections.prompt(), Self::ThreeSections),
        (Self::SevenSections.prompt(), Self::SevenSections),
        (Self::Conclusions.prompt(), Self::Conclusions),
    ];

    /// The name of the built-in prompt that asks for this shape.
    pub(crate) const fn prompt(self) -> &'static str {
        match self {
            Self::ThreeSections => "three-sections",
            Self::SevenSections => "seven-sections",
            Self::Conclusions => "conclusions",
        }
    }

    /// The shape that the built-in prompt of this name asks for; `None` if there is no such prompt.
    pub fn named(prompt: &str) -> Option<Self> {
        Self::PROMPTS.into_iter().find_map(|(name, shape)| (name == prompt).then_some(shape))
    }
}

/// What happens to the last user request in a compaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum LastRequest {
    /// It stays in the conversation as its own message.
    #[default]
    Keep,
    /// It is appended to the summary, word for word.
    Append,
}

/// Where the summary stands among the messages that are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum SummaryPlacement {
    /// System messages, the summary as a user message, then the messages that stay.
    #[default]
    SystemSummaryTail,
    /// System messages, then one user message with the summary; no other message stays except pinned ones.
    OneMessage,
    /// System messages, the summary as one more system message, then the messages that stay.
    LeadingSystem,
    /// The summary as a user message in the place of the messages that it stands for.
    InPlace,
}

/// What happens after a message that a summary covers was edited or removed, or another one was put before it. The summary
/// is undone in any case, since it would go on to say what the message said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum StaleSummary {
    /// Nothing else: the next summary is made when a trigger is met.
    #[default]
    Undo,
    /// A compaction is due at the next check, however full the window is.
    Renew,
}

/// What happens to signed reasoning that a model accepts only behind an unchanged history, as Claude Fable does from 5.1 on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum LockedReasoning {
    /// A compaction removes it from all messages behind the change that stay.
    #[default]
    Remove,
    /// It stays. The app has to send the provider's switch that drops it, with every later request: for Anthropic,
    /// `prefix_mismatch_behavior: "drop_block"`.
    Keep,
    /// A compaction changes nothing before a message with it that stays: no reducer runs, and the summary covers every
    /// message with it. While such a message waits for a tool result, there is no compaction.
    AppendOnly,
}

/// The tools whose calls and results the summarizer reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum ToolFilter {
    /// All tools.
    All,
    /// Only these tools, by name. An entry that ends in `*` stands for every name that begins with the part before
    /// it. An empty list: no tools.
    Only(Vec<String>),
}

impl ToolFilter {
    /// True if the summarizer reads the calls and results of this tool.
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
        let only = ToolFilter::Only(vec!["search".into(), "ticket*".into()]);
        assert!(only.allows("search") && only.allows("ticketCreate"));
        assert!(!only.allows("search2") && !only.allows("tick"));
        assert!(ToolFilter::All.allows("anything"));
    }

    #[test]
    fn d11_the_summarizer_is_the_prompt_then_the_agent_then_the_default_agent() {
        let named = |name: &str| Some(Summarizer::Agent { name: name.into() });
        let default = SummarySettings::default();
        assert_eq!(default.summarizer(), named("summarizer"));
        let agent = SummarySettings { agent: Some("fast".into()), ..default.clone() };
        assert_eq!(agent.summarizer(), named("fast"));
        let own = SummarySettings { prompt: Some("mine".into()), ..agent };
        assert_eq!(own.summarizer(), Some(Summarizer::Own { prompt: "mine".into() }));
        let none = SummarySettings { default_agent: None, ..default };
        assert_eq!(none.summarizer(), None);
    }
}
