//! When to repeat a failed summarizer request: exponential backoff. The app waits; the engine has no clock.

use serde::{Deserialize, Serialize};

use crate::overflow::ContextOverflow;

/// How often a failed summarizer request is repeated, and how long to wait before. The defaults are those of the
/// providers' own clients. Only failures that may pass, such as a busy server, are repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Retry {
    /// Number of attempts, including the first; 0 counts as 1. Default: 3.
    pub attempts: u32,
    /// Milliseconds to wait before the second attempt; doubled for each one after it. Default: 500.
    pub base_ms: u64,
    /// The longest wait between two attempts in milliseconds. Default: 8,000. A wait that the server asks for may be
    /// longer, up to 60,000.
    pub cap_ms: u64,
}

/// The longest wait that a server may ask for: a longer one would look to the user as if the app hung.
const MAX_RETRY_AFTER_MS: u64 = 60_000;

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 3, base_ms: 500, cap_ms: 8_000 }
    }
}

/// Why a summarizer request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Whether repeating the request may help.
    pub kind: FailureKind,
    /// What happened and what to do about it, for the user.
    pub message: String,
}

/// Whether repeating the same request may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// It may: the server was busy or could not be reached.
    Transient {
        /// Milliseconds that the server asked to wait (`retry-after`); `None` if it did not ask.
        retry_after_ms: Option<u64>,
    },
    /// It will not: the key is wrong, or the model is unknown.
    Permanent,
    /// Not in this form: it is too long, or the model called a tool in place of an answer. If the summarizer got messages,
    /// it gets a transcript next; otherwise this is permanent.
    Unsuitable,
    /// The prompt does not fit the summarizer's window. A transcript is divided into smaller chunks, by the server's numbers.
    TooLong(ContextOverflow),
    /// The answer reached a limit of tokens and lacks its end. A transcript is divided into smaller chunks.
    Truncated,
    /// The app has cancelled the request.
    Cancelled,
}

impl Retry {
    /// Milliseconds to wait before the next attempt; `None` if there should be none. `attempted` is the number of
    /// attempts so far.
    pub(crate) fn delay_ms(&self, attempted: u32, kind: FailureKind) -> Option<u64> {
        let FailureKind::Transient { retry_after_ms } = kind else { return None };
        if attempted >= self.attempts {
            return None;
        }
        let requested = retry_after_ms.filter(|wait| *wait <= MAX_RETRY_AFTER_MS);
        let doublings = attempted.saturating_sub(1).min(32);
        let backoff = self.base_ms.saturating_mul(1 << doublings).min(self.cap_ms);
        Some(requested.unwrap_or(backoff))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_cap() {
        let retry = Retry { attempts: 7, ..Retry::default() };
        let busy = FailureKind::Transient { retry_after_ms: None };
        let waits: Vec<_> = (1..=7).map(|attempted| retry.delay_ms(attempted, busy)).collect();
        let expected = [500, 1_000, 2_000, 4_000, 8_000, 8_000].map(Some);
        assert_eq!(waits, [&expected[..], &[None]].concat());
    }

    #[test]
    fn a_wait_that_the_server_asks_for_is_used_unless_it_is_too_long() {
        let retry = Retry::default();
        let after = |ms| FailureKind::Transient { retry_after_ms: Some(ms) };
        assert_eq!(retry.delay_ms(1, after(30_000)), Some(30_000));
        assert_eq!(retry.delay_ms(1, after(600_000)), Some(500));
    }

    #[test]
    fn permanent_failures_and_cancelled_requests_are_not_repeated() {
        assert_eq!(Retry::default().delay_ms(1, FailureKind::Permanent), None);
        assert_eq!(Retry::default().delay_ms(1, FailureKind::Cancelled), None);
    }
}
