//! Errors as JavaScript sees them: an `Error` of the name `EpitomeError` with a code to decide by.

use std::fmt::Display;

use epitome::history::LogError;
use epitome::{CommandError, PolicyChange, PolicyError, RestoreError, SnapshotError};
use epitome_browser::{EndpointError, FailureKind, Phase};
use epitome_tokens::NotLoaded;
use js_sys::Reflect;
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::JsValue;

/// What went wrong, for code to decide by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// The format has no reader.
    UnknownFormat,
    /// An option has a value that cannot be used.
    InvalidOption,
    /// The policy cannot work.
    InvalidPolicy,
    /// A value is no message. Nothing of its batch was taken.
    InvalidMessage,
    /// No message has this id.
    UnknownId,
    /// A message of this id is there already.
    DuplicateId,
    /// A text is no snapshot, or one that this version cannot read.
    InvalidSnapshot,
    /// The originals are not those of the snapshot.
    InvalidOriginals,
    /// A compaction is running.
    Busy,
    /// The last compaction failed, and nothing has been said since.
    Exhausted,
    /// There is no compaction to undo.
    NothingToUndo,
    /// There is no encoding of this name.
    UnknownEncoding,
    /// The vocabulary of an encoding is not loaded yet, or a tokenizer; the error's `encoding` or `tokenizer` says
    /// which.
    EncodingNotLoaded,
    /// The vocabulary of an encoding, or a tokenizer, could not be fetched.
    EncodingUnavailable,
    /// What was given is no vocabulary, that of another encoding, or no tokenizer that can be counted by exactly.
    InvalidVocabulary,
    /// The compactor was disposed of.
    Disposed,
    /// The wasm module could not be loaded.
    NotLoaded,
    /// A mistake in this package.
    Internal,
    /// The signal stopped the request.
    Aborted,
    /// The endpoint's description cannot be asked; nothing was sent.
    Misconfigured,
    /// No connection, or the server does not allow this page's origin.
    Unreachable,
    /// The first byte took too long.
    FirstByteTimeout,
    /// The next piece of an answer took too long.
    IdleTimeout,
    /// The whole answer took too long.
    TotalTimeout,
    /// The key is missing or wrong.
    Unauthorized,
    /// The server has no such model.
    ModelUnknown,
    /// The prompt does not fit the model's window.
    TooLong,
    /// Too many requests for now.
    RateLimited,
    /// The server cannot answer now.
    Overloaded,
    /// The request was refused, and will be again.
    Refused,
    /// Something came that is no chat completion.
    BadAnswer,
    /// The connection ended in the middle of the answer.
    CutOff,
    /// The answer reached the limit of tokens and lacks its end.
    Truncated,
    /// A filter, or the model itself, declined to answer.
    Filtered,
    /// A complete answer with no text in it.
    Empty,
}

/// An error to throw.
pub(crate) struct Thrown {
    error: js_sys::Error,
}

impl Thrown {
    pub(crate) fn new(code: ErrorCode, message: &dyn Display) -> Self {
        let error = js_sys::Error::new(&message.to_string());
        error.set_name("EpitomeError");
        let thrown = Self { error };
        // A unit variant serializes to its name, and a new object takes any property.
        thrown.with("code", serde_wasm_bindgen::to_value(&code).unwrap_or(JsValue::UNDEFINED))
    }

    fn with(self, key: &str, value: impl Into<JsValue>) -> Self {
        let _ = Reflect::set(&self.error, &key.into(), &value.into());
        self
    }
}

impl From<Thrown> for JsValue {
    fn from(thrown: Thrown) -> Self {
        thrown.error.into()
    }
}

/// A serializer that failed, which none of our types makes it do.
impl From<tsify::Error> for Thrown {
    fn from(error: tsify::Error) -> Self {
        Self::new(ErrorCode::Internal, &error)
    }
}

impl From<CommandError> for Thrown {
    fn from(error: CommandError) -> Self {
        let code = match &error {
            CommandError::Busy => ErrorCode::Busy,
            CommandError::NothingToUndo => ErrorCode::NothingToUndo,
            CommandError::Exhausted(_) => ErrorCode::Exhausted,
            CommandError::Log(LogError::DuplicateId(_)) => ErrorCode::DuplicateId,
            CommandError::Log(LogError::UnknownId(_)) => ErrorCode::UnknownId,
            CommandError::NothingToPersist
            | CommandError::NothingToDecide
            | CommandError::Log(LogError::UnknownCheckpoint(_)) => ErrorCode::Internal,
        };
        Self::new(code, &error)
    }
}

impl From<PolicyError> for Thrown {
    fn from(error: PolicyError) -> Self {
        Self::new(ErrorCode::InvalidPolicy, &error)
    }
}

impl From<PolicyChange> for Thrown {
    fn from(error: PolicyChange) -> Self {
        match error {
            PolicyChange::Busy => CommandError::Busy.into(),
            PolicyChange::Refused(error) => error.into(),
        }
    }
}

impl From<NotLoaded> for Thrown {
    fn from(error: NotLoaded) -> Self {
        let refuse = |first: String| {
            Self::new(ErrorCode::EncodingNotLoaded, &format!("{error}; await {first} first"))
        };
        match &error {
            NotLoaded::Encoding(encoding) => {
                let name = encoding.as_str();
                refuse(format!("loadEncoding({name:?})")).with("encoding", name)
            }
            NotLoaded::Tokenizer(name) => {
                refuse(format!("loadTokenizer({name:?}, …)")).with("tokenizer", name)
            }
        }
    }
}

impl From<SnapshotError> for Thrown {
    fn from(error: SnapshotError) -> Self {
        Self::new(ErrorCode::InvalidSnapshot, &error)
    }
}

impl From<RestoreError> for Thrown {
    fn from(error: RestoreError) -> Self {
        Self::new(ErrorCode::InvalidSnapshot, &error)
    }
}

impl From<EndpointError> for Thrown {
    fn from(error: EndpointError) -> Self {
        let mut thrown =
            Self::new(error.kind.into(), &error).with("retryable", error.kind.is_retryable());
        if let Some(status) = error.status {
            thrown = thrown.with("status", status);
        }
        if let Some(retry_after_ms) = error.retry_after_ms {
            thrown = thrown.with("retryAfterMs", retry_after_ms as f64);
        }
        thrown
    }
}

impl From<FailureKind> for ErrorCode {
    fn from(kind: FailureKind) -> Self {
        match kind {
            FailureKind::Aborted => Self::Aborted,
            FailureKind::Misconfigured => Self::Misconfigured,
            FailureKind::Unreachable => Self::Unreachable,
            FailureKind::TimedOut(Phase::FirstByte) => Self::FirstByteTimeout,
            FailureKind::TimedOut(Phase::Idle) => Self::IdleTimeout,
            FailureKind::TimedOut(Phase::Total) => Self::TotalTimeout,
            FailureKind::Unauthorized => Self::Unauthorized,
            FailureKind::ModelUnknown => Self::ModelUnknown,
            FailureKind::TooLong => Self::TooLong,
            FailureKind::RateLimited => Self::RateLimited,
            FailureKind::Overloaded => Self::Overloaded,
            FailureKind::Refused => Self::Refused,
            FailureKind::BadAnswer => Self::BadAnswer,
            FailureKind::CutOff => Self::CutOff,
            FailureKind::Truncated => Self::Truncated,
            FailureKind::Filtered => Self::Filtered,
            FailureKind::Empty => Self::Empty,
        }
    }
}
