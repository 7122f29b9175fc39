//! The canonical message: what every format is read into.

mod id;
#[expect(clippy::module_inception, reason = "the noun of this room is also its first file")]
mod message;
mod part;
mod usage;

pub use id::{CallId, CheckpointId, MessageId, RequestId};
pub use message::{Audience, Message, Role};
pub use part::{Media, Part};
pub use usage::Usage;
