//! Token counting, the request overhead, and retries of the summarizer.

mod model;
mod state;
mod view;

pub(super) use model::{
    attempts, by_characters, characters_per_token, counting, first_wait, longest_wait, tool_schemas,
};
pub(crate) use state::{CountingProgress, CountingState};
pub(super) use view::CountingChange;
