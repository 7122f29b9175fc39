//! What one compaction changed in what the model gets, computed when it is asked for.

use std::collections::{BTreeMap, BTreeSet};

use epitome::facts::Receipt;
use epitome::history::{Cover, Projection};
use epitome::message::{CheckpointId, Message, MessageId, Part};

use crate::label::role_label;
use crate::store::{MessageNumber, Session};

/// The number of characters of a message that are shown.
const MAX_CHARACTERS: usize = 600;

/// What became of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Survival {
    /// It is in the summary.
    Kept,
    /// It was appended to the summary.
    Appended,
    /// It is only in the history.
    Lost,
}

impl Survival {
    /// Its name in the page's markup.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Appended => "appended",
            Self::Lost => "lost",
        }
    }
}

/// A piece of a text, and what became of the fact that it is.
pub(super) type Piece = (String, Option<Survival>);

/// A message that is not in the view any more, or not as it was.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Changed {
    /// Its number.
    pub(super) number: Option<MessageNumber>,
    /// Who said it.
    pub(super) speaker: &'static str,
    /// What it was.
    pub(super) before: Vec<Piece>,
    /// What it is now; empty if it is gone.
    pub(super) after: String,
}

/// The changes of one compaction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Changes {
    /// The messages that became the summary.
    pub(super) summarized: Vec<Changed>,
    /// The earlier summary that the new one replaces.
    pub(super) earlier: Option<String>,
    /// The summary.
    pub(super) summary: Option<String>,
    /// The messages that were shortened.
    pub(super) shortened: Vec<Changed>,
    /// The messages that were removed.
    pub(super) removed: Vec<Changed>,
}

impl Changes {
    /// The changes of the active compaction of this checkpoint; `None` if it is not active any more. Linear in the contents of
    /// all compactions, and in the facts of its receipt.
    pub(super) fn of(
        session: &Session,
        id: CheckpointId,
        receipt: Option<&Receipt>,
    ) -> Option<Self> {
        let log = session.compactor()?.log();
        let mut before = Projection::default();
        for checkpoint in log.active_checkpoints() {
            let after = before.with(log, checkpoint);
            if checkpoint.id != id {
                before = after;
                continue;
            }
            let facts = receipt.map(facts_by_message).unwrap_or_default();
            let was_gone: BTreeSet<usize> = before.compacted().collect();
            let changed = |position: usize, after: String| {
                let message = before.visible(log, position)?;
                let own = facts.get(&message.id).map_or(&[][..], Vec::as_slice);
                Some(Changed {
                    number: session.number(position),
                    speaker: role_label(message.role),
                    before: pieces(&cut(&text(message)), own),
                    after,
                })
            };
            let gone = after.compacted().filter(|position| !was_gone.contains(position));
            let (covered, dropped): (Vec<usize>, Vec<usize>) =
                gone.partition(|position| *position < after.covered);
            let unchanged = |position: usize| changed(position, String::new());
            let shortened = checkpoint.rewrites.iter().filter_map(|rewrite| {
                let position = log.position(&rewrite.id)?;
                changed(position, cut(&text(after.visible(log, position)?)))
            });
            return Some(Self {
                summarized: covered.into_iter().filter_map(unchanged).collect(),
                earlier: before.cover.as_ref().map(Cover::text),
                summary: checkpoint.cover.as_ref().map(Cover::text),
                shortened: shortened.collect(),
                removed: dropped.into_iter().filter_map(unchanged).collect(),
            });
        }
        None
    }
}

/// The facts of each message of a receipt.
fn facts_by_message(receipt: &Receipt) -> BTreeMap<&MessageId, Vec<(&str, Survival)>> {
    let lists = [
        (&receipt.kept, Survival::Kept),
        (&receipt.appended, Survival::Appended),
        (&receipt.given_up, Survival::Lost),
    ];
    let mut facts: BTreeMap<&MessageId, Vec<(&str, Survival)>> = BTreeMap::new();
    for (list, outcome) in lists {
        for fact in list {
            for source in &fact.sources {
                facts.entry(source).or_default().push((&fact.text, outcome));
            }
        }
    }
    facts
}

/// All text of a message.
fn text(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } | Part::Reasoning { text, .. } => Some(text.clone()),
        Part::ToolCall { name, arguments, .. } => Some(format!("{name} {arguments}")),
        Part::ToolResult { text, .. } => Some(text.clone()),
        Part::Approval { .. } | Part::Image(_) | Part::File(_) | Part::Other { .. } => None,
    });
    texts.collect::<Vec<String>>().join("\n")
}

/// The beginning of a text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The text with the places of facts. Of overlapping ones the first and longest counts.
fn pieces(text: &str, facts: &[(&str, Survival)]) -> Vec<Piece> {
    let mut places: Vec<(usize, usize, Survival)> = facts
        .iter()
        .filter(|(fact, _)| !fact.is_empty())
        .flat_map(|(fact, outcome)| {
            text.match_indices(fact).map(|(start, found)| (start, start + found.len(), *outcome))
        })
        .collect();
    places.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
    let mut pieces = Vec::new();
    let mut done = 0;
    for (start, end, outcome) in places {
        if start < done {
            continue;
        }
        pieces.extend(piece(text, done, start).map(|plain| (plain, None)));
        pieces.extend(piece(text, start, end).map(|fact| (fact, Some(outcome))));
        done = end;
    }
    pieces.extend(piece(text, done, text.len()).map(|plain| (plain, None)));
    pieces
}

fn piece(text: &str, start: usize, end: usize) -> Option<String> {
    text.get(start..end).filter(|piece| !piece.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_marked_where_they_stand_and_the_longest_counts() {
        let facts =
            [("48", Survival::Lost), ("BW-48", Survival::Kept), ("€ 9", Survival::Appended)];
        let marked = pieces("Order BW-48 for € 9, not 48", &facts);
        let plain = |text: &str| (text.to_owned(), None);
        let fact = |text: &str, outcome| (text.to_owned(), Some(outcome));
        assert_eq!(
            marked,
            [
                plain("Order "),
                fact("BW-48", Survival::Kept),
                plain(" for "),
                fact("€ 9", Survival::Appended),
                plain(", not "),
                fact("48", Survival::Lost),
            ]
        );
    }

    #[test]
    fn a_long_message_is_cut() {
        assert_eq!(cut(&"é".repeat(10_000)).chars().count(), MAX_CHARACTERS + 1);
        assert_eq!(cut("short"), "short");
    }
}
