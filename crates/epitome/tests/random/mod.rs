//! Random histories, random policies and hosts of any manner, and what must hold with all of them.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot go on should stop"
)]

pub(crate) mod history;
pub(crate) mod host;
pub(crate) mod policy;
pub(crate) mod promises;
