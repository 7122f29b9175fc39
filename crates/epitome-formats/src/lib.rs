//! Provider message formats, read into the engine's messages and written back losslessly.
//!
//! The host keeps its own objects. Reading makes a [`Message`](epitome::message::Message) of each;
//! afterwards the engine answers with edits, and only what it inserted is written: a kept message is the
//! very object that came in.

mod detect;
mod document;
mod format;
pub mod openai_chat;

pub use detect::{Detection, detect};
pub use document::{DocumentError, messages_of};
pub use format::{Format, Reading, ShapeError, Surprise};
