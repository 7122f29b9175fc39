//! Changes to a state, and how they are merged into it.

use epitome_columns::SortedSet;
use serde::{Deserialize, Serialize};

use super::{MAX_TEXT, StateEntry, StateList, StructuredState};
use crate::message::{Entry, MessageId};
use epitome_text::excerpt::split;

/// Changes to a [`StructuredState`], in the order in which they were stated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct StateDelta(pub(crate) Vec<StateChange>);

/// One change to a [`StructuredState`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StateChange {
    /// An entry that is new, or that updates the entry with the same text.
    Put {
        /// Where it belongs.
        list: StateList,
        /// The entry.
        entry: StateEntry,
        /// The text of the entry that this one takes the place of.
        replaces: Option<String>,
    },
    /// What this text says is settled: a task is done, and any other entry leaves its list.
    Settle {
        /// The text of the entry.
        text: String,
    },
}

impl StructuredState {
    /// The state after these changes. An entry that is there already is updated and comes to the front; what exceeds the limit
    /// of a list leaves it from the end, tasks that are done first. The work is bounded by the limits times the changes.
    pub(crate) fn apply(&mut self, delta: &StateDelta) {
        // The first change of a list ends up in front, as it stands first in the delta.
        for change in delta.0.iter().rev() {
            match change {
                StateChange::Put { list, entry, replaces } => {
                    self.put(*list, entry, replaces.as_deref());
                }
                StateChange::Settle { text } => self.settle(text),
            }
        }
        for list in StateList::ALL {
            retire(list, self.list_mut(list));
        }
    }

    fn put(&mut self, list: StateList, entry: &StateEntry, replaces: Option<&str>) {
        let key = identity(&entry.text);
        if key.is_empty() {
            return;
        }
        let entries = self.list_mut(list);
        let mut entry = entry.clone();
        entry.text = one_line(&entry.text);
        let replaced = replaces.map(identity).filter(|replaced| *replaced != key);
        if let Some(at) = replaced.and_then(|key| position(entries, &key)) {
            let old = entries.remove(at);
            entry.earlier = Some(old.text);
        }
        if let Some(at) = position(entries, &key) {
            let known = entries.remove(at);
            entry.earlier = entry.earlier.or(known.earlier);
            entry.by = entry.by.or(known.by);
            for source in known.sources {
                if !entry.sources.contains(&source) {
                    entry.sources.push(source);
                }
            }
        }
        entries.insert(0, entry);
    }

    fn settle(&mut self, text: &str) {
        let key = identity(text);
        for list in StateList::ALL {
            let entries = self.list_mut(list);
            let Some(at) = position(entries, &key) else { continue };
            match list {
                StateList::Tasks => {
                    entries.iter_mut().skip(at).take(1).for_each(|task| task.done = true);
                }
                _ => drop(entries.remove(at)),
            }
        }
    }
}

impl StateDelta {
    /// Gives each entry without sources the message that has most of its words, if one has at least half of them; of several,
    /// the latest. Linear in the messages for each entry.
    pub(crate) fn attribute(
        &mut self,
        entries: &[Entry],
        source: &dyn Fn(u32) -> Option<MessageId>,
    ) {
        let mut words: Vec<(u32, SortedSet<String>)> = Vec::new();
        for change in &mut self.0 {
            let StateChange::Put { entry, .. } = change else { continue };
            if !entry.sources.is_empty() {
                continue;
            }
            if words.is_empty() {
                let of = |entry: &Entry| (entry.number, words_of(&entry.text));
                words = entries.iter().map(of).collect();
            }
            let own = words_of(&entry.text);
            let shared = |(number, words): &(u32, SortedSet<String>)| {
                (own.iter().filter(|word| words.contains(*word)).count(), *number)
            };
            let best = words.iter().map(shared).max().filter(|(count, _)| 2 * count >= own.len());
            entry.sources.extend(best.and_then(|(_, number)| source(number)));
        }
    }
}

/// The words of a text, in lower case.
fn words_of(text: &str) -> SortedSet<String> {
    SortedSet::from_iter(
        identity(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned),
    )
}

fn position(entries: &[StateEntry], key: &str) -> Option<usize> {
    entries.iter().position(|entry| identity(&entry.text) == key)
}

/// Shortens a list to its limit, from its end. Tasks that are done leave first.
pub(super) fn retire(list: StateList, entries: &mut Vec<StateEntry>) {
    while entries.len() > list.limit() {
        let done = entries.iter().rposition(|entry| entry.done);
        entries.remove(done.unwrap_or(entries.len() - 1));
    }
}

/// What makes two texts the same entry: their letters and digits, in lower case.
pub(super) fn identity(text: &str) -> String {
    let words = text.split(|character: char| !character.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ").to_lowercase()
}

/// The text in one line of at most [`MAX_TEXT`] characters.
pub(super) fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    split(&line, MAX_TEXT).0.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(list: StateList, text: &str) -> StateChange {
        let entry = StateEntry { text: text.into(), ..StateEntry::default() };
        StateChange::Put { list, entry, replaces: None }
    }

    fn texts(entries: &[StateEntry]) -> Vec<&str> {
        entries.iter().map(|entry| entry.text.as_str()).collect()
    }

    #[test]
    fn e1_an_entry_that_is_there_is_updated_and_comes_to_the_front() {
        let mut state = StructuredState::default();
        let list = StateList::Decisions;
        state.apply(&StateDelta(vec![put(list, "Use SQLite."), put(list, "Ship in May.")]));
        assert_eq!(texts(&state.decisions), ["Use SQLite.", "Ship in May."]);
        state.apply(&StateDelta(vec![put(list, "ship in  may"), put(list, "Hire Ada.")]));
        assert_eq!(texts(&state.decisions), ["ship in may", "Hire Ada.", "Use SQLite."]);
    }

    #[test]
    fn e1_of_a_contradiction_the_newest_holds_and_shows_the_older() {
        let mut state = StructuredState::default();
        let list = StateList::Decisions;
        state.apply(&StateDelta(vec![put(list, "Use SQLite."), put(list, "Ship in May.")]));
        let entry = StateEntry { text: "Use PostgreSQL.".into(), ..StateEntry::default() };
        let replaces = Some("use sqlite".into());
        state.apply(&StateDelta(vec![StateChange::Put { list, entry, replaces }]));
        assert_eq!(texts(&state.decisions), ["Use PostgreSQL.", "Ship in May."]);
        assert_eq!(state.decisions[0].earlier.as_deref(), Some("Use SQLite."));
    }

    #[test]
    fn e1_tasks_that_are_done_leave_first() {
        let mut state = StructuredState::default();
        let tasks = |from: u32, to: u32| -> Vec<StateChange> {
            (from..to).map(|task| put(StateList::Tasks, &format!("task {task}"))).collect()
        };
        state.apply(&StateDelta(tasks(0, 10)));
        state.apply(&StateDelta(vec![StateChange::Settle { text: "Task 3".into() }]));
        assert!(state.tasks[3].done);
        state.apply(&StateDelta(tasks(10, 12)));
        let left =
            ["10", "11", "0", "1", "2", "4", "5", "6", "7", "8"].map(|n| format!("task {n}"));
        assert_eq!(texts(&state.tasks), left, "task 3 was done, and task 9 was the oldest");
    }

    #[test]
    fn e1_what_is_settled_leaves_the_other_lists() {
        let mut state = StructuredState::default();
        let question = put(StateList::Questions, "Which colour?");
        let risk = put(StateList::Risks, "It may rain.");
        state.apply(&StateDelta(vec![question, risk]));
        state.apply(&StateDelta(vec![StateChange::Settle { text: "which colour".into() }]));
        assert_eq!((texts(&state.questions), texts(&state.risks)), (vec![], vec!["It may rain."]));
    }
}
