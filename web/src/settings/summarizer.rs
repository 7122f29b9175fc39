//! The summarizer of this page, and how to reach it.

mod model;
mod view;

pub(crate) use model::{Availability, Summarizer, find_summarizer};
pub(super) use view::SummarizerSettings;
