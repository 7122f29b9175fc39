//! When to compact: conditions on the tokens and messages of a conversation, and the phases at which they count.

use serde::{Deserialize, Serialize};

use super::Reason;

/// A phase of the app's request loop at which a compaction may be due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum Phase {
    /// The user has sent a request; the model has not been called for it yet.
    RequestStart,
    /// The model is about to be called.
    TurnStart,
    /// In the tool loop: the tools have answered, and the model is about to be called again.
    Loop,
    /// The turn is over: the model has answered without calling a tool.
    TurnEnd,
    /// The provider has rejected a request as too long. A compaction is always due, whatever the triggers.
    Overflow,
}

/// The numbers that triggers compare with their thresholds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Tokens in the window.
    pub tokens: u32,
    /// Messages that are sent as they are: without system messages and those that a summary stands for.
    pub messages: u32,
    /// Prompt tokens that the provider reported for the latest request since the last compaction; `None` if it has
    /// reported none.
    pub prompt_tokens: Option<u32>,
}

/// A condition under which a compaction is due, or under which a reducer works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Trigger {
    /// Above a share of the window, or above the window without its reserves, whichever is smaller.
    Budget(Budget),
    /// From a share of the window on, or from a number of tokens on.
    Fill(Fill),
    /// From this many tokens on, whatever the window. 0 or a negative number turns the trigger off.
    Tokens(i64),
    /// Above this many messages, not counting system messages and those that a summary stands for.
    Messages(u32),
    /// When a request begins with a long history.
    RequestBoundary(RequestBoundary),
    /// In the tool loop, by the prompt tokens that the provider reported last. Its limits also hold when a provider
    /// rejects a request as too long.
    Reactive(Reactive),
    /// Only at one phase.
    At {
        /// The phase.
        phase: Phase,
        /// The condition that has to hold at this phase.
        trigger: Box<Trigger>,
    },
    /// If all of these hold. An empty list never holds.
    All(Vec<Trigger>),
    /// If one of these holds. An empty list never holds.
    Any(Vec<Trigger>),
    /// At every check.
    Always,
    /// Never by itself: only if the app asks for a compaction.
    Manual,
}

/// Settings of the trigger `budget`. By default it is met above 140,000 tokens of a window of 200,000.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Budget {
    /// Share of the window, 0 to 1. Default: 0.7.
    pub fraction: f64,
    /// Tokens of the window that are reserved for the answer. Default: 32,000.
    pub output_reserve: u32,
    /// Tokens of the window that are reserved for errors of the count. Default: 8,000.
    pub safety_margin: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { fraction: 0.7, output_reserve: 32_000, safety_margin: 8_000 }
    }
}

/// Settings of the trigger `fill`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Fill {
    /// Share of the window, 0 to 1. Default: 0.8.
    pub fraction: f64,
    /// Tokens to use instead of the share. Default: 0, use the share.
    pub max_tokens: u32,
}

impl Default for Fill {
    fn default() -> Self {
        Self { fraction: 0.8, max_tokens: 0 }
    }
}

/// Settings of the trigger `requestBoundary`. Both conditions have to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RequestBoundary {
    /// The window holds more tokens than this. Default: 80,000.
    pub trigger_tokens: u32,
    /// There are at least this many messages, counted as by the trigger `messages`. Default: 20.
    pub min_messages: u32,
}

impl Default for RequestBoundary {
    fn default() -> Self {
        Self { trigger_tokens: 80_000, min_messages: 20 }
    }
}

/// Settings of the trigger `reactive`. A round is an assistant message with the results of its tool calls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Reactive {
    /// From this share of the window on, only the oldest rounds are summarized, 0 to 1. Default: 0.85.
    pub micro_fraction: f64,
    /// From this share of the window on, everything that may be summarized is, 0 to 1. Default: 0.92.
    pub full_fraction: f64,
    /// How many of the oldest rounds are summarized at `microFraction`, at least 1. Default: 2.
    pub micro_batch_rounds: u32,
    /// How many of the latest rounds stay. Default: 2.
    pub keep_rounds: u32,
    /// How many such compactions one user request may cause. Default: 3.
    pub max_per_request: u32,
}

impl Default for Reactive {
    fn default() -> Self {
        Self {
            micro_fraction: 0.85,
            full_fraction: 0.92,
            micro_batch_rounds: 2,
            keep_rounds: 2,
            max_per_request: 3,
        }
    }
}

impl Trigger {
    /// A trigger that counts only at this phase.
    pub fn at(phase: Phase, trigger: Self) -> Self {
        Self::At { phase, trigger: Box::new(trigger) }
    }

    /// The number of tokens that it compares the window's content with, in a window of `window` tokens; `None` if it
    /// does not depend on that. Of several, `All` has the highest and `Any` the lowest.
    pub fn threshold(&self, window: u32) -> Option<u32> {
        match self {
            Self::Budget(budget) => {
                let reserves = budget.output_reserve.saturating_add(budget.safety_margin);
                Some(share(window, budget.fraction).min(window.saturating_sub(reserves)))
            }
            Self::Fill(fill) if fill.max_tokens > 0 => Some(fill.max_tokens),
            Self::Fill(fill) => Some(share(window, fill.fraction)),
            Self::Tokens(tokens) if *tokens <= 0 => None,
            Self::Tokens(tokens) => Some(u32::try_from(*tokens).unwrap_or(u32::MAX)),
            Self::RequestBoundary(boundary) => Some(boundary.trigger_tokens),
            Self::At { trigger, .. } => trigger.threshold(window),
            // All conditions hold only above the highest of their thresholds, and one of several already above
            // the lowest.
            Self::All(all) => all.iter().filter_map(|one| one.threshold(window)).max(),
            Self::Any(any) => any.iter().filter_map(|one| one.threshold(window)).min(),
            Self::Reactive(_) | Self::Messages(_) | Self::Always | Self::Manual => None,
        }
    }

    /// True if the condition is met, whatever the phase.
    pub(crate) fn is_met(&self, load: &Load, window: u32) -> bool {
        let reached = |tokens: u32| self.threshold(window).is_some_and(|limit| tokens >= limit);
        let exceeded = |tokens: u32| self.threshold(window).is_some_and(|limit| tokens > limit);
        match self {
            Self::Budget(_) => exceeded(load.tokens),
            Self::Fill(_) | Self::Tokens(_) => reached(load.tokens),
            Self::Messages(messages) => load.messages > *messages,
            Self::RequestBoundary(boundary) => {
                exceeded(load.tokens) && load.messages >= boundary.min_messages
            }
            Self::Reactive(reactive) => {
                let micro = share(window, reactive.micro_fraction);
                load.prompt_tokens.is_some_and(|prompt| prompt >= micro)
            }
            Self::At { trigger, .. } => trigger.is_met(load, window),
            // `all` is true for an empty list, which would compact at every check.
            Self::All(all) => !all.is_empty() && all.iter().all(|one| one.is_met(load, window)),
            Self::Any(any) => any.iter().any(|one| one.is_met(load, window)),
            Self::Always => true,
            Self::Manual => false,
        }
    }

    /// Why a compaction is due at this phase by this condition; `None` if it is not met. Of several, the first
    /// reason counts.
    pub(crate) fn reason_to_compact(
        &self,
        phase: Phase,
        load: &Load,
        window: u32,
    ) -> Option<Reason> {
        match self {
            Self::At { phase: own, trigger } if *own == phase => {
                trigger.reason_to_compact(phase, load, window)
            }
            Self::At { .. } => None,
            Self::RequestBoundary(_) => {
                let due = phase == Phase::RequestStart && self.is_met(load, window);
                due.then_some(Reason::RequestBoundary)
            }
            Self::Reactive(reactive) => {
                let full = share(window, reactive.full_fraction);
                match phase {
                    Phase::Loop if load.prompt_tokens.is_some_and(|prompt| prompt >= full) => {
                        Some(Reason::ReactiveFull)
                    }
                    Phase::Loop if self.is_met(load, window) => Some(Reason::ReactiveMicro),
                    _ => None,
                }
            }
            Self::All(all) => {
                let reasons: Option<Vec<Reason>> =
                    all.iter().map(|one| one.reason_to_compact(phase, load, window)).collect();
                reasons?.into_iter().next()
            }
            Self::Any(any) => any.iter().find_map(|one| one.reason_to_compact(phase, load, window)),
            Self::Budget(_)
            | Self::Fill(_)
            | Self::Tokens(_)
            | Self::Messages(_)
            | Self::Always
            | Self::Manual => self.is_met(load, window).then_some(Reason::Threshold),
        }
    }

    /// The settings of the first `Reactive` in it; `None` if there is none.
    pub fn reactive(&self) -> Option<&Reactive> {
        match self {
            Self::Reactive(reactive) => Some(reactive),
            Self::At { trigger, .. } => trigger.reactive(),
            Self::All(some) | Self::Any(some) => some.iter().find_map(Self::reactive),
            _ => None,
        }
    }
}

/// A fraction of a number of tokens, rounded down. A fraction outside of 0 to 1 counts as the nearer limit, and
/// NaN as 0.
pub(crate) fn share(tokens: u32, fraction: f64) -> u32 {
    let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 };
    // The tiny addend keeps 0.29 * 100, which is a bit less than 29 in binary, from being rounded down to 28.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 <= x <= u32::MAX"
    )]
    let share = (f64::from(tokens) * fraction + 1e-6) as u32;
    share
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(tokens: u32) -> Load {
        Load { tokens, ..Load::default() }
    }

    fn prompt(tokens: u32) -> Load {
        Load { prompt_tokens: Some(tokens), ..Load::default() }
    }

    #[test]
    fn b2_the_threshold_is_the_smaller_of_share_and_window_without_reserves() {
        let budget = Trigger::Budget(Budget::default());
        assert_eq!(budget.threshold(200_000), Some(140_000));
        assert_eq!(
            budget.threshold(100_000),
            Some(60_000),
            "the reserves limit more than the share"
        );
        assert_eq!(budget.threshold(20_000), Some(0));
        assert!(!budget.is_met(&tokens(140_000), 200_000));
        assert!(budget.is_met(&tokens(140_001), 200_000));
    }

    #[test]
    fn b2_share_reserve_and_margin_can_be_set() {
        let budget = Budget { fraction: 0.5, output_reserve: 10, safety_margin: 5 };
        assert_eq!(Trigger::Budget(budget).threshold(100), Some(50));
        assert_eq!(Trigger::Budget(Budget { fraction: 1.0, ..budget }).threshold(100), Some(85));
    }

    #[test]
    fn b2_b5_a_trigger_can_be_limited_to_a_phase() {
        let end = Trigger::at(Phase::TurnEnd, Trigger::Budget(Budget::default()));
        let full = tokens(150_000);
        assert_eq!(end.reason_to_compact(Phase::TurnEnd, &full, 200_000), Some(Reason::Threshold));
        assert_eq!(end.reason_to_compact(Phase::TurnStart, &full, 200_000), None);
        assert!(end.is_met(&full, 200_000), "the pressure level is the same at every phase");
        let start = Trigger::at(Phase::TurnStart, Trigger::Tokens(200_000));
        assert_eq!(
            start.reason_to_compact(Phase::TurnStart, &tokens(200_000), 0),
            Some(Reason::Threshold)
        );
        assert_eq!(start.reason_to_compact(Phase::TurnStart, &tokens(199_999), 0), None);
    }

    #[test]
    fn b3_fill_is_met_at_80_percent_unless_tokens_are_given() {
        let fill = Trigger::Fill(Fill::default());
        assert_eq!(fill.threshold(128_000), Some(102_400));
        assert!(fill.is_met(&tokens(102_400), 128_000));
        let own = Trigger::Fill(Fill { max_tokens: 9_000, ..Fill::default() });
        assert_eq!(own.threshold(128_000), Some(9_000));
    }

    #[test]
    fn b5_an_absolute_threshold_of_zero_or_less_is_off() {
        assert!(Trigger::Tokens(200_000).is_met(&tokens(200_000), 1_000_000));
        assert!(!Trigger::Tokens(200_000).is_met(&tokens(199_999), 1_000_000));
        assert_eq!(Trigger::Tokens(0).threshold(10), None);
        assert!(!Trigger::Tokens(-1).is_met(&tokens(u32::MAX), 10));
    }

    #[test]
    fn b7_a_number_of_messages_has_to_be_exceeded() {
        let trigger = Trigger::Messages(17);
        let load = |messages| Load { messages, ..Load::default() };
        assert!(!trigger.is_met(&load(17), 1_000) && trigger.is_met(&load(18), 1_000));
        assert_eq!(trigger.threshold(1_000), None);
    }

    #[test]
    fn b8_a_request_boundary_needs_tokens_messages_and_the_start_of_a_request() {
        let trigger = Trigger::RequestBoundary(RequestBoundary::default());
        let load = |tokens, messages| Load { tokens, messages, prompt_tokens: None };
        let at_start = |load| trigger.reason_to_compact(Phase::RequestStart, &load, 200_000);
        assert_eq!(at_start(load(80_001, 20)), Some(Reason::RequestBoundary));
        assert_eq!(at_start(load(80_000, 20)), None);
        assert_eq!(at_start(load(80_001, 19)), None);
        assert_eq!(trigger.reason_to_compact(Phase::TurnStart, &load(90_000, 30), 200_000), None);
    }

    #[test]
    fn b9_reactive_uses_reported_prompt_tokens() {
        let trigger = Trigger::Reactive(Reactive::default());
        let in_loop = |load| trigger.reason_to_compact(Phase::Loop, &load, 100_000);
        assert_eq!(in_loop(prompt(84_999)), None);
        assert_eq!(in_loop(prompt(85_000)), Some(Reason::ReactiveMicro));
        assert_eq!(in_loop(prompt(92_000)), Some(Reason::ReactiveFull));
        assert_eq!(in_loop(tokens(99_000)), None, "an estimate is not a reported prompt");
        assert_eq!(trigger.reason_to_compact(Phase::TurnEnd, &prompt(99_000), 100_000), None);
    }

    #[test]
    fn triggers_are_combined_by_any_and_all() {
        let both = Trigger::All(vec![Trigger::Tokens(100), Trigger::Messages(3)]);
        let load = |tokens, messages| Load { tokens, messages, prompt_tokens: None };
        assert!(both.is_met(&load(100, 4), 1_000));
        assert!(!both.is_met(&load(99, 4), 1_000) && !both.is_met(&load(100, 3), 1_000));
        let either = Trigger::Any(vec![Trigger::Tokens(100), Trigger::Messages(3)]);
        assert!(either.is_met(&load(1, 4), 1_000) && either.is_met(&load(100, 0), 1_000));
        assert_eq!(either.threshold(1_000), Some(100));
        assert!(!Trigger::All(Vec::new()).is_met(&load(u32::MAX, 9), 1));
        assert!(!Trigger::Manual.is_met(&load(u32::MAX, 9), 1));
    }

    #[test]
    fn a_trigger_survives_reading_and_writing() {
        let text = r#"{"at":{"phase":"turnEnd","trigger":{"any":[{"messages":7},"manual"]}}}"#;
        let trigger: Trigger = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&trigger).unwrap(), text);
    }
}
