//! How the meter's tokens become those of the provider, and a policy's become those of the meter.

use std::borrow::Cow;

use crate::policy::{Keep, Load, Policy, Reducer, Trigger};
use crate::tokens::ONE;

/// A straight line from the meter's tokens to the provider's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Millionths of the provider's tokens for one of the meter's.
    pub(crate) factor: u32,
    /// Tokens that go along with every request, in the provider's.
    pub(crate) beside: u32,
    /// Tokens of the request itself.
    pub(crate) request: u32,
}

impl Scale {
    /// The provider's tokens for one of the meter's.
    pub fn factor(&self) -> f64 {
        f64::from(self.factor) / f64::from(ONE)
    }

    /// Tokens that go along with every request and are no message.
    pub fn beside(&self) -> u32 {
        self.beside
    }

    /// What messages come to that the meter counts at so many tokens.
    pub fn told(&self, counted: u32) -> u32 {
        let told = u64::from(counted) * u64::from(self.factor) + u64::from(ONE / 2);
        u32::try_from(told / u64::from(ONE)).unwrap_or(u32::MAX)
    }

    /// What the window holds with those messages.
    pub fn window(&self, counted: u32) -> u32 {
        self.told(counted).saturating_add(self.beside).saturating_add(self.request)
    }

    /// The load with that.
    pub(crate) fn load(&self, counted: Load) -> Load {
        Load { tokens: self.window(counted.tokens), ..counted }
    }

    /// The meter's tokens for so many of the provider's, rounded down.
    pub(crate) fn counted(&self, told: u32) -> u32 {
        let counted = u64::from(told) * u64::from(ONE) / u64::from(self.factor.max(1));
        u32::try_from(counted).unwrap_or(u32::MAX)
    }

    /// The same rounded up, for what is there and not what there is room for.
    pub(crate) fn counted_up(&self, told: u32) -> u32 {
        let one = u64::from(self.factor.max(1));
        u32::try_from((u64::from(told) * u64::from(ONE)).div_ceil(one)).unwrap_or(u32::MAX)
    }

    /// A policy in the meter's tokens: a plan made by it holds in the provider's tokens for the policy itself. Room
    /// is rounded down.
    pub(crate) fn policy<'a>(&self, policy: &'a Policy) -> Cow<'a, Policy> {
        let beside = self.beside.saturating_add(self.request);
        if self.factor == ONE && beside == policy.tool_schema_tokens {
            return Cow::Borrowed(policy);
        }
        let mut policy = policy.clone();
        policy.window = self.counted(policy.window);
        policy.triggers.iter_mut().for_each(|trigger| self.trigger(trigger));
        if let Keep::Tokens(tokens) = &mut policy.keep {
            *tokens = self.counted(*tokens);
        }
        policy.keep_requests_tokens = self.counted(policy.keep_requests_tokens);
        for reduction in &mut policy.reducers {
            reduction.when.iter_mut().for_each(|when| self.trigger(when));
            reduction.min_saving_tokens = self.counted(reduction.min_saving_tokens);
            match &mut reduction.reducer {
                Reducer::TruncateToolResults(age) => {
                    for step in &mut age.steps {
                        step.max_tokens = self.counted(step.max_tokens);
                    }
                }
                Reducer::ClearToolInputs(prune) => {
                    prune.arg_threshold_tokens = self.counted(prune.arg_threshold_tokens);
                }
                Reducer::OffloadToolResults(offload) => {
                    offload.max_tokens = self.counted(offload.max_tokens);
                    offload.keep_tokens = self.counted(offload.keep_tokens);
                }
                Reducer::Deduplicate | Reducer::DropOldest => {}
            }
        }
        policy.summary.max_tokens = self.counted(policy.summary.max_tokens).max(1);
        policy.summary.ledger_tokens = self.counted(policy.summary.ledger_tokens);
        policy.tool_schema_tokens = self.counted_up(beside);
        Cow::Owned(policy)
    }

    fn trigger(&self, trigger: &mut Trigger) {
        match trigger {
            Trigger::Budget(budget) => {
                budget.output_reserve = self.counted_up(budget.output_reserve);
                budget.safety_margin = self.counted_up(budget.safety_margin);
            }
            Trigger::Fill(fill) if fill.max_tokens > 0 => {
                fill.max_tokens = self.counted(fill.max_tokens).max(1);
            }
            Trigger::Tokens(tokens) if *tokens > 0 => {
                let told = u32::try_from(*tokens).unwrap_or(u32::MAX);
                *tokens = i64::from(self.counted(told).max(1));
            }
            Trigger::RequestBoundary(boundary) => {
                boundary.trigger_tokens = self.counted(boundary.trigger_tokens);
            }
            Trigger::At { trigger, .. } => self.trigger(trigger),
            Trigger::All(some) | Trigger::Any(some) => {
                some.iter_mut().for_each(|one| self.trigger(one));
            }
            Trigger::Fill(_)
            | Trigger::Tokens(_)
            | Trigger::Messages(_)
            | Trigger::Reactive(_)
            | Trigger::Always
            | Trigger::Manual => {}
        }
    }
}

/// A number that is not negative as a whole one.
pub(super) fn rounded(number: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float that is too large, or no number, becomes the nearest that there is"
    )]
    let rounded = number.round() as u32;
    rounded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_is_never_more_than_there_was_room_for() {
        for factor in [500_000, 799_999, ONE, 1_270_001, 2_000_000] {
            let scale = Scale { factor, beside: 0, request: 0 };
            for tokens in [0, 1, 7, 999, 140_000, u32::MAX / 4] {
                assert!(scale.told(scale.counted(tokens)) <= tokens);
                assert!(scale.counted_up(scale.told(tokens)).abs_diff(tokens) <= 1);
            }
        }
        assert_eq!(Scale { factor: 2_000_000, beside: 9, request: 3 }.window(u32::MAX), u32::MAX);
    }

    #[test]
    fn what_fires_in_the_provider_s_tokens_fires_in_the_meter_s() {
        for name in crate::policy::PRESETS {
            let policy = Policy::preset(name, 200_000).unwrap();
            for (factor, beside) in [(1_270_000, 20_000), (700_000, 0), (ONE, 5_000)] {
                let scale = Scale { factor, beside, request: 3 };
                let counted_by = scale.policy(&policy);
                for counted in (0..320_000).step_by(997) {
                    let load = Load { tokens: counted, messages: 40, prompt_tokens: None };
                    let beside = counted_by.tool_schema_tokens;
                    let inner = Load { tokens: counted + beside, ..load };
                    let fires = policy.fires(&scale.load(load));
                    assert!(!fires || counted_by.fires(&inner), "{name} {factor} {counted}");
                    let room = counted + beside <= counted_by.target_tokens();
                    assert!(!room || scale.window(counted) <= policy.target_tokens(), "{name}");
                }
            }
        }
    }
}
