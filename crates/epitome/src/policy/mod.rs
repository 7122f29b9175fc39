//! When to act, how far, and what to leave alone: plain data, with named presets.

mod counting;
mod keep;
#[expect(clippy::module_inception, reason = "the noun of this room is also its first file")]
mod policy;
mod preset;
mod reducer;
#[cfg(feature = "schema")]
mod schema;
mod spec;
mod summary;
mod trigger;

pub use counting::{Counting, Encoding, Family};
pub use keep::{Keep, Size};
pub use policy::{Policy, PolicyError};
pub use preset::PRESETS;
pub use reducer::{
    ClearToolInputs, OffloadToolResults, Reducer, ReducerRule, TruncateToolResults, TruncationStep,
};
#[cfg(feature = "schema")]
pub use schema::schema;
pub use spec::{DEFAULT_WINDOW, PolicySpec};
pub use summary::{
    LastRequest, Shape, Summarizer, SummaryPlacement, SummarySettings, ToolFilter, WindowTooSmall,
};
pub(crate) use trigger::share;
pub use trigger::{Budget, Call, Fill, Load, Phase, Reactive, RequestBoundary, Trigger};
