//! When to act, how far, and what to leave alone: plain data, with a named preset.

mod keep;
#[expect(clippy::module_inception, reason = "the noun of this room is also its first file")]
mod policy;
mod spec;
mod trigger;

pub use keep::{Keep, Size};
pub use policy::{Policy, PolicyError, SummarySettings, ToolFilter};
pub use spec::{DEFAULT_WINDOW, PRESETS, PolicySpec};
pub use trigger::{Budget, Fill, Trigger};
