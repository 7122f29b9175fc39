//! The log of a conversation, which of its messages belong together, and the view of it that the model gets.

mod asides;
mod check;
mod checkpoint;
mod commits;
pub(crate) mod exchange;
mod journal;
mod late_result;
mod layers;
mod log;
mod most_recent;
pub(crate) mod open_calls;
pub mod pairing;
mod projection;
mod provider;
mod record;
mod repair;
mod rewrite;
mod state;
pub(crate) mod tagged;
mod tasks;
mod tree;
mod view;

pub use checkpoint::{Checkpoint, Cover};
pub use exchange::{Exchange, exchanges};
pub(crate) use journal::Journal;
pub(crate) use late_result::LateResults;
pub use layers::Layers;
pub use log::Log;
pub use most_recent::most_recent;
pub use projection::{Projection, Rewritten};
pub use provider::Provider;
pub(crate) use provider::SharedProvider;
pub use record::{LogError, Record, UnknownRecord};
pub use repair::{
    ACKNOWLEDGEMENT, Defect, Ending, Finding, PLACEHOLDER_RESULT, Repair, Repaired, own_defects,
    repair,
};
pub(crate) use rewrite::without_signed_reasoning;
pub use rewrite::{Change, PartChange, Rewrite};
pub(crate) use tagged::TaggedSummary;
pub use view::{Edit, View};
