//! Why a `tokenizer.json` cannot be used.

use std::fmt;

use thiserror::Error;

/// Why a `tokenizer.json` cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TokenizerJsonError {
    /// The text is not JSON, or does not have the shape of a `tokenizer.json`.
    #[error("not a tokenizer.json: {problem}")]
    Malformed {
        /// What is wrong, with line and column.
        problem: String,
    },
    /// The file needs something that is not supported.
    #[error("{place}: {found} is not known; known are {known}")]
    Unsupported {
        /// Where, as a path: `pre_tokenizer.pretokenizers[0].type`.
        place: String,
        /// What the file has there.
        found: String,
        /// What is supported there.
        known: String,
    },
    /// A token or a merge contradicts the rest of the file.
    #[error("{place}: {problem}")]
    Contradiction {
        /// Where, as a path: `model.merges[17]`.
        place: String,
        /// What is wrong there.
        problem: String,
    },
}

impl TokenizerJsonError {
    pub(super) fn unsupported(place: &str, found: &impl fmt::Display, known: &str) -> Self {
        Self::Unsupported {
            place: place.to_owned(),
            found: found.to_string(),
            known: known.to_owned(),
        }
    }
}
