//! Provider message formats, read into the engine's messages and written back losslessly.
//!
//! The host keeps its own objects. Reading makes one or several [`Message`](epitome::message::Message)s of each;
//! afterwards the engine answers with edits, and [`Format::compose`] tells how to put the view together: a
//! kept message is the very object that came in, and everything in it that is not changed stays as it is.

mod acceptance;

mod compose;
mod content;
mod convert;
mod detect;
mod dialect;
mod dialects;
mod document;
mod edit_message;
mod registry;

mod issue;
mod parsed;

mod composed;
mod image_size;
mod path;
mod repair;
mod steps;
mod text;
mod usage;
mod validate;

pub use compose::{Outgoing, Recipe};
pub use convert::{Converted, convert};
pub use detect::{Detection, detect};
pub use document::{DocumentError, messages_of};
pub use issue::{Code, Issue, Severity};
pub use registry::{Format, Reading, ShapeError};
pub use repair::{Repaired, RepairedMessage, repair};
pub use steps::{fit, piece_id, pieces_of, whole_of};
pub use usage::usage;
pub use validate::{Strictness, validate};
