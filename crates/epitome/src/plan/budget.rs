//! How the tokens below the target are divided between summary, requests and tail.

use crate::calibration::Scale;
use crate::policy::{Keep, Policy, SummaryPlacement};
use crate::tokens::MeterTokens;

/// A shorter summary than this holds no information, in the meter's tokens.
pub(super) const SHORTEST_SUMMARY: MeterTokens = MeterTokens::new(48);

/// How the tokens below the target are divided.
pub(super) struct Budget {
    pub(super) summary: MeterTokens,
    pub(super) user_requests: MeterTokens,
    pub(super) tail: MeterTokens,
}

impl Budget {
    /// `fixed` is what stays in any case: protected messages, and what is appended to the summary.
    ///
    /// The result depends only on the policy and on what is protected, so that compacting twice in a row gives
    /// the same result as compacting once.
    ///
    /// Without a model among those who speak, no message is a request: the summary has the room for requests.
    pub(super) fn new(
        policy: &Policy,
        scale: &Scale,
        keep: Keep,
        fixed: MeterTokens,
        has_model: bool,
    ) -> Self {
        let longest = policy.summary.max_tokens.unwrap_or(u32::MAX);
        let longest = scale.to_meter(longest).max(MeterTokens::new(1));
        let shortest = SHORTEST_SUMMARY.min(longest);
        let mut available = scale.message_budget(policy.target_tokens()) - fixed;
        if available < shortest + shortest {
            // The target is out of reach; the threshold may not be.
            let threshold = policy.threshold().unwrap_or(policy.window).saturating_sub(1);
            available = scale.message_budget(threshold) - fixed;
        }
        // A policy that keeps a number of messages gives them most of the tokens.
        let share = match keep {
            Keep::Messages(_) | Keep::Rounds(_) => available.half().half().half(),
            Keep::Tokens(_) | Keep::Fraction(_) => available.half(),
        };
        let summary = share.min(longest).max(shortest);
        let rest = available - summary;
        let user_requests = match policy.summary_placement {
            SummaryPlacement::OneMessage => MeterTokens::ZERO,
            _ => scale.to_meter(policy.keep_requests_tokens).min(rest.half().half()),
        };
        let tail = rest - user_requests;
        match has_model {
            true => Self { summary, user_requests, tail },
            false => {
                let summary = (summary + user_requests).min(longest);
                Self { summary, user_requests: MeterTokens::ZERO, tail }
            }
        }
    }
}
