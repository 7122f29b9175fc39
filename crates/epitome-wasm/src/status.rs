//! How full the window is.

use epitome::tokens;
use serde::Serialize;
use tsify::Tsify;

use crate::statistics::Statistics;

/// What to do about the fill: nothing, whatever needs no model, or compact.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing.
    Ok,
    /// What the policy warns at is reached, or a reducer's own condition holds.
    Warn,
    /// A trigger fires: compact.
    Compact,
}

/// What fills the window, in tokens, by the engine's own count, bent by what the provider has counted so far.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
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

/// How full the window is at this moment.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Status {
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
    /// Tokens at which a compaction is called for; absent where nothing calls for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
    /// Tokens that a compaction comes down to.
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
    /// What the provider's counts add up to.
    pub statistics: Statistics,
}

impl From<epitome::Level> for Level {
    fn from(level: epitome::Level) -> Self {
        match level {
            epitome::Level::Ok => Self::Ok,
            epitome::Level::Warn => Self::Warn,
            epitome::Level::Compact => Self::Compact,
        }
    }
}

impl From<epitome::Breakdown> for Breakdown {
    fn from(breakdown: epitome::Breakdown) -> Self {
        let epitome::Breakdown { system, tools, summary, user, assistant, results } = breakdown;
        Self { system, tools, summary, user, assistant, results }
    }
}

impl Status {
    pub(crate) fn of(pressure: epitome::Pressure, statistics: tokens::Statistics) -> Self {
        let epitome::Pressure {
            tokens,
            window,
            fill,
            budget_used_pct,
            level,
            threshold,
            target,
            exact,
            error_band,
            floor,
            breakdown,
        } = pressure;
        Self {
            tokens,
            window,
            fill,
            budget_used_pct,
            level: level.into(),
            threshold,
            target,
            exact,
            error_band,
            floor,
            breakdown: breakdown.into(),
            statistics: statistics.into(),
        }
    }

    /// All of it as numbers, which cross for next to nothing: `npm/src/status.ts` reads them in this order.
    pub(crate) fn numbers(self) -> Vec<f64> {
        let Self {
            tokens,
            window,
            fill,
            budget_used_pct,
            level,
            threshold,
            target,
            exact,
            error_band,
            floor,
            breakdown: Breakdown { system, tools, summary, user, assistant, results },
            statistics:
                Statistics {
                    last_prompt_tokens,
                    last_completion_tokens,
                    session_prompt_tokens,
                    session_completion_tokens,
                    context_tokens,
                    tokens_per_second,
                },
        } = self;
        let level = match level {
            Level::Ok => 0.0,
            Level::Warn => 1.0,
            Level::Compact => 2.0,
        };
        vec![
            tokens.into(),
            window.into(),
            fill,
            budget_used_pct,
            level,
            threshold.map_or(f64::NAN, f64::from),
            target.into(),
            f64::from(u8::from(exact)),
            error_band,
            floor.into(),
            system.into(),
            tools.into(),
            summary.into(),
            user.into(),
            assistant.into(),
            results.into(),
            last_prompt_tokens.into(),
            last_completion_tokens.into(),
            session_prompt_tokens,
            session_completion_tokens,
            context_tokens.into(),
            tokens_per_second,
        ]
    }
}
