//! Random histories, random policies and hosts of any manner, and what must hold with all of them.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot go on should stop"
)]
#![allow(dead_code, reason = "each property uses its share")]

use proptest::prelude::ProptestConfig;

pub(crate) mod app;
pub(crate) mod history;
pub(crate) mod invariants;
pub(crate) mod plan_follower;
pub(crate) mod policy;

/// Looks at so many cases; at more of them by the factor `EPITOME_RANDOM_TIMES`.
pub(crate) fn times(cases: u32) -> ProptestConfig {
    let times = option_env!("EPITOME_RANDOM_TIMES").and_then(|times| times.parse().ok());
    let cases = cases * times.unwrap_or(1);
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_global_rejects: cases * 4,
        ..ProptestConfig::default()
    }
}
