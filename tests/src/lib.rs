//! What the tests that cross crates share: a host for the engine, and the real conversations.

mod data;
mod host;

pub use data::{Conversation, conversations, malformed};
pub use host::Host;
