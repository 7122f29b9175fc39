//! What a compaction does to a message.

use serde::Serialize;

/// Declares the actions together with their list and their names, so that none can be left out of either.
macro_rules! actions {
    ($($(#[doc = $doc:literal])+ $action:ident = $name:literal,)+) => {
        /// What a compaction does to a message.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
        pub enum Action {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $action,)+
        }

        impl Action {
            /// Every action, in the order of display; the place of each is its number in
            /// [`Columns`](super::Columns).
            pub const ALL: &[Self] = &[$(Self::$action,)+];

            /// The action's name, as in JSON.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$action => $name,)+
                }
            }
        }
    };
}

actions! {
    /// It stays as it is in the view now.
    Keep = "keep",
    /// It is removed: it is synthetic and repeated later, or a heartbeat.
    Deduplicate = "deduplicate",
    /// Its tool results are truncated, by their age.
    TruncateToolResults = "truncateToolResults",
    /// The arguments of its tool calls are shortened.
    ClearToolInputs = "clearToolInputs",
    /// A placeholder replaces its tool results; the inputs of the calls may be shortened.
    ClearToolResults = "clearToolResults",
    /// Its tool results are stored under a path; a beginning and an end of them stay.
    OffloadToolResults = "offloadToolResults",
    /// Its signed reasoning is removed: the model accepts it only behind an unchanged history.
    RemoveReasoning = "removeReasoning",
    /// It is the last request, of which a beginning and an end stay.
    ExcerptLastRequest = "excerptLastRequest",
    /// It is removed to make room.
    DropOldest = "dropOldest",
    /// The summary replaces it.
    Summarize = "summarize",
    /// It is not in the view any more: an earlier summary replaced it, or it was removed.
    Summarized = "summarized",
}

impl Action {
    /// True if a reducer removes the whole message.
    pub(super) fn removes_message(self) -> bool {
        matches!(self, Self::Deduplicate | Self::DropOldest)
    }
}
