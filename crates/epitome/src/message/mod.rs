//! The canonical message: what every format is read into.

mod id;

pub use id::{CallId, CheckpointId, MessageId, RequestId};
