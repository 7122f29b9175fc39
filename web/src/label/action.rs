//! What becomes of a message, in words.

use epitome::Action;
use epitome::history::Change;

/// What an action means for one message, as a sentence.
pub(crate) fn sentence(action: Action) -> &'static str {
    match action {
        Action::Keep => "A compaction would keep it word for word.",
        Action::Deduplicate => "It adds nothing: a compaction would leave it out.",
        Action::TruncateToolResults => {
            "A compaction would truncate its tool results, for their age."
        }
        Action::ClearToolInputs => "A compaction would shorten the arguments of its calls.",
        Action::OffloadToolResults => {
            "A compaction would put its tool results aside; all of them can be read back."
        }
        Action::RemoveReasoning => "A compaction would leave out its sealed thoughts.",
        Action::DropOldest => "A compaction would leave it out to make room.",
        Action::Summarize => "A compaction would summarize it.",
        Action::Summarized => "The summary in force stands for it.",
    }
}

/// What an action means, in a few words.
pub(crate) fn words(action: Action) -> &'static str {
    match action {
        Action::Keep => "stay word for word",
        Action::Deduplicate => "add nothing and are left out",
        Action::TruncateToolResults => "have results truncated by age",
        Action::ClearToolInputs => "have arguments shortened",
        Action::OffloadToolResults => "have results put aside",
        Action::RemoveReasoning => "lose their sealed thoughts",
        Action::DropOldest => "are left out to make room",
        Action::Summarize => "become the summary",
        Action::Summarized => "are gone from the view already",
    }
}

/// What was done to a message that is seen otherwise than it came, by its first change.
pub(crate) fn done(change: &Change) -> &'static str {
    match change {
        Change::Text { .. } => "truncated",
        Change::Offload { .. } => "put aside",
        Change::Arguments { .. } => "pruned",
        Change::Remove => "stripped",
    }
}
