//! Token counting, the request overhead, and retries of the summarizer.

mod model;
mod state;
mod view;

pub(crate) use state::{CountingProgress, CountingState};
pub(super) use view::CountingSettings;
