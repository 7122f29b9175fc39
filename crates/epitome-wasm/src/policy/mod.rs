//! When to compact and how far, as JavaScript writes it.
//!
//! A policy is read by the engine's own types, which refuse a field they do not know. These here are their
//! declarations; each is made from the engine's, so that a field cannot be missing.

mod counting;
mod keep;
#[expect(clippy::module_inception, reason = "the noun of this room is also its first file")]
mod policy;
mod reducer;
mod spec;
mod summary;
mod trigger;

pub use counting::{Counting, Encoding, Family};
pub use keep::Keep;
pub use policy::{Policy, Retry, SummaryPlacement};
pub use reducer::{
    ClearToolInputs, OffloadToolResults, Reducer, ReducerRule, TruncateToolResults, TruncationStep,
};
pub(crate) use spec::resolve;
pub use spec::{PolicyFields, PolicySpec, resolve_policy};
pub use summary::{LastRequest, Shape, SummarySettings, ToolFilter};
pub use trigger::{Budget, Fill, Phase, Reactive, RequestBoundary, Trigger};
