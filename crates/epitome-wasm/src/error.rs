//! Errors as JavaScript gets them: an `Error` with the name `EpitomeError` and a code.

use std::fmt::Display;

use epitome::history::LogError;
use epitome::{CommandError, PolicyError, RestoreError, SetPolicyError, SnapshotError};
use epitome_browser::{EndpointError, EndpointErrorCode};
use epitome_tokens::NotLoaded;
use js_sys::Reflect;
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::JsValue;

/// What went wrong, for code to branch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Tsify)]
#[serde(untagged)]
pub enum ErrorCode {
    /// A call of this package was wrong, or came at the wrong time.
    Package(PackageErrorCode),
    /// A request to an endpoint failed.
    Endpoint(EndpointErrorCode),
}

/// What went wrong in a call of this package, for code to branch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "kebab-case")]
pub enum PackageErrorCode {
    /// The format has no reader.
    UnknownFormat,
    /// An option has a value that cannot be used.
    InvalidOption,
    /// The policy cannot work.
    InvalidPolicy,
    /// A value is not a message. Nothing of its batch was appended.
    InvalidMessage,
    /// A message, a list or an option exceeds a limit that keeps the page responsive; the error names it and the limit.
    TooLarge,
    /// No message has this id.
    UnknownId,
    /// The message with this id is on another branch of the conversation.
    OtherBranch,
    /// The message is only for some agents, so that it has no place in the conversation of all, or an edit would change who
    /// sees it.
    PrivateMessage,
    /// Another message has this id.
    DuplicateId,
    /// A text is not a snapshot, or one that this version cannot read.
    InvalidSnapshot,
    /// The originals are not those of the snapshot.
    InvalidOriginals,
    /// Another writer has stored something since, or has taken over: open the conversation again. Nothing was stored.
    Conflict,
    /// What a store has is not what was stored; the error says from where on.
    DamagedLog,
    /// A compaction is running.
    Busy,
    /// The last compaction failed, and no message has been appended since.
    Exhausted,
    /// No compaction can be undone.
    NothingToUndo,
    /// No encoding has this name.
    UnknownEncoding,
    /// The vocabulary of an encoding, or a tokenizer, is not loaded; the error's `encoding` or `tokenizer` names it.
    EncodingNotLoaded,
    /// The vocabulary of an encoding, or a tokenizer, could not be fetched.
    EncodingUnavailable,
    /// A file is not a vocabulary, or that of another encoding; or a tokenizer cannot be reproduced exactly.
    InvalidVocabulary,
    /// The compactor was disposed of.
    Disposed,
    /// A call of this compactor ended abnormally, such as at the end of the stack or of the memory. Restore it from its last
    /// snapshot; its messages are still there.
    Broken,
    /// The wasm module could not be loaded.
    NotLoaded,
    /// A bug in this package.
    Internal,
}

/// An error to throw.
pub(crate) struct Thrown {
    error: js_sys::Error,
}

impl Thrown {
    pub(crate) fn new(code: impl Into<ErrorCode>, message: &dyn Display) -> Self {
        Self::with_code(code.into(), message)
    }

    fn with_code(code: ErrorCode, message: &dyn Display) -> Self {
        let error = js_sys::Error::new(&message.to_string());
        error.set_name("EpitomeError");
        let thrown = Self { error };
        // A code serializes to its name, and setting a property of a new object cannot fail.
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

/// A value that could not be serialized, which does not happen with our types.
impl From<tsify::Error> for Thrown {
    fn from(error: tsify::Error) -> Self {
        Self::new(PackageErrorCode::Internal, &error)
    }
}

impl From<CommandError> for Thrown {
    fn from(error: CommandError) -> Self {
        let code = match &error {
            CommandError::Busy => PackageErrorCode::Busy,
            CommandError::NothingToUndo => PackageErrorCode::NothingToUndo,
            CommandError::Exhausted(_) => PackageErrorCode::Exhausted,
            CommandError::Log(LogError::DuplicateId(_)) => PackageErrorCode::DuplicateId,
            CommandError::Log(LogError::UnknownId(_)) => PackageErrorCode::UnknownId,
            CommandError::Log(LogError::OtherBranch(_)) => PackageErrorCode::OtherBranch,
            CommandError::Log(LogError::Private(_) | LogError::Audience(_)) => {
                PackageErrorCode::PrivateMessage
            }
            CommandError::NothingToPersist
            | CommandError::NothingToDecide
            | CommandError::OfTeam
            | CommandError::UnknownAgent(_)
            | CommandError::NoProvider { .. }
            | CommandError::Log(LogError::UnknownCheckpoint(_)) => PackageErrorCode::Internal,
        };
        Self::new(code, &error)
    }
}

impl From<PolicyError> for Thrown {
    fn from(error: PolicyError) -> Self {
        Self::new(PackageErrorCode::InvalidPolicy, &error)
    }
}

impl From<SetPolicyError> for Thrown {
    fn from(error: SetPolicyError) -> Self {
        match error {
            SetPolicyError::Busy => CommandError::Busy.into(),
            SetPolicyError::Invalid(error) => error.into(),
        }
    }
}

impl From<NotLoaded> for Thrown {
    fn from(error: NotLoaded) -> Self {
        let refuse = |first: String| {
            Self::new(PackageErrorCode::EncodingNotLoaded, &format!("{error}; await {first} first"))
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
        Self::new(PackageErrorCode::InvalidSnapshot, &error)
    }
}

impl From<RestoreError> for Thrown {
    fn from(error: RestoreError) -> Self {
        Self::new(PackageErrorCode::InvalidSnapshot, &error)
    }
}

impl From<EndpointError> for Thrown {
    fn from(error: EndpointError) -> Self {
        let mut thrown = Self::new(error.code, &error).with("retryable", error.is_retryable());
        if let Some(status) = error.status {
            thrown = thrown.with("status", status);
        }
        if let Some(retry_after_ms) = error.retry_after_ms {
            thrown = thrown.with("retryAfterMs", retry_after_ms as f64);
        }
        thrown
    }
}

impl From<PackageErrorCode> for ErrorCode {
    fn from(code: PackageErrorCode) -> Self {
        Self::Package(code)
    }
}

impl From<EndpointErrorCode> for ErrorCode {
    fn from(code: EndpointErrorCode) -> Self {
        Self::Endpoint(code)
    }
}
