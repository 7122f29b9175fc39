//! The unit of the meter: tokens before the provider's scale is applied.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use serde::{Deserialize, Serialize};

/// Tokens as the [`Meter`](super::Meter) counts them.
///
/// A provider counts the same texts differently, and adds tokens of its own to every request. A
/// [`Scale`](crate::calibration::Scale) converts between the two; it is the only way from one to the
/// other, so that a limit of a policy, which is in the provider's tokens, cannot be compared with a
/// count of the meter by mistake. A token count of type `u32` is always in the provider's tokens.
///
/// Sums and differences saturate at the ends of `u32`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct MeterTokens(u32);

impl MeterTokens {
    /// No tokens.
    pub const ZERO: Self = Self(0);

    /// This many tokens of the meter.
    pub const fn new(tokens: u32) -> Self {
        Self(tokens)
    }

    /// The bare number. For arithmetic with tokens of the provider use a scale instead.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Half of them, rounded down.
    pub(crate) fn half(self) -> Self {
        Self(self.0 / 2)
    }
}

impl Add for MeterTokens {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for MeterTokens {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for MeterTokens {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for MeterTokens {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for MeterTokens {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::ZERO, Add::add)
    }
}
