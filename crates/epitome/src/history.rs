//! What was said: the log, how its messages hang together, and what of it the model sees.

mod check;
mod checkpoint;
pub(crate) mod exchange;
pub(crate) mod frame;
mod late;
mod log;
pub mod pairing;
mod projection;
mod provider;
mod recent;
mod repair;
mod rewrite;
mod view;

pub use checkpoint::{Checkpoint, Cover};
pub use exchange::{Exchange, exchanges};
pub(crate) use late::LateResults;
pub use log::{Log, LogError, Record};
pub use projection::{Projection, Rewritten};
pub(crate) use provider::BoxedProvider;
pub use provider::Provider;
pub use recent::most_recent;
pub use repair::{
    ACKNOWLEDGEMENT, Defect, Ending, Finding, PLACEHOLDER_RESULT, Repair, Repaired, repair,
};
pub use rewrite::{Change, PartChange, Rewrite};
pub use view::{Edit, View};
