//! Placeholder.

pub mod message;
pub mod meter;
pub mod summary;
