//! What a plan does with messages, in words.

use epitome::Action;
use epitome::history::Change;
use strum::EnumCount;

/// The action on a badge.
pub(crate) fn action_label(action: Action) -> &'static str {
    match action {
        Action::Keep => "keep",
        Action::Deduplicate => "deduplicate",
        Action::TruncateToolResults => "truncate tool results",
        Action::ClearToolInputs => "clear tool inputs",
        Action::ClearToolResults => "clear tool results",
        Action::OffloadToolResults => "offload tool results",
        Action::RemoveReasoning => "remove reasoning",
        Action::ExcerptLastRequest => "excerpt last request",
        Action::DropOldest => "drop oldest",
        Action::Summarize => "summarize",
        Action::Summarized => "summarized",
    }
}

/// What the action does with one message, as a sentence.
pub(crate) fn action_sentence(action: Action) -> &'static str {
    match action {
        Action::Keep => "A compaction would keep it word for word.",
        Action::Deduplicate => "A compaction would remove it, because it adds nothing.",
        Action::TruncateToolResults => "A compaction would truncate its old tool results.",
        Action::ClearToolInputs => "A compaction would shorten the arguments of its tool calls.",
        Action::ClearToolResults => "A compaction would clear its old tool results.",
        Action::OffloadToolResults => {
            "A compaction would offload its tool results, which can be read back in full."
        }
        Action::RemoveReasoning => "A compaction would remove its signed reasoning.",
        Action::ExcerptLastRequest => {
            "A compaction would shorten it to its beginning and its end; the history has it whole."
        }
        Action::DropOldest => "A compaction would remove it to free tokens.",
        Action::Summarize => "A compaction would summarize it.",
        Action::Summarized => "The active summary replaces it.",
    }
}

/// What the action does with several messages, in a few words.
pub(crate) fn action_summary(action: Action) -> &'static str {
    match action {
        Action::Keep => "stay word for word",
        Action::Deduplicate => "add nothing and are removed",
        Action::TruncateToolResults => "have old tool results truncated",
        Action::ClearToolInputs => "have tool arguments shortened",
        Action::ClearToolResults => "have tool results cleared",
        Action::OffloadToolResults => "have tool results offloaded",
        Action::RemoveReasoning => "lose their signed reasoning",
        Action::ExcerptLastRequest => "keep their beginning and their end",
        Action::DropOldest => "are removed to free tokens",
        Action::Summarize => "become the summary",
        Action::Summarized => "are summarized already",
    }
}

/// What was already done to a rewritten message, by its first change.
pub(crate) fn change_label(change: &Change) -> &'static str {
    match change {
        Change::Text { .. } => "truncated",
        Change::Offload { .. } => "offloaded",
        Change::Arguments { .. } => "inputs cleared",
        Change::Remove => "reasoning removed",
    }
}

/// What happens to a message, as pictures, badges and rows show it: several actions look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumCount)]
pub(crate) enum Treatment {
    /// It is not in the view any more.
    Gone,
    /// It stays word for word.
    Kept,
    /// It stays with less in it.
    Shortened,
    /// It is removed without a summary.
    Removed,
    /// The summary replaces it.
    Summarized,
}

impl Treatment {
    /// Every treatment, in the order of the key.
    pub(crate) const ALL: [Self; Self::COUNT] =
        [Self::Kept, Self::Summarized, Self::Shortened, Self::Removed, Self::Gone];

    /// Its name in the page's markup, for the style sheets.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Kept => "kept",
            Self::Shortened => "shortened",
            Self::Removed => "removed",
            Self::Summarized => "summarized",
        }
    }

    /// What it means for the messages.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Gone => "only in the history",
            Self::Kept => "stay word for word",
            Self::Shortened => "are shortened",
            Self::Removed => "are removed",
            Self::Summarized => "become the summary",
        }
    }

    /// What an action does.
    pub(crate) fn of(action: Action) -> Self {
        match action {
            Action::Keep => Self::Kept,
            Action::Deduplicate | Action::DropOldest => Self::Removed,
            Action::TruncateToolResults
            | Action::ClearToolInputs
            | Action::ClearToolResults
            | Action::OffloadToolResults
            | Action::RemoveReasoning
            | Action::ExcerptLastRequest => Self::Shortened,
            Action::Summarize => Self::Summarized,
            Action::Summarized => Self::Gone,
        }
    }
}
