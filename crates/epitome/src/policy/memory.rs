//! Settings of the memory.

use serde::{Deserialize, Serialize};

/// When entries of the memory are blended, and where the memory is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct MemorySettings {
    /// With this many entries, the oldest are blended into the summary of the memory. Standing instructions do not count.
    /// 0: never. Default: 15.
    pub blend_at: u32,
    /// How many entries are blended at a time, from 1 to `blendAt`. Default: 10.
    pub blend: u32,
    /// The longest summary of the memory, in tokens, above 0. Default: 1,000.
    pub max_tokens: u32,
    /// Whether every summary of the conversation is followed by the memory as it is then. An app that adds the memory to each
    /// request by itself leaves it off. Default: false.
    pub in_summary: bool,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self { blend_at: 15, blend: 10, max_tokens: 1_000, in_summary: false }
    }
}
