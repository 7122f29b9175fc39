//! What makes a conversation smaller without a model. Each reducer proposes; a draft decides and counts.

mod clear;
mod deduplicate;
mod draft;
mod drop_oldest;
mod offload;
mod reasoning;
mod shorten;
mod truncate;

pub(crate) use draft::{Draft, Reduced};
pub(crate) use reasoning::stale_reasoning;
