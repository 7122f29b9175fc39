//! What the tests across crates share: an app around the engine, conversations to run on, and checks of messages
//! that use none of the engine's code.

mod app;
mod checks;
mod data;
mod skipped;

pub use app::App;
pub use checks::{defects, facts_in, has_fact, readable, role};
pub use data::{
    Conversation, broken_histories, chats, conversations, fixture, fixture_text, fixtures,
    recorded_chats, recordings, responses,
};
pub use skipped::skipped;
