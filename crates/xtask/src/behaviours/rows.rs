//! The rows: what the project does, each under the id that the tests of it carry.

/// Rows about one thing.
#[derive(Debug)]
pub(super) struct Group {
    /// What they are about.
    pub(super) title: &'static str,
    /// The rows, in the order of their ids.
    pub(super) rows: &'static [Row],
}

/// One behaviour.
#[derive(Debug)]
pub(super) struct Row {
    /// A letter for the group and a number.
    pub(super) id: &'static str,
    /// The behaviour in a few words.
    pub(super) title: &'static str,
    /// Whether it has to be proven by now.
    pub(super) due: Due,
}

/// When a row needs a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// It is an error that there is none.
    Now,
    /// It is open until there is one.
    Later,
}

const fn now(id: &'static str, title: &'static str) -> Row {
    Row { id, title, due: Due::Now }
}

const fn later(id: &'static str, title: &'static str) -> Row {
    Row { id, title, due: Due::Later }
}

/// All rows.
pub(super) const GROUPS: [Group; 8] = [
    Group {
        title: "Messages",
        rows: &[
            now("a1", "one message type holds all that any source knows"),
            now("a2", "unanswered calls and a closing tool message are mended"),
            now("a3", "malformed histories are repaired or reported, never lost"),
            now("a4", "a call stays with its results, a signature with its text"),
            now("a5", "system prompts come first and are never compacted"),
        ],
    },
    Group {
        title: "Tokens, budget, triggers",
        rows: &[
            now("b1", "the way of counting tokens can be chosen"),
            now("b2", "trigger: share of the window or what reserves leave"),
            now("b3", "trigger: how full the window is"),
            now("b4", "trigger for trimming, ahead of compaction"),
            now("b5", "trigger: a fixed number of tokens"),
            now("b6", "one early warning in each cycle, if wanted"),
            now("b7", "trigger: number of messages, by preset"),
            now("b8", "trigger: tokens and messages when a request begins"),
            now("b9", "triggers inside the loop, from the usage reported last"),
            now("b10", "where the size of the window comes from"),
            now("b11", "usage statistics after every call"),
            now("b12", "share of the budget in events and status"),
            now("b13", "loading only the newest messages that fit"),
        ],
    },
    Group {
        title: "Reduction without a model",
        rows: &[
            now("c1", "old tool results shrink in steps, and say so"),
            now("c2", "repeated synthetic messages go when trimming begins"),
            now("c3", "large arguments of old tool calls are pruned"),
            now("c4", "huge tool results are stored elsewhere and read back"),
            now("c5", "last resort: cutting off the oldest messages"),
            now("c6", "heartbeats are recognised and go first"),
        ],
    },
    Group {
        title: "Summarizing",
        rows: &[
            now("d1", "where the tail begins, without splitting an exchange"),
            now("d2", "what of a message gets into the transcript"),
            now("d3", "an envelope of sections that no text can forge"),
            now("d4", "long transcripts are folded in pieces of a size"),
            now("d5", "transcripts are folded in a given number of pieces"),
            now("d6", "a summary that grew too long is summarized itself"),
            now("d7", "a result too large is tried again with less and less"),
            now("d8", "ready-made shapes of a summary, or one's own prompt"),
            now("d9", "the last request follows the summary word for word"),
            now("d10", "requirements, decisions, names and numbers survive"),
            now("d11", "who summarizes, settable for each agent"),
            now("d12", "how the compacted history is put together"),
            now("d13", "compaction by hand, with instructions"),
            now("d14", "the summarizer knows the reason it is called"),
            now("d15", "inside the loop: a few oldest rounds, or all there is"),
            now("d16", "a new count, session id and cycle after compaction"),
            now("d17", "a failure changes nothing and is reported"),
            now("d18", "a summary carries on from the one before"),
        ],
    },
    Group {
        title: "State and memory",
        rows: &[
            later("e1", "structured state is merged from deltas, within limits"),
            later("e2", "a memory block blends its oldest entries"),
        ],
    },
    Group {
        title: "Several agents",
        rows: &[
            later("f1", "each agent has a view, a count and a summary of its own"),
            later("f2", "three layers, each with its own threshold"),
            later("f3", "the next task starts from a summary of the last"),
            later("f4", "it stays known who said what"),
        ],
    },
    Group {
        title: "Pipeline",
        rows: &[
            later("g1", "middleware around every turn can compact or stop"),
            later("g2", "context providers prepend what is never stored"),
            later("g3", "transforms rewrite the history, one after the other"),
            now("g4", "hooks before and after a compaction"),
            now("g5", "events with the sizes before and after"),
        ],
    },
    Group {
        title: "Jobs and storage",
        rows: &[
            later("h1", "compaction as a job: limits, lock, attempts, waiting"),
            later("h2", "what is stored; compacted messages are only marked"),
            later("h3", "removed messages are archived and can be restored"),
            later("h4", "a summarizer that takes too long is given up"),
        ],
    },
];

/// The rows of all groups, in order.
pub(super) fn all() -> impl Iterator<Item = &'static Row> {
    GROUPS.iter().flat_map(|group| group.rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_count_up_within_a_letter_for_each_group() {
        for (group, letter) in GROUPS.iter().zip('a'..) {
            let expected: Vec<String> =
                (1..=group.rows.len()).map(|number| format!("{letter}{number}")).collect();
            let found: Vec<&str> = group.rows.iter().map(|row| row.id).collect();
            assert_eq!(found, expected, "{}", group.title);
        }
    }

    #[test]
    fn titles_are_short() {
        for row in all() {
            assert!((1..=60).contains(&row.title.chars().count()), "{}", row.id);
        }
    }
}
