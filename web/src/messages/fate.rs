//! What becomes of a message, in words.

use epitome::Fate;
use epitome::history::Change;

/// What a fate means for one message, as a sentence.
pub(crate) fn sentence(fate: Fate) -> &'static str {
    match fate {
        Fate::Keep => "A compaction would keep it word for word.",
        Fate::Trim => "It adds nothing: a compaction would leave it out.",
        Fate::Truncate => "A compaction would truncate its tool results, for their age.",
        Fate::Prune => "A compaction would shorten the arguments of its calls.",
        Fate::Offload => {
            "A compaction would put its tool results aside; all of them can be read back."
        }
        Fate::Strip => "A compaction would leave out its sealed thoughts.",
        Fate::Drop => "A compaction would leave it out to make room.",
        Fate::Summarize => "A compaction would summarize it.",
        Fate::Summarized => "The summary in force stands for it.",
    }
}

/// What a fate means, in a few words.
pub(crate) fn words(fate: Fate) -> &'static str {
    match fate {
        Fate::Keep => "stay word for word",
        Fate::Trim => "add nothing and are left out",
        Fate::Truncate => "have results truncated by age",
        Fate::Prune => "have arguments shortened",
        Fate::Offload => "have results put aside",
        Fate::Strip => "lose their sealed thoughts",
        Fate::Drop => "are left out to make room",
        Fate::Summarize => "become the summary",
        Fate::Summarized => "are gone from the view already",
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
