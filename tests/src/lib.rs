//! What the tests that cross crates share: a host for the engine, the real conversations, and a judge.

mod data;
mod host;
mod judge;

pub use data::{Conversation, answers, conversations, malformed, recordings};
pub use host::Host;
pub use judge::{defects, facts_in, readable, role};
