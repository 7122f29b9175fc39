//! What the page calls the engine's actions, phases and reasons.
//!
//! Every list is written as `Variant => texts`, and the exhaustive matches come from the same lines: a variant that the
//! engine gets and the page does not name is a compile error.

mod action;
mod engine;
mod phase;
mod reason;
mod role;

pub(crate) use action::{Treatment, action_label, action_sentence, action_summary, change_label};
pub(crate) use engine::{engine_clause, engine_sentence};
pub(crate) use phase::{PHASES, phase_hint, phase_label};
pub(crate) use reason::{REASONS, reason_label};
pub(crate) use role::role_label;
