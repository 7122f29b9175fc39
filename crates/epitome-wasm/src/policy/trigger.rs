//! When to act: conditions on what the window holds, and the phases at which they are looked at.

use epitome::policy;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// A phase in an app's work at which a compaction may be due: a request of the person's has come in, the
/// model is about to be called, its tools have answered and it is about to be called again, the turn is
/// over, or the provider has refused a request as too long.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Phase {
    /// A request of the person's has come in; nothing has been sent for it yet.
    RequestStart,
    /// The model is about to be called.
    TurnStart,
    /// The tools that the model called have answered, and it is about to be called again.
    Loop,
    /// The turn is over.
    TurnEnd,
    /// The provider has refused a request as too long.
    Overflow,
}

/// One condition: on tokens (`budget`, `fill`, `tokens`), on `messages` that no summary stands for, on a
/// long history when a request begins (`requestBoundary`), on what the previous prompt really took
/// (`reactive`); `at` one phase only; `all` or `any` of several; `always`, or `manual`: never by itself.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum Trigger {
    /// Above the smaller of a fraction of the window and the window without its reserves.
    Budget(Budget),
    /// At a fraction of the window, unless a number of tokens is given.
    Fill(Fill),
    /// At this many tokens, whatever the window. 0 or less turns it off.
    Tokens(f64),
    /// Above this many messages that no summary stands for.
    Messages(u32),
    /// When a request begins with a long history.
    RequestBoundary(RequestBoundary),
    /// In the tool loop, by what the previous prompt really took, and when one was refused.
    Reactive(Reactive),
    /// Only at one phase.
    At {
        /// The phase.
        phase: Phase,
        /// What has to hold then.
        trigger: Box<Trigger>,
    },
    /// Where each of these fires.
    All(Vec<Trigger>),
    /// Where one of these fires.
    Any(Vec<Trigger>),
    /// Whenever it is looked at.
    Always,
    /// Never by itself: only when somebody asks.
    Manual,
}

/// Above the smaller of a fraction of the window and the window without its reserves.
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

/// At a fraction of the window, unless a number of tokens is given.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct Fill {
    /// Share of the window, 0 to 1; 0.8 where absent.
    pub fraction: f64,
    /// Above 0, this many tokens count instead of the fraction.
    pub max_tokens: u32,
}

/// A long history when a request begins.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestBoundary {
    /// The history has to exceed this many tokens; 80,000 where absent.
    pub trigger_tokens: u32,
    /// And to have at least this many messages; 20 where absent.
    pub min_messages: u32,
}

/// What the previous prompt of the tool loop took, by the provider's count.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase", default)]
pub struct Reactive {
    /// Share of the window at which the oldest rounds are summarized, 0 to 1; 0.85 where absent.
    pub micro_fraction: f64,
    /// Share of the window at which all that may be is summarized, 0 to 1; 0.92 where absent.
    pub full_fraction: f64,
    /// How many of the oldest rounds a small step takes; 2 where absent.
    pub micro_batch_rounds: u32,
    /// How many of the latest rounds stay; 2 where absent.
    pub keep_rounds: u32,
    /// How many such compactions one request may take; 3 where absent.
    pub max_per_request: u32,
}

impl From<Phase> for policy::Phase {
    fn from(phase: Phase) -> Self {
        match phase {
            Phase::RequestStart => Self::RequestStart,
            Phase::TurnStart => Self::TurnStart,
            Phase::Loop => Self::Loop,
            Phase::TurnEnd => Self::TurnEnd,
            Phase::Overflow => Self::Overflow,
        }
    }
}

impl From<policy::Phase> for Phase {
    fn from(phase: policy::Phase) -> Self {
        match phase {
            policy::Phase::RequestStart => Self::RequestStart,
            policy::Phase::TurnStart => Self::TurnStart,
            policy::Phase::Loop => Self::Loop,
            policy::Phase::TurnEnd => Self::TurnEnd,
            policy::Phase::Overflow => Self::Overflow,
        }
    }
}

impl From<policy::Trigger> for Trigger {
    fn from(trigger: policy::Trigger) -> Self {
        let several = |some: Vec<policy::Trigger>| some.into_iter().map(Self::from).collect();
        match trigger {
            policy::Trigger::Budget(budget) => Self::Budget(budget.into()),
            policy::Trigger::Fill(fill) => Self::Fill(fill.into()),
            policy::Trigger::Tokens(tokens) => Self::Tokens(tokens as f64),
            policy::Trigger::Messages(messages) => Self::Messages(messages),
            policy::Trigger::RequestBoundary(boundary) => Self::RequestBoundary(boundary.into()),
            policy::Trigger::Reactive(reactive) => Self::Reactive(reactive.into()),
            policy::Trigger::At { phase, trigger } => {
                Self::At { phase: phase.into(), trigger: Box::new((*trigger).into()) }
            }
            policy::Trigger::All(all) => Self::All(several(all)),
            policy::Trigger::Any(any) => Self::Any(several(any)),
            policy::Trigger::Always => Self::Always,
            policy::Trigger::Manual => Self::Manual,
        }
    }
}

impl From<policy::Budget> for Budget {
    fn from(budget: policy::Budget) -> Self {
        let policy::Budget { fraction, output_reserve, safety_margin } = budget;
        Self { fraction, output_reserve, safety_margin }
    }
}

impl From<policy::Fill> for Fill {
    fn from(fill: policy::Fill) -> Self {
        let policy::Fill { fraction, max_tokens } = fill;
        Self { fraction, max_tokens }
    }
}

impl From<policy::RequestBoundary> for RequestBoundary {
    fn from(boundary: policy::RequestBoundary) -> Self {
        let policy::RequestBoundary { trigger_tokens, min_messages } = boundary;
        Self { trigger_tokens, min_messages }
    }
}

impl From<policy::Reactive> for Reactive {
    fn from(reactive: policy::Reactive) -> Self {
        let policy::Reactive {
            micro_fraction,
            full_fraction,
            micro_batch_rounds,
            keep_rounds,
            max_per_request,
        } = reactive;
        Self { micro_fraction, full_fraction, micro_batch_rounds, keep_rounds, max_per_request }
    }
}
