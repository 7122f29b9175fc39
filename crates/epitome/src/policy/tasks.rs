//! What happens when a task of a workflow is complete.

use serde::{Deserialize, Serialize};

/// When the messages of a completed task are summarized, and who writes the summary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TaskSettings {
    /// The messages of a completed task are summarized if those that no summary covers have at least this many tokens as they
    /// are sent. Default: 0, always.
    pub min_tokens: u32,
    /// The agent that writes one summary of a completed task for all agents, by its own settings; it reads what is for
    /// everyone. Default: `null`, each agent has a summary of its own view written.
    pub shared_by: Option<String>,
}
