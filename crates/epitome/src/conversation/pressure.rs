//! How full the window is, and what fills it.

use serde::Serialize;

use crate::calibration::Scale;

/// What to do about the fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing.
    Ok,
    /// The warning's mark is reached, or a reducer's own threshold: whatever needs no model may be done.
    Warn,
    /// A trigger fires: compact.
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

/// What fills the window, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Breakdown {
    /// System messages.
    pub system: u32,
    /// What goes along with every request: tool schemas, and what else the provider counts beside the
    /// messages.
    pub tools: u32,
    /// The summary of earlier messages.
    pub summary: u32,
    /// User messages.
    pub user: u32,
    /// Assistant messages and their tool calls.
    pub assistant: u32,
    /// Tool results.
    pub results: u32,
}

impl Breakdown {
    /// The same in the provider's tokens, with what goes along with every request.
    #[must_use]
    pub(crate) fn on(self, scale: &Scale) -> Self {
        Self {
            system: scale.told(self.system),
            tools: scale.beside(),
            summary: scale.told(self.summary),
            user: scale.told(self.user),
            assistant: scale.told(self.assistant),
            results: scale.told(self.results),
        }
    }
}

/// How full the window is at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pressure {
    /// Tokens in the window.
    pub tokens: u32,
    /// Size of the window.
    pub window: u32,
    /// `tokens` as a share of `window`; above 1 where it does not fit.
    pub fill: f64,
    /// The same in percent, for an indicator.
    pub budget_used_pct: f64,
    /// What to do about it.
    pub level: Level,
    /// Tokens at which a compaction is called for; `None` where nothing calls for one.
    pub threshold: Option<u32>,
    /// Tokens a compaction comes down to.
    pub target: u32,
    /// True where `tokens` was counted by the provider or by the model's own encoding, and not estimated.
    /// By an encoding, what a provider adds around messages, and pictures and files, are the usual figures.
    pub exact: bool,
    /// Half-width of the relative error of `tokens`: 0.1 means ±10 %. It narrows as the provider's counts
    /// agree with what was expected.
    pub error_band: f64,
    /// Tokens that no compaction can remove: system prompt, tool schemas, pinned messages and the last
    /// user request.
    pub floor: u32,
    /// What fills it, by the engine's own count, bent by what the provider has counted so far.
    pub breakdown: Breakdown,
}
