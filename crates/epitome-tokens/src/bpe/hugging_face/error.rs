//! Why a `tokenizer.json` cannot be used.

use std::error::Error;
use std::fmt;

/// Why a `tokenizer.json` cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenizerJsonError {
    /// The text is not JSON, or does not have the shape of a `tokenizer.json`.
    Malformed {
        /// What is wrong, with line and column.
        problem: String,
    },
    /// The file needs something that is not supported.
    Unsupported {
        /// Where, as a path: `pre_tokenizer.pretokenizers[0].type`.
        place: String,
        /// What the file has there.
        found: String,
        /// What is supported there.
        known: String,
    },
    /// A token or a merge contradicts the rest of the file.
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

impl fmt::Display for TokenizerJsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { problem } => write!(f, "not a tokenizer.json: {problem}"),
            Self::Unsupported { place, found, known } => {
                write!(f, "{place}: {found} is not known; known are {known}")
            }
            Self::Contradiction { place, problem } => write!(f, "{place}: {problem}"),
        }
    }
}

impl Error for TokenizerJsonError {}
