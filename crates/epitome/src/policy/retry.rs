//! When to ask again after a failure: exponential backoff, with no clock and no dice of its own.

use serde::{Deserialize, Serialize};

/// How often, and how long between. The defaults are what the providers' own clients do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Retry {
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// Wait before the second attempt; doubled for each one after it.
    pub base_ms: u64,
    /// Longest wait between attempts.
    pub cap_ms: u64,
}

/// A server's own wish is honoured up to here.
const LONGEST_WISH_MS: u64 = 60_000;

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 3, base_ms: 500, cap_ms: 8_000 }
    }
}

/// Why a summarizer gave no summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Whether asking again may help.
    pub kind: FailureKind,
    /// What happened and what to do, for a person.
    pub message: String,
}

/// Whether asking the same again may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// It may: the server was busy, or out of reach.
    Transient {
        /// How long the server asked to wait.
        retry_after_ms: Option<u64>,
    },
    /// It will not: a wrong key, an unknown model, an answer that is no summary.
    Permanent,
    /// The host took the request back.
    Cancelled,
}

impl Retry {
    /// The wait before the next attempt in milliseconds, or `None` where there should be none.
    /// `attempted` counts the attempts made so far.
    pub fn delay_ms(&self, attempted: u32, kind: FailureKind) -> Option<u64> {
        let FailureKind::Transient { retry_after_ms } = kind else { return None };
        if attempted >= self.attempts {
            return None;
        }
        let wish = retry_after_ms.filter(|wish| *wish <= LONGEST_WISH_MS);
        let doublings = attempted.saturating_sub(1).min(32);
        let backoff = self.base_ms.saturating_mul(1 << doublings).min(self.cap_ms);
        Some(wish.unwrap_or(backoff))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_cap_and_end() {
        let retry = Retry { attempts: 7, ..Retry::default() };
        let busy = FailureKind::Transient { retry_after_ms: None };
        let waits: Vec<_> = (1..=7).map(|attempted| retry.delay_ms(attempted, busy)).collect();
        let expected = [500, 1_000, 2_000, 4_000, 8_000, 8_000].map(Some);
        assert_eq!(waits, [&expected[..], &[None]].concat());
    }

    #[test]
    fn a_servers_wish_goes_first_unless_it_is_too_long() {
        let retry = Retry::default();
        let wish = |ms| FailureKind::Transient { retry_after_ms: Some(ms) };
        assert_eq!(retry.delay_ms(1, wish(30_000)), Some(30_000));
        assert_eq!(retry.delay_ms(1, wish(600_000)), Some(500));
    }

    #[test]
    fn what_cannot_help_is_not_tried_again() {
        assert_eq!(Retry::default().delay_ms(1, FailureKind::Permanent), None);
        assert_eq!(Retry::default().delay_ms(1, FailureKind::Cancelled), None);
    }
}
