//! Points in time, given by the app: the engine has no clock.

use serde::{Deserialize, Serialize};

/// Milliseconds on the app's clock. The origin is the app's choice, and the same for all calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// Milliseconds since an earlier time; 0 if that is later.
    pub(crate) fn since_ms(self, earlier: Self) -> u32 {
        u32::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(u32::MAX)
    }

    /// The time `delay_ms` milliseconds later.
    #[must_use]
    pub fn plus_ms(self, delay_ms: u64) -> Self {
        Self(self.0.saturating_add(delay_ms))
    }
}
