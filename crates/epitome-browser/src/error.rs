//! Why an endpoint gave no answer, and whether the same request may succeed later.

use epitome::{ContextOverflow, Failure, FailureKind};
use serde::Serialize;
use thiserror::Error;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct EndpointError {
    /// What went wrong, for code to branch on.
    pub code: EndpointErrorCode,
    /// The HTTP status, if there was an HTTP response.
    pub status: Option<u16>,
    /// The likely cause and what to do about it, for people. Never contains the API key.
    pub message: String,
    /// How long the server asks to wait before the next request, at most 60 000 ms. `None` in a page if the server
    /// does not expose the header to it.
    pub retry_after_ms: Option<u64>,
}

/// What went wrong with a request to an endpoint, for code to branch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum EndpointErrorCode {
    /// The caller's signal stopped the request.
    Aborted,
    /// The endpoint's options are wrong: a bad URL, or a header that cannot be sent. Nothing was sent.
    Misconfigured,
    /// No connection, or the server does not allow this page's origin. A page cannot distinguish the two.
    Unreachable,
    /// The first byte took too long.
    FirstByteTimeout,
    /// The next chunk of a response took too long.
    IdleTimeout,
    /// The whole response took too long.
    TotalTimeout,
    /// The server redirects to another address. Redirects are not followed, because a server that the app did not choose
    /// would get the key and the text.
    Redirected,
    /// 401 or 403: the key is missing or wrong.
    Unauthorized,
    /// The server has no such model, or the address is not that of such an API.
    ModelUnknown,
    /// The prompt does not fit into the model's context window; a shorter one may.
    TooLong,
    /// 429: too many requests for now.
    RateLimited,
    /// 408, 409 or 5xx: the server cannot answer now.
    Overloaded,
    /// Another 4xx, or a quota that is used up: the same request will be refused again.
    Refused,
    /// The response is not what the API sends: a web page, broken JSON, no choices, a tool call.
    BadAnswer,
    /// The connection ended in the middle of the response.
    CutOff,
    /// The answer reached the token limit and lacks its end.
    Truncated,
    /// A filter of the provider, or the model itself, declined to answer.
    Filtered,
    /// A complete answer without any text.
    Empty,
}

impl EndpointError {
    /// An error without an HTTP response.
    pub fn new(code: EndpointErrorCode, message: impl Into<String>) -> Self {
        Self { code, status: None, message: message.into(), retry_after_ms: None }
    }

    pub(crate) fn with_status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// Whether the same request may succeed later, in the engine's terms.
    pub fn failure_kind(&self) -> FailureKind {
        use EndpointErrorCode as Code;
        match self.code {
            Code::Aborted => FailureKind::Cancelled,
            Code::Unreachable
            | Code::FirstByteTimeout
            | Code::IdleTimeout
            | Code::RateLimited
            | Code::Overloaded
            | Code::CutOff => FailureKind::Transient { retry_after_ms: self.retry_after_ms },
            // A retry would take as long again: minutes, by default.
            Code::TotalTimeout
            | Code::Misconfigured
            | Code::Redirected
            | Code::Unauthorized
            | Code::ModelUnknown => FailureKind::Permanent,
            Code::Truncated => FailureKind::Truncated,
            Code::TooLong => FailureKind::TooLong(self.overflow()),
            Code::Refused | Code::BadAnswer | Code::Filtered | Code::Empty => {
                FailureKind::Unsuitable
            }
        }
    }

    /// What the server says of its window, as far as the message has it.
    fn overflow(&self) -> ContextOverflow {
        let message = self.message.to_lowercase();
        let said = ContextOverflow::of(self.status, "context_length_exceeded", &message);
        said.unwrap_or_default()
    }

    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self.failure_kind(), FailureKind::Transient { .. })
    }
}

/// What `Compactor::handle_failure` of the engine takes.
impl From<EndpointError> for Failure {
    fn from(error: EndpointError) -> Self {
        Self { kind: error.failure_kind(), message: error.message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use EndpointErrorCode as Code;

    fn check(code: Code, kind: FailureKind) {
        let error = EndpointError { retry_after_ms: Some(700), ..EndpointError::new(code, "why") };
        assert_eq!(Failure::from(error), Failure { kind, message: "why".to_owned() }, "{code:?}");
    }

    #[test]
    fn only_failures_that_may_pass_are_retried() {
        let transient = FailureKind::Transient { retry_after_ms: Some(700) };
        for code in [
            Code::Unreachable,
            Code::FirstByteTimeout,
            Code::IdleTimeout,
            Code::RateLimited,
            Code::Overloaded,
            Code::CutOff,
        ] {
            check(code, transient);
        }
        for code in [
            Code::Misconfigured,
            Code::Redirected,
            Code::TotalTimeout,
            Code::Unauthorized,
            Code::ModelUnknown,
        ] {
            check(code, FailureKind::Permanent);
        }
        for code in [Code::Refused, Code::BadAnswer, Code::Filtered, Code::Empty] {
            check(code, FailureKind::Unsuitable);
        }
        check(Code::Truncated, FailureKind::Truncated);
        check(Code::Aborted, FailureKind::Cancelled);
    }

    #[test]
    fn i36_the_servers_window_is_read_from_its_words() {
        let message = "the prompt does not fit the window of `m` (400); the server says: request \
            (6972 tokens) exceeds the available context size (1024 tokens), try increasing it";
        let error = EndpointError::new(Code::TooLong, message).with_status(400);
        let expected = ContextOverflow { requested_tokens: Some(6_972), limit_tokens: Some(1_024) };
        assert_eq!(error.failure_kind(), FailureKind::TooLong(expected));
        let error = EndpointError::new(Code::TooLong, "no").with_status(413);
        assert_eq!(error.failure_kind(), FailureKind::TooLong(ContextOverflow::default()));
    }

    #[test]
    fn a_code_is_written_in_kebab_case() {
        let name = |code: Code| serde_json::to_value(code).unwrap();
        assert_eq!(name(Code::FirstByteTimeout), "first-byte-timeout");
        assert_eq!(name(Code::Empty), "empty");
    }
}
