//! The triggers: when to compact, and how far.

mod model;
mod view;

#[cfg(test)]
pub(super) use model::{target, threshold_share};
pub(super) use model::{trigger_field, write_threshold};
pub(super) use view::{MainTriggerSettings, RequestTriggerSettings};
