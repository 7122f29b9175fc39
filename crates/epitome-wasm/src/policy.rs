//! When to compact and how far, as JavaScript writes it.
//!
//! A policy is read by the engine's own types, which refuse a field they do not know. These here are their
//! declarations; each is made from the engine's, so that a field cannot be missing.

use epitome::policy;
use serde::Serialize;
use tsify::Tsify;

/// A preset's name and whatever is to differ from it. Everything is optional.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct PolicySpec {
    /// `recommended` where absent; see `presets`.
    #[tsify(optional)]
    pub preset: Option<String>,
    /// Size of the model's context window in tokens; 200,000 where absent.
    #[tsify(optional)]
    pub window: Option<u32>,
    /// What calls for a compaction: any of these.
    #[tsify(optional)]
    pub triggers: Option<Vec<Trigger>>,
    /// Where the level turns from ok to warn.
    #[tsify(optional)]
    pub trim: Option<Trigger>,
    /// Share of the window to come down to, 0 to 1.
    #[tsify(optional)]
    pub target: Option<f64>,
    /// The tail that stays word for word.
    #[tsify(optional)]
    pub keep: Option<Keep>,
    /// How the prefix is summarized.
    #[tsify(optional)]
    pub summary: Option<SummarySettings>,
    /// How often a summarizer that fails is asked again.
    #[tsify(optional)]
    pub retry: Option<Retry>,
    /// Tokens of what goes along with every request and is no message: tool schemas, mostly.
    #[tsify(optional)]
    pub tool_schema_tokens: Option<u32>,
}

/// Everything the engine decides by. Sizes are in tokens.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// Size of the model's context window.
    pub window: u32,
    /// What calls for a compaction: any of these.
    pub triggers: Vec<Trigger>,
    /// Where the level turns from ok to warn.
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

/// One condition on the tokens in the window.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Trigger {
    /// At the smaller of a fraction of the window and the window without its reserves.
    Budget(Budget),
    /// At a fraction of the window, unless a number of tokens is given.
    Fill(Fill),
    /// At this many tokens, whatever the window. 0 or less turns it off.
    Tokens(f64),
}

/// The smaller of a fraction of the window and the window without its reserves.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct Budget {
    /// Share of the window, 0 to 1; 0.7 where absent.
    pub fraction: f64,
    /// Tokens kept free for the answer; 32,000 where absent.
    pub output_reserve: u32,
    /// Tokens kept free for what the count may be wrong by; 8,000 where absent.
    pub safety_margin: u32,
}

/// A fraction of the window, unless a number of tokens is given.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct Fill {
    /// Share of the window, 0 to 1; 0.8 where absent.
    pub fraction: f64,
    /// Above 0, this many tokens count instead of the fraction.
    pub max_tokens: u32,
}

/// The tail that a compaction leaves alone, where there is room for it. Calls stay with their results.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Keep {
    /// At least this many messages.
    Messages(u32),
    /// At least this many rounds: an assistant message with its results.
    Rounds(u32),
    /// At most this many tokens.
    Tokens(u32),
    /// At most this share of the window, 0 to 1.
    Fraction(f64),
}

/// How the prefix is summarized.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct SummarySettings {
    /// Longest summary, in tokens.
    pub max_tokens: u32,
    /// Longest ledger of facts that the summary lost, in tokens, out of `maxTokens`; at most a quarter
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

/// Which tool calls and results go into a transcript.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum ToolFilter {
    /// All of them.
    All,
    /// Those of tools named here; an entry that ends in `*` takes every name that begins so.
    Only(Vec<String>),
}

/// How often a summarizer that fails is asked again, and how long between.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct Retry {
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// Wait before the second attempt in milliseconds; doubled for each one after it.
    pub base_ms: f64,
    /// Longest wait between attempts in milliseconds.
    pub cap_ms: f64,
}

impl From<policy::PolicySpec> for PolicySpec {
    fn from(spec: policy::PolicySpec) -> Self {
        let policy::PolicySpec {
            preset,
            window,
            triggers,
            trim,
            target,
            keep,
            summary,
            retry,
            tool_schema_tokens,
        } = spec;
        Self {
            preset,
            window,
            triggers: triggers.map(|triggers| triggers.into_iter().map(Trigger::from).collect()),
            trim: trim.map(Trigger::from),
            target,
            keep: keep.map(Keep::from),
            summary: summary.map(SummarySettings::from),
            retry: retry.map(Retry::from),
            tool_schema_tokens,
        }
    }
}

impl From<epitome::Policy> for Policy {
    fn from(policy: epitome::Policy) -> Self {
        let epitome::Policy {
            window,
            triggers,
            trim,
            target,
            keep,
            summary,
            retry,
            tool_schema_tokens,
        } = policy;
        Self {
            window,
            triggers: triggers.into_iter().map(Trigger::from).collect(),
            trim: trim.into(),
            target,
            keep: keep.into(),
            summary: summary.into(),
            retry: retry.into(),
            tool_schema_tokens,
        }
    }
}

impl From<policy::Trigger> for Trigger {
    fn from(trigger: policy::Trigger) -> Self {
        match trigger {
            policy::Trigger::Budget(policy::Budget { fraction, output_reserve, safety_margin }) => {
                Self::Budget(Budget { fraction, output_reserve, safety_margin })
            }
            policy::Trigger::Fill(policy::Fill { fraction, max_tokens }) => {
                Self::Fill(Fill { fraction, max_tokens })
            }
            policy::Trigger::Tokens(tokens) => Self::Tokens(tokens as f64),
        }
    }
}

impl From<policy::Keep> for Keep {
    fn from(keep: policy::Keep) -> Self {
        match keep {
            policy::Keep::Messages(messages) => Self::Messages(messages),
            policy::Keep::Rounds(rounds) => Self::Rounds(rounds),
            policy::Keep::Tokens(tokens) => Self::Tokens(tokens),
            policy::Keep::Fraction(fraction) => Self::Fraction(fraction),
        }
    }
}

impl From<policy::SummarySettings> for SummarySettings {
    fn from(settings: policy::SummarySettings) -> Self {
        let policy::SummarySettings {
            max_tokens,
            ledger_tokens,
            chunk_characters,
            chunks,
            tools,
            tool_result_max_characters,
        } = settings;
        let tools = match tools {
            policy::ToolFilter::All => ToolFilter::All,
            policy::ToolFilter::Only(names) => ToolFilter::Only(names),
        };
        Self {
            max_tokens,
            ledger_tokens,
            chunk_characters,
            chunks,
            tools,
            tool_result_max_characters,
        }
    }
}

impl From<epitome::Retry> for Retry {
    fn from(retry: epitome::Retry) -> Self {
        let epitome::Retry { attempts, base_ms, cap_ms } = retry;
        Self { attempts, base_ms: base_ms as f64, cap_ms: cap_ms as f64 }
    }
}
