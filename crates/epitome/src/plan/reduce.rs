//! What saves tokens without a model. Each reducer proposes changes; a [`Reduction`] decides which are made.

mod clear;
mod deduplicate;
mod drop_oldest;
mod offload;
mod reasoning;
mod reduction;
mod shorten;
mod truncate;

pub(super) use reasoning::stale_reasoning;
pub(super) use reduction::{Reduced, Reduction};
