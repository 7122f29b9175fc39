//! What a plan does with messages, in words.

use epitome::Action;
use epitome::history::Change;
use strum::EnumCount;

use crate::language::t;
use crate::number::thousands;

/// The action on a badge.
pub(crate) fn action_label(action: Action) -> &'static str {
    match action {
        Action::Keep => t!("keep"),
        Action::Deduplicate => t!("deduplicate"),
        Action::TruncateToolResults => t!("truncate tool results"),
        Action::ClearToolInputs => t!("clear tool inputs"),
        Action::ClearToolResults => t!("clear tool results"),
        Action::OffloadToolResults => t!("offload tool results"),
        Action::RemoveReasoning => t!("remove reasoning"),
        Action::ExcerptLastRequest => t!("excerpt last request"),
        Action::DropOldest => t!("drop oldest"),
        Action::Summarize => t!("summarize"),
        Action::Summarized => t!("summarized"),
    }
}

/// What the action does with one message, as a sentence.
pub(crate) fn action_sentence(action: Action) -> &'static str {
    match action {
        Action::Keep => t!("A compaction would keep it word for word."),
        Action::Deduplicate => t!("A compaction would remove it, because it adds nothing."),
        Action::TruncateToolResults => t!("A compaction would truncate its old tool results."),
        Action::ClearToolInputs => {
            t!("A compaction would shorten the arguments of its tool calls.")
        }
        Action::ClearToolResults => t!("A compaction would clear its old tool results."),
        Action::OffloadToolResults => {
            t!("A compaction would offload its tool results, which can be read back in full.")
        }
        Action::RemoveReasoning => t!("A compaction would remove its signed reasoning."),
        Action::ExcerptLastRequest => {
            t!(
                "A compaction would shorten it to its beginning and its end; the history has it whole."
            )
        }
        Action::DropOldest => t!("A compaction would remove it to free tokens."),
        Action::Summarize => t!("A compaction would summarize it."),
        Action::Summarized => t!("The active summary replaces it."),
    }
}

/// What the action does with several messages, in a few words.
pub(crate) fn action_summary(action: Action) -> &'static str {
    match action {
        Action::Keep => t!("stay word for word"),
        Action::Deduplicate => t!("add nothing and are removed"),
        Action::TruncateToolResults => t!("have old tool results truncated"),
        Action::ClearToolInputs => t!("have tool arguments shortened"),
        Action::ClearToolResults => t!("have tool results cleared"),
        Action::OffloadToolResults => t!("have tool results offloaded"),
        Action::RemoveReasoning => t!("lose their signed reasoning"),
        Action::ExcerptLastRequest => t!("keep their beginning and their end"),
        Action::DropOldest => t!("are removed to free tokens"),
        Action::Summarize => t!("become the summary"),
        Action::Summarized => t!("are summarized already"),
    }
}

/// What was already done to a rewritten message, by its first change.
pub(crate) fn change_label(change: &Change) -> &'static str {
    match change {
        Change::Text { .. } => t!("truncated"),
        Change::Offload { .. } => t!("offloaded"),
        Change::Arguments { .. } => t!("inputs cleared"),
        Change::Remove => t!("reasoning removed"),
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
            Self::Gone => t!("only in the history"),
            Self::Kept => t!("stay word for word"),
            Self::Shortened => t!("are shortened"),
            Self::Removed => t!("are removed"),
            Self::Summarized => t!("become the summary"),
        }
    }

    /// What it means for that many messages, which are given as a number.
    pub(crate) fn counted(self, number: u32) -> String {
        let number = thousands(number);
        match self {
            Self::Gone => t!("{number} only in the history", number),
            Self::Kept => t!("{number} stay word for word", number),
            Self::Shortened => t!("{number} are shortened", number),
            Self::Removed => t!("{number} are removed", number),
            Self::Summarized => t!("{number} become the summary", number),
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
