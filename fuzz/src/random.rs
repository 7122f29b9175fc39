//! The random histories, policies and apps of the engine's own tests, and their invariants.

#[path = "../../crates/epitome/tests/random/mod.rs"]
mod engine_tests;

pub(crate) use engine_tests::{app, history, invariants, policy};
