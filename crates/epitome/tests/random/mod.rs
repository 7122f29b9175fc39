//! Random histories, policies and apps for property tests, and the invariants that must hold for all of them.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot continue should fail"
)]
#![allow(dead_code, reason = "each property test uses a part")]

use proptest::prelude::ProptestConfig;

pub(crate) mod app;
pub(crate) mod history;
pub(crate) mod invariants;
pub(crate) mod plan_follower;
pub(crate) mod policy;
pub(crate) mod team;

/// A configuration for this number of cases, times `EPITOME_RANDOM_TIMES` if that is set.
pub(crate) fn times(cases: u32) -> ProptestConfig {
    let times: Option<f64> =
        option_env!("EPITOME_RANDOM_TIMES").and_then(|times| times.parse().ok());
    let cases = ((f64::from(cases) * times.unwrap_or(1.0)) as u32).max(1);
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_global_rejects: cases * 4,
        ..ProptestConfig::default()
    }
}
