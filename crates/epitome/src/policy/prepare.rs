//! From when on the next summary is written in advance.

use serde::{Deserialize, Serialize};

use super::share;

/// How full the window is when the summary of the next compaction begins to be written, in the background.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum PrepareAt {
    /// This share of the window, above 0 and below 1.
    Fraction(f64),
    /// This many tokens, above 0.
    Tokens(u32),
}

impl PrepareAt {
    /// In a window of this size, in tokens.
    pub(crate) fn tokens(self, window: u32) -> u32 {
        match self {
            Self::Fraction(fraction) => share(window, fraction),
            Self::Tokens(tokens) => tokens,
        }
    }
}
