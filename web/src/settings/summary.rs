//! The summary: how the prefix is summarized, and by whom.

mod model;
mod view;

#[cfg(test)]
pub(super) use model::chunks;
pub(super) use view::SummarySettings;
