//! The triggers: when to compact, and how far.

mod model;
mod view;

pub(super) use model::trigger_field;
#[cfg(test)]
pub(super) use model::{target, threshold_share};
pub(super) use view::{MainTriggerSettings, RequestTriggerSettings};
