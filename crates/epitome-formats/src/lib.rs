//! Provider message formats: messages are read into the engine's messages and written back without loss.
//!
//! The app keeps its own message objects. Reading gives one or more engine
//! [`Message`](epitome::message::Message)s for each of them, its *steps*. After a compaction
//! [`Format::compose`] says how each message of the view is made: a kept message is the app's own object,
//! and a changed one keeps everything that the change does not touch.
//!
//! # Layers
//!
//! Each module uses only modules above it in this list. Unit tests may use any.
//!
//! 1. `path`: where a value is in a message
//! 2. `shape`: the error for a value that is not a message
//! 3. `issue`: what is wrong with messages, and where
//! 4. `text`: texts and lists inside messages
//! 5. `image_size`: width and height from the first bytes of an image
//! 6. `attachment`: images and files
//! 7. `steps`: ids of the steps of a message
//! 8. `content`: a parsed message, in terms that all formats share
//! 9. `document`: the messages inside a file or request body
//! 10. `usage_fields`: where a provider reports token counts
//! 11. `dialect`: the trait of every format for reading, writing and editing its messages
//! 12. `conformance`: the trait of every format for validating, repairing, converting and detecting them
//! 13. `edit_message`: a message with some parts changed and some steps removed
//! 14. `dialects`: the formats, one file or folder each
//! 15. `registry`: [`Format`], the one list of formats
//! 16. `detect`: which format messages are in
//! 17. `usage`: token counts from a provider's usage object
//! 18. `slices`: long work on lists of messages, in slices
//! 19. `parsed`: a list of messages, parsed
//! 20. `compose`: the messages of a view
//! 21. `composed`: an outline of composed messages, to check them without writing them
//! 22. `acceptance`: whether the provider accepts composed messages
//! 23. `untouched`: whether the provider accepts the messages as they were appended
//! 24. `validate`: what a provider would refuse
//! 25. `repair`: messages that a provider accepts
//! 26. `convert`: messages of one format in another
//!
//! # Adding a format
//!
//! Write its file in `dialects/`, name it in `dialects.rs`, and add one row to the table in `registry.rs`.
//! Detection, usage reading, names and [`Format::ALL`] follow from these three.

mod acceptance;
mod attachment;
mod compose;
mod composed;
mod conformance;
mod content;
mod convert;
mod detect;
mod dialect;
mod dialects;
mod document;
mod edit_message;
mod image_size;
mod issue;
mod locked;
mod parsed;
mod path;
mod reach;
mod registry;
mod repair;
mod shape;
mod slices;
mod steps;
mod text;
mod untouched;
mod usage;
mod usage_fields;
mod validate;

pub use compose::{Outgoing, Recipe};
pub use convert::{Adapted, Converted, OwnForm, adapt, convert, convert_in_slices};
pub use detect::{Detection, detect};
pub use document::{DocumentError, messages_of};
pub use issue::{Issue, IssueCode, Severity};
pub use locked::{validate_locked, validate_locked_in_slices};
pub use reach::{Reach, validate_notes, validate_notes_in_slices};
pub use registry::{Format, Reading};
pub use repair::{Repaired, RepairedMessage, repair, repair_in_slices};
pub use shape::ShapeError;
pub use slices::Slices;
pub use steps::{fit_steps, split_step_id, step_id, steps_of};
pub use untouched::{Untouched, findings_of_accepted};
pub use usage::read_usage;
pub use validate::{Strictness, validate, validate_in_slices};
