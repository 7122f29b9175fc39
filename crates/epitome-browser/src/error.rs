//! How a summarizer fails, and whether asking again may help.

use std::error::Error;
use std::fmt;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointError {
    /// What went wrong, for code to decide by.
    pub kind: FailureKind,
    /// The HTTP status, where there was an answer.
    pub status: Option<u16>,
    /// The likely cause and what to do about it, for people. Never contains the API key.
    pub message: String,
    /// How long the server asks to be left alone, at most 60 000 ms. A page can read the header only
    /// where the server exposes it.
    pub retry_after_ms: Option<u64>,
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureKind {
    /// The host's signal stopped the request.
    Aborted,
    /// The endpoint's own description cannot be asked: a bad URL, a header no request may carry.
    /// Nothing was sent.
    Misconfigured,
    /// No connection, or the server does not allow this page's origin; a page cannot tell them apart.
    Unreachable,
    /// The answer, or a part of it, took too long.
    TimedOut(Phase),
    /// 401 or 403: the key is missing or wrong.
    Unauthorized,
    /// The server has no such model, or there is no server of this kind at the address.
    ModelUnknown,
    /// The prompt does not fit the model's window; a shorter one may.
    TooLong,
    /// 429: too many requests for now.
    RateLimited,
    /// 408, 409 or 5xx: the server cannot answer now.
    Overloaded,
    /// Another 4xx, or a quota that is used up: the same request will be refused again.
    Refused,
    /// Something that is no chat completion: a web page, broken JSON, no choices, a tool call.
    BadAnswer,
    /// The connection ended in the middle of the answer.
    CutOff,
    /// The answer reached the limit of tokens and lacks its end.
    Truncated,
    /// A filter of the provider, or the model itself, declined to answer.
    Filtered,
    /// A complete answer with no text in it.
    Empty,
}

/// What a request was waiting for when its time ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The first byte of a streamed answer.
    FirstByte,
    /// The next piece of an answer that had begun.
    Idle,
    /// The end of the whole answer.
    Total,
}

impl FailureKind {
    /// Whether the very same request may succeed later.
    ///
    /// A total that ran out is not retried: the next attempt would take as long.
    pub fn is_retryable(self) -> bool {
        match self {
            Self::Unreachable | Self::RateLimited | Self::Overloaded | Self::CutOff => true,
            Self::TimedOut(phase) => phase != Phase::Total,
            Self::Aborted
            | Self::Misconfigured
            | Self::Unauthorized
            | Self::ModelUnknown
            | Self::TooLong
            | Self::Refused
            | Self::BadAnswer
            | Self::Truncated
            | Self::Filtered
            | Self::Empty => false,
        }
    }

    /// A stable name for logs and for other languages, in kebab case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Aborted => "aborted",
            Self::Misconfigured => "misconfigured",
            Self::Unreachable => "unreachable",
            Self::TimedOut(Phase::FirstByte) => "first-byte-timeout",
            Self::TimedOut(Phase::Idle) => "idle-timeout",
            Self::TimedOut(Phase::Total) => "total-timeout",
            Self::Unauthorized => "unauthorized",
            Self::ModelUnknown => "model-unknown",
            Self::TooLong => "too-long",
            Self::RateLimited => "rate-limited",
            Self::Overloaded => "overloaded",
            Self::Refused => "refused",
            Self::BadAnswer => "bad-answer",
            Self::CutOff => "cut-off",
            Self::Truncated => "truncated",
            Self::Filtered => "filtered",
            Self::Empty => "empty",
        }
    }
}

impl EndpointError {
    /// A failure without an HTTP answer.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, status: None, message: message.into(), retry_after_ms: None }
    }

    pub(crate) fn with_status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for EndpointError {}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_pass_is_retried() {
        let retried: Vec<&str> = [
            FailureKind::Aborted,
            FailureKind::Misconfigured,
            FailureKind::Unreachable,
            FailureKind::TimedOut(Phase::FirstByte),
            FailureKind::TimedOut(Phase::Idle),
            FailureKind::TimedOut(Phase::Total),
            FailureKind::Unauthorized,
            FailureKind::ModelUnknown,
            FailureKind::TooLong,
            FailureKind::RateLimited,
            FailureKind::Overloaded,
            FailureKind::Refused,
            FailureKind::BadAnswer,
            FailureKind::CutOff,
            FailureKind::Truncated,
            FailureKind::Filtered,
            FailureKind::Empty,
        ]
        .into_iter()
        .filter(|kind| kind.is_retryable())
        .map(FailureKind::as_str)
        .collect();
        let expected = [
            "unreachable",
            "first-byte-timeout",
            "idle-timeout",
            "rate-limited",
            "overloaded",
            "cut-off",
        ];
        assert_eq!(retried, expected);
    }
}
