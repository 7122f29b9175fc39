//! What makes a conversation smaller without a model. Each reducer proposes; a draft decides and counts.

mod age;
mod draft;
mod drop;
mod offload;
mod prune;
mod shorten;
mod strip;
mod trim;

pub(crate) use draft::{Draft, Reduced};
pub(crate) use strip::stale_reasoning;
