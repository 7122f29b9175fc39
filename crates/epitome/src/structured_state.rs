//! What holds in a conversation, as short lists: decisions, constraints, tasks, questions, risks, artifacts, contributions.
//!
//! A summarizer returns changes to it beside the summary, and the app can set it. Every list has a limit, so that the state
//! stays small however long the conversation gets.

mod delta;
mod reading;
mod schema;

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use strum::EnumCount;

use crate::message::MessageId;

use delta::StateChange;
pub(crate) use delta::StateDelta;
pub(crate) use reading::{FORMAT, read_answer};

/// What holds in a conversation. The latest entry of each list comes first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct StructuredState {
    /// What was decided. At most 8.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub decisions: Vec<StateEntry>,
    /// What has to be observed. At most 6.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub constraints: Vec<StateEntry>,
    /// What is to be done, and what is done. At most 10; those that are done leave first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub tasks: Vec<StateEntry>,
    /// What nobody has answered. At most 5.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub questions: Vec<StateEntry>,
    /// What may go wrong. At most 5.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub risks: Vec<StateEntry>,
    /// Files, documents and other results. At most 10.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub artifacts: Vec<StateEntry>,
    /// What each participant has contributed. At most 6.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub contributions: Vec<StateEntry>,
}

/// One entry of a [`StructuredState`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StateEntry {
    /// What it says, in one line.
    pub text: String,
    /// What held before, if this entry has replaced another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub earlier: Option<String>,
    /// Who has said, found or done it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub by: Option<String>,
    /// True for a task that is done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub done: bool,
    /// The ids of the messages that it is from: those that the summarizer names, or else the one that has most of its words.
    /// Empty if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional, type = "string[]"))]
    pub sources: Vec<MessageId>,
}

/// One of the lists of a [`StructuredState`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumCount, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StateList {
    /// [`StructuredState::decisions`].
    Decisions,
    /// [`StructuredState::constraints`].
    Constraints,
    /// [`StructuredState::tasks`].
    Tasks,
    /// [`StructuredState::questions`].
    Questions,
    /// [`StructuredState::risks`].
    Risks,
    /// [`StructuredState::artifacts`].
    Artifacts,
    /// [`StructuredState::contributions`].
    Contributions,
}

/// The longest text of an entry, in characters.
const MAX_TEXT: usize = 300;

impl StateList {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Decisions,
        Self::Constraints,
        Self::Tasks,
        Self::Questions,
        Self::Risks,
        Self::Artifacts,
        Self::Contributions,
    ];

    /// How many entries it may have.
    fn limit(self) -> usize {
        match self {
            Self::Decisions => 8,
            Self::Constraints | Self::Contributions => 6,
            Self::Tasks | Self::Artifacts => 10,
            Self::Questions | Self::Risks => 5,
        }
    }

    /// Its name as a field.
    pub fn key(self) -> &'static str {
        match self {
            Self::Decisions => "decisions",
            Self::Constraints => "constraints",
            Self::Tasks => "tasks",
            Self::Questions => "questions",
            Self::Risks => "risks",
            Self::Artifacts => "artifacts",
            Self::Contributions => "contributions",
        }
    }

    /// Its heading in a summary, without the colon behind it.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Decisions => "Decisions",
            Self::Constraints => "Constraints",
            Self::Tasks => "Tasks",
            Self::Questions => "Open questions",
            Self::Risks => "Risks",
            Self::Artifacts => "Artifacts",
            Self::Contributions => "Contributions",
        }
    }
}

impl StructuredState {
    /// A state without entries.
    pub(crate) const EMPTY: &Self = &Self {
        decisions: Vec::new(),
        constraints: Vec::new(),
        tasks: Vec::new(),
        questions: Vec::new(),
        risks: Vec::new(),
        artifacts: Vec::new(),
        contributions: Vec::new(),
    };

    /// The entries of a list, latest first.
    pub fn list(&self, list: StateList) -> &[StateEntry] {
        match list {
            StateList::Decisions => &self.decisions,
            StateList::Constraints => &self.constraints,
            StateList::Tasks => &self.tasks,
            StateList::Questions => &self.questions,
            StateList::Risks => &self.risks,
            StateList::Artifacts => &self.artifacts,
            StateList::Contributions => &self.contributions,
        }
    }

    /// The same, to change them.
    pub fn list_mut(&mut self, list: StateList) -> &mut Vec<StateEntry> {
        match list {
            StateList::Decisions => &mut self.decisions,
            StateList::Constraints => &mut self.constraints,
            StateList::Tasks => &mut self.tasks,
            StateList::Questions => &mut self.questions,
            StateList::Risks => &mut self.risks,
            StateList::Artifacts => &mut self.artifacts,
            StateList::Contributions => &mut self.contributions,
        }
    }

    /// True if it has no entry.
    pub fn is_empty(&self) -> bool {
        StateList::ALL.into_iter().all(|list| self.list(list).is_empty())
    }

    /// The state within its limits: each entry in one line of at most 300 characters, no list longer than it may be, nothing
    /// twice.
    #[must_use]
    pub fn within_limits(mut self) -> Self {
        for list in StateList::ALL {
            let entries = std::mem::take(self.list_mut(list));
            let mut kept: Vec<StateEntry> = Vec::with_capacity(entries.len());
            for mut entry in entries {
                entry.text = delta::one_line(&entry.text);
                entry.earlier = entry.earlier.map(|text| delta::one_line(&text));
                let key = delta::identity(&entry.text);
                if !key.is_empty() && !kept.iter().any(|other| delta::identity(&other.text) == key)
                {
                    kept.push(entry);
                }
            }
            delta::retire(list, &mut kept);
            *self.list_mut(list) = kept;
        }
        self
    }

    /// The lists that have entries, below their headings; empty if there is none.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for list in StateList::ALL {
            let entries = self.list(list);
            if entries.is_empty() {
                continue;
            }
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(list.heading());
            out.push(':');
            for StateEntry { text, earlier, by, done, .. } in entries {
                out.push_str(match (list, done) {
                    (StateList::Tasks, true) => "\n- [x] ",
                    (StateList::Tasks, false) => "\n- [ ] ",
                    _ => "\n- ",
                });
                if let Some(by) = by {
                    out.push_str(by);
                    out.push_str(": ");
                }
                out.push_str(text);
                if let Some(earlier) = earlier {
                    // Writing to a `String` cannot fail.
                    let _ = write!(out, " (before: {earlier})");
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(text: &str) -> StateEntry {
        StateEntry { text: text.into(), ..StateEntry::default() }
    }

    #[test]
    fn e1_a_state_that_an_app_sets_keeps_to_the_limits_of_its_lists() {
        let mut state = StructuredState::default();
        for list in StateList::ALL {
            let many = (0..20).map(|index| entry(&format!("{} {index}", list.key())));
            *state.list_mut(list) = many.collect();
        }
        let state = state.within_limits();
        let lengths = StateList::ALL.map(|list| state.list(list).len());
        assert_eq!(lengths, [8, 6, 10, 5, 5, 10, 6]);
        assert_eq!(state.decisions[0].text, "decisions 0", "the latest come first and stay");
        let state = StructuredState {
            risks: vec![entry("  It may\nrain. "), entry("it may rain"), entry(" ")],
            ..StructuredState::default()
        };
        assert_eq!(state.within_limits().risks, [entry("It may rain.")]);
    }

    #[test]
    fn e1_a_state_as_text_has_the_older_value_and_who_it_is_from() {
        let state = StructuredState {
            decisions: vec![StateEntry { earlier: Some("SQLite".into()), ..entry("PostgreSQL") }],
            tasks: vec![entry("plant"), StateEntry { done: true, ..entry("water") }],
            contributions: vec![StateEntry { by: Some("Ada".into()), ..entry("found the leak") }],
            ..StructuredState::default()
        };
        assert_eq!(
            state.to_text(),
            "Decisions:\n- PostgreSQL (before: SQLite)\nTasks:\n- [ ] plant\n- [x] water\n\
             Contributions:\n- Ada: found the leak"
        );
        assert_eq!(StructuredState::default().to_text(), "");
    }
}
