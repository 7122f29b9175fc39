//! Provider message formats, read into the engine's messages and written back losslessly.
//!
//! The host keeps its own objects. Reading makes one or several [`Message`](epitome::message::Message)s of each;
//! afterwards the engine answers with edits, and [`Format::compose`] tells how to put the view together: a
//! kept message is the very object that came in, and everything in it that is not changed stays as it is.

mod acceptance;
mod ai_sdk_model;
mod ai_sdk_part;
mod ai_sdk_ui;
mod anthropic;
mod bedrock;
mod compose;
mod content;
mod convert;
mod detect;
mod dialect;
mod document;
mod extract;
mod format;
mod gemini;
mod history;
mod issue;
mod langchain;
mod openai_chat;
mod openai_responses;
mod outline;
mod path;
mod pieces;
mod pixels;
mod repair;
mod text;
mod usage;
mod validate;

pub use compose::{Outgoing, Recipe};
pub use convert::{Converted, convert};
pub use detect::{Detection, detect};
pub use document::{DocumentError, messages_of};
pub use format::{Format, Reading, ShapeError};
pub use issue::{Code, Issue, Severity};
pub use pieces::{fit, piece_id, pieces_of, whole_of};
pub use repair::{Repaired, RepairedMessage, repair};
pub use usage::usage;
pub use validate::{Strictness, validate};
