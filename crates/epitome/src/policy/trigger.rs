//! When to act: conditions on what the window holds, and the phases at which they are looked at.

use serde::{Deserialize, Serialize};

use super::Reason;

/// A phase in a chat app's work at which a compaction may be due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
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

/// What conditions look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Tokens in the window.
    pub tokens: u32,
    /// Messages that no summary stands for, system messages aside.
    pub messages: u32,
    /// Prompt tokens that the provider counted for the latest request since the last compaction.
    pub prompt_tokens: Option<u32>,
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Trigger {
    /// Above the smaller of a fraction of the window and the window without its reserves.
    Budget(Budget),
    /// At a fraction of the window, unless a number of tokens is given.
    Fill(Fill),
    /// At this many tokens, whatever the window. 0 or less turns it off.
    Tokens(i64),
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

/// See [`Trigger::Budget`]. The defaults put a window of 200,000 at 140,000.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Budget {
    /// Share of the window, 0 to 1.
    pub fraction: f64,
    /// Tokens kept free for the answer.
    pub output_reserve: u32,
    /// Tokens kept free for what the count may be wrong by.
    pub safety_margin: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { fraction: 0.7, output_reserve: 32_000, safety_margin: 8_000 }
    }
}

/// See [`Trigger::Fill`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Fill {
    /// Share of the window, 0 to 1.
    pub fraction: f64,
    /// Above 0, this many tokens count instead of the fraction.
    pub max_tokens: u32,
}

impl Default for Fill {
    fn default() -> Self {
        Self { fraction: 0.8, max_tokens: 0 }
    }
}

/// See [`Trigger::RequestBoundary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RequestBoundary {
    /// The history has to exceed this many tokens.
    pub trigger_tokens: u32,
    /// And to have at least this many messages.
    pub min_messages: u32,
}

impl Default for RequestBoundary {
    fn default() -> Self {
        Self { trigger_tokens: 80_000, min_messages: 20 }
    }
}

/// See [`Trigger::Reactive`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Reactive {
    /// Share of the window at which the oldest rounds are summarized, 0 to 1.
    pub micro_fraction: f64,
    /// Share of the window at which all that may be is summarized, 0 to 1.
    pub full_fraction: f64,
    /// How many of the oldest rounds a small step takes.
    pub micro_batch_rounds: u32,
    /// How many of the latest rounds stay.
    pub keep_rounds: u32,
    /// How many such compactions one request may take.
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
    /// A trigger that is looked at only at this moment.
    pub fn at(phase: Phase, trigger: Self) -> Self {
        Self::At { phase, trigger: Box::new(trigger) }
    }

    /// The tokens at which it fires in a window of `window` tokens; `None` where it does not go by the
    /// tokens that the window holds.
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
            Self::All(all) => all.iter().filter_map(|one| one.threshold(window)).max(),
            Self::Any(any) => any.iter().filter_map(|one| one.threshold(window)).min(),
            Self::Reactive(_) | Self::Messages(_) | Self::Always | Self::Manual => None,
        }
    }

    /// True where the condition is met, whatever the phase.
    pub fn is_met(&self, load: &Load, window: u32) -> bool {
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
            Self::All(all) => !all.is_empty() && all.iter().all(|one| one.is_met(load, window)),
            Self::Any(any) => any.iter().any(|one| one.is_met(load, window)),
            Self::Always => true,
            Self::Manual => false,
        }
    }

    /// Why it calls for a compaction at this phase; `None` where it does not.
    pub fn reason_to_compact(&self, phase: Phase, load: &Load, window: u32) -> Option<Reason> {
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
                    Phase::Overflow => Some(Reason::ReactiveFull),
                    Phase::Loop if load.prompt_tokens.is_some_and(|prompt| prompt >= full) => {
                        Some(Reason::ReactiveFull)
                    }
                    Phase::Loop if self.is_met(load, window) => Some(Reason::ReactiveMicro),
                    _ => None,
                }
            }
            Self::All(all) => {
                let calls: Option<Vec<Reason>> =
                    all.iter().map(|one| one.reason_to_compact(phase, load, window)).collect();
                calls?.into_iter().next()
            }
            Self::Any(any) => any.iter().find_map(|one| one.reason_to_compact(phase, load, window)),
            // A refused request is for those who ask to hear of it.
            _ if phase == Phase::Overflow => None,
            _ => self.is_met(load, window).then_some(Reason::Threshold),
        }
    }

    /// The settings for reacting to large prompts that it holds, if any.
    pub fn reactive(&self) -> Option<&Reactive> {
        match self {
            Self::Reactive(reactive) => Some(reactive),
            Self::At { trigger, .. } => trigger.reactive(),
            Self::All(some) | Self::Any(some) => some.iter().find_map(Self::reactive),
            _ => None,
        }
    }
}

/// A fraction of a number of tokens, rounded down; a fraction outside 0 to 1 is brought inside.
pub(crate) fn share(tokens: u32, fraction: f64) -> u32 {
    let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 };
    // A product of a u32 and a number of at most 1 fits a u32.
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
    fn b2_threshold_is_the_smaller_of_fraction_and_reserve() {
        let budget = Trigger::Budget(Budget::default());
        assert_eq!(budget.threshold(200_000), Some(140_000));
        assert_eq!(budget.threshold(100_000), Some(60_000), "the reserves are the tighter bound");
        assert_eq!(budget.threshold(20_000), Some(0));
        assert!(!budget.is_met(&tokens(140_000), 200_000));
        assert!(budget.is_met(&tokens(140_001), 200_000));
    }

    #[test]
    fn b2_all_of_its_numbers_can_be_set() {
        let budget = Budget { fraction: 0.5, output_reserve: 10, safety_margin: 5 };
        assert_eq!(Trigger::Budget(budget).threshold(100), Some(50));
        assert_eq!(Trigger::Budget(Budget { fraction: 1.0, ..budget }).threshold(100), Some(85));
    }

    #[test]
    fn b2_b5_a_trigger_can_be_tied_to_a_phase() {
        let end = Trigger::at(Phase::TurnEnd, Trigger::Budget(Budget::default()));
        let full = tokens(150_000);
        assert_eq!(end.reason_to_compact(Phase::TurnEnd, &full, 200_000), Some(Reason::Threshold));
        assert_eq!(end.reason_to_compact(Phase::TurnStart, &full, 200_000), None);
        assert!(end.is_met(&full, 200_000), "the meter shows it at any time");
        let start = Trigger::at(Phase::TurnStart, Trigger::Tokens(200_000));
        assert_eq!(
            start.reason_to_compact(Phase::TurnStart, &tokens(200_000), 0),
            Some(Reason::Threshold)
        );
        assert_eq!(start.reason_to_compact(Phase::TurnStart, &tokens(199_999), 0), None);
    }

    #[test]
    fn b3_fill_fires_at_eighty_percent_unless_tokens_are_given() {
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
    fn b7_a_count_of_messages_fires_when_it_is_exceeded() {
        let trigger = Trigger::Messages(17);
        let load = |messages| Load { messages, ..Load::default() };
        assert!(!trigger.is_met(&load(17), 1_000) && trigger.is_met(&load(18), 1_000));
        assert_eq!(trigger.threshold(1_000), None);
    }

    #[test]
    fn b8_a_request_boundary_takes_tokens_and_messages_and_the_right_phase() {
        let trigger = Trigger::RequestBoundary(RequestBoundary::default());
        let load = |tokens, messages| Load { tokens, messages, prompt_tokens: None };
        let at_start = |load| trigger.reason_to_compact(Phase::RequestStart, &load, 200_000);
        assert_eq!(at_start(load(80_001, 20)), Some(Reason::RequestBoundary));
        assert_eq!(at_start(load(80_000, 20)), None);
        assert_eq!(at_start(load(80_001, 19)), None);
        assert_eq!(trigger.reason_to_compact(Phase::TurnStart, &load(90_000, 30), 200_000), None);
    }

    #[test]
    fn b9_reacting_goes_by_the_last_prompt_and_by_a_refusal() {
        let trigger = Trigger::Reactive(Reactive::default());
        let in_loop = |load| trigger.reason_to_compact(Phase::Loop, &load, 100_000);
        assert_eq!(in_loop(prompt(84_999)), None);
        assert_eq!(in_loop(prompt(85_000)), Some(Reason::ReactiveMicro));
        assert_eq!(in_loop(prompt(92_000)), Some(Reason::ReactiveFull));
        assert_eq!(in_loop(tokens(99_000)), None, "an estimate is no prompt");
        let refused = trigger.reason_to_compact(Phase::Overflow, &prompt(10), 100_000);
        assert_eq!(refused, Some(Reason::ReactiveFull));
        assert_eq!(trigger.reason_to_compact(Phase::TurnEnd, &prompt(99_000), 100_000), None);
    }

    #[test]
    fn triggers_are_joined_by_any_and_all() {
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
    fn a_trigger_is_written_as_it_is_read() {
        let text = r#"{"at":{"phase":"turnEnd","trigger":{"any":[{"messages":7},"manual"]}}}"#;
        let trigger: Trigger = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&trigger).unwrap(), text);
    }
}
