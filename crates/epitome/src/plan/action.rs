//! What becomes of a message.

use serde::Serialize;

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It stays as it is seen now.
    Keep,
    /// It adds nothing, and is left out.
    Deduplicate,
    /// Its tool results are truncated by age.
    TruncateToolResults,
    /// The arguments of its tool calls are shortened.
    ClearToolInputs,
    /// Its tool results are put aside.
    OffloadToolResults,
    /// Its sealed thoughts are left out: behind a changed past no provider takes them.
    RemoveReasoning,
    /// It is left out to make room.
    DropOldest,
    /// The summary is to stand for it.
    Summarize,
    /// It is not in the view any more: an earlier summary stands for it, or it was left out.
    Summarized,
}

impl Action {
    /// Every action, in the order to show them, each at its own number.
    pub const ALL: [Self; 9] = [
        Self::Keep,
        Self::Deduplicate,
        Self::TruncateToolResults,
        Self::ClearToolInputs,
        Self::OffloadToolResults,
        Self::RemoveReasoning,
        Self::DropOldest,
        Self::Summarize,
        Self::Summarized,
    ];

    /// The action's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Deduplicate => "deduplicate",
            Self::TruncateToolResults => "truncateToolResults",
            Self::ClearToolInputs => "clearToolInputs",
            Self::OffloadToolResults => "offloadToolResults",
            Self::RemoveReasoning => "removeReasoning",
            Self::DropOldest => "dropOldest",
            Self::Summarize => "summarize",
            Self::Summarized => "summarized",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_is_listed_at_its_number() {
        for (number, action) in Action::ALL.into_iter().enumerate() {
            assert_eq!(action as usize, number, "{action:?}");
        }
    }
}
