//! Why a `tokenizer.json` cannot be counted with.

use std::error::Error;
use std::fmt;

/// Why a `tokenizer.json` is none that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenizerJsonError {
    /// The text is no JSON, or not of the shape that it should have.
    Malformed {
        /// What is wrong, with line and column.
        problem: String,
    },
    /// It asks for something that is not done here.
    Unsupported {
        /// Where it does, as a path: `pre_tokenizer.pretokenizers[0].type`.
        place: String,
        /// What it asks for.
        found: String,
        /// What could stand there.
        known: String,
    },
    /// A token or a merge cannot be.
    Contradiction {
        /// Where it is, as a path: `model.merges[17]`.
        place: String,
        /// What is wrong with it.
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
