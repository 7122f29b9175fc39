//! How full the window is, and what fills it.

use serde::Serialize;

use super::Conversation;
use crate::tokens::MeterTokens;

/// What a fill level calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing to do.
    Ok,
    /// The policy's warning threshold is reached, or the condition of a reducer holds: what needs no model
    /// can be done.
    Warn,
    /// A trigger fires: a compaction is due.
    Compact,
}

impl Level {
    /// The level's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Compact => "compact",
        }
    }
}

/// What fills the window, in the provider's tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Breakdown {
    /// System messages.
    pub system: u32,
    /// Tool schemas, and whatever else the provider counts in addition to the messages.
    pub tools: u32,
    /// What the latest request had in addition to the conversation, such as the messages of context providers.
    pub context: u32,
    /// The summary of earlier messages.
    pub summary: u32,
    /// User messages.
    pub user: u32,
    /// Assistant messages with their tool calls.
    pub assistant: u32,
    /// Tool results.
    pub results: u32,
}

/// How full the window is. All token counts are in the provider's tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Pressure {
    /// Tokens in the window.
    pub tokens: u32,
    /// Size of the window in tokens.
    pub window: u32,
    /// `tokens` ÷ `window`; above 1 if the conversation does not fit.
    pub fill: f64,
    /// `fill` in percent, for a usage indicator.
    pub budget_used_pct: f64,
    /// What this fill calls for.
    pub level: Level,
    /// Tokens at which a compaction is due; `None` if no trigger depends on tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
    /// Tokens that a compaction aims for.
    pub target: u32,
    /// True if `tokens` was counted by the provider, or with the model's own encoding, and not estimated.
    /// With an encoding, message overhead, images and files are still the provider's published figures. False as long as
    /// there is reasoning that only the provider can read, since OpenAI's counts leave its tokens out.
    pub exact: bool,
    /// Half-width of the relative error of `tokens`: 0.1 means ±10 %. It narrows as the counts that the
    /// provider reports agree with the estimate, and as the text gets longer, in which errors cancel out. It includes the
    /// tokens of reasoning that only the provider can read.
    pub error_band: f64,
    /// Tokens that no compaction can remove: system prompt, tool schemas, pinned messages and the last
    /// user request.
    pub floor: u32,
    /// What fills the window, by the engine's own count, scaled by what the provider has reported so far.
    pub breakdown: Breakdown,
}

/// Tokens that no compaction can remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtectedTokens {
    /// System messages.
    pub system: MeterTokens,
    /// Pinned messages.
    pub pinned: MeterTokens,
    /// The last user request.
    pub request: MeterTokens,
}

impl ProtectedTokens {
    /// All of them.
    pub fn sum(&self) -> MeterTokens {
        self.system + self.pinned + self.request
    }
}

impl Conversation {
    /// Tokens that no compaction can remove, tool schemas aside. Costs O(1).
    pub fn protected(&self) -> ProtectedTokens {
        let request = self.last_request().filter(|at| {
            // A pinned request is counted once, among the pinned messages.
            self.log.message(*at).is_some_and(|message| !message.pinned)
        });
        ProtectedTokens {
            system: self.meter.span(0..self.log.len()).system,
            pinned: self.pinned_tokens,
            request: request.map_or(MeterTokens::ZERO, |at| self.meter.tokens(at)),
        }
    }
}
