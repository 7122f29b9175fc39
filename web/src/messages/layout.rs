//! What stands where in the list: messages, and between them the places where compactions end.

use std::sync::Arc;

use leptos::prelude::*;

use crate::store::{Compaction, Filter, Perspective, Store, Treatment};

/// What stands at an index of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A message, by its index among those that the list can show.
    Message(usize),
    /// The end of what a compaction has summarized, by its index among the active ones.
    Divider(usize),
}

/// The order of the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layout {
    /// The messages that a filter lets through; `None` without a filter.
    found: Option<Arc<Vec<usize>>>,
    /// The number of messages without a filter.
    messages: usize,
    /// Before which message each divider stands, and its compaction, in the order of the list.
    dividers: Vec<(usize, usize)>,
}

impl Layout {
    /// The list as it is shown now. Linear in all messages if they are filtered, otherwise in the compactions.
    pub(super) fn of(store: Store) -> Self {
        store.revision.track();
        let perspective = store.perspective.get();
        let messages = match perspective {
            Perspective::Model => store.view.with(|view| view.edits.len()),
            Perspective::Conversation => {
                store.read(|session| session.compactor().map_or(0, |c| c.log().len()))
            }
        };
        if store.filter.with(Filter::is_set) {
            return Self {
                found: Some(Arc::new(found(store, messages))),
                messages,
                ..Self::default()
            };
        }
        let dividers = match perspective {
            Perspective::Conversation => {
                store.compactions.with(|compactions| after_covered(compactions))
            }
            Perspective::Model => Vec::new(),
        };
        Self { found: None, messages, dividers }
    }

    /// The number of items.
    pub(super) fn len(&self) -> usize {
        self.found.as_ref().map_or(self.messages + self.dividers.len(), |found| found.len())
    }

    /// The number of messages that the list shows.
    pub(super) fn messages(&self) -> usize {
        self.found.as_ref().map_or(self.messages, |found| found.len())
    }

    /// What stands at an index; `None` behind the end.
    pub(super) fn at(&self, index: usize) -> Option<Item> {
        if let Some(found) = &self.found {
            return found.get(index).copied().map(Item::Message);
        }
        let mut passed = 0;
        for (before, compaction) in &self.dividers {
            match (before + passed).cmp(&index) {
                std::cmp::Ordering::Less => passed += 1,
                std::cmp::Ordering::Equal => return Some(Item::Divider(*compaction)),
                std::cmp::Ordering::Greater => break,
            }
        }
        Some(index - passed).filter(|message| *message < self.messages).map(Item::Message)
    }
}

/// A divider behind the last message that each compaction has summarized.
fn after_covered(compactions: &[Compaction]) -> Vec<(usize, usize)> {
    let ends = compactions.iter().enumerate();
    let mut dividers: Vec<(usize, usize)> =
        ends.filter_map(|(index, compaction)| Some((compaction.through? + 1, index))).collect();
    dividers.sort_unstable();
    dividers
}

/// The indices of the messages that the filter lets through.
fn found(store: Store, messages: usize) -> Vec<usize> {
    store.filter.with(|filter| {
        let plan = store.plan.get();
        let accepted = |index: &usize| match store.perspective.get_untracked() {
            Perspective::Conversation => store.read(|session| {
                let treatment = Treatment::at(session.compactor()?, plan.as_deref(), *index);
                let is_inside = filter.reaches(Some(*index));
                Some(is_inside && filter.accepts(session.message(*index)?, Some(treatment)))
            }),
            Perspective::Model => super::Row::at(store, *index).map(|row| {
                let treatment = row.position.and_then(|position| {
                    store.read(|session| {
                        Some(Treatment::at(session.compactor()?, plan.as_deref(), position))
                    })
                });
                filter.reaches(row.position) && filter.accepts(&row.message, treatment)
            }),
        };
        (0..messages).filter(|index| accepted(index) == Some(true)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(layout: &Layout) -> Vec<Item> {
        (0..=layout.len()).filter_map(|index| layout.at(index)).collect()
    }

    #[test]
    fn a_divider_stands_behind_the_messages_that_became_the_summary() {
        use Item::{Divider, Message};
        let layout = Layout { found: None, messages: 4, dividers: vec![(1, 0), (3, 1)] };
        let expected = [Message(0), Divider(0), Message(1), Message(2), Divider(1), Message(3)];
        assert_eq!(items(&layout), expected);
        let end = Layout { found: None, messages: 1, dividers: vec![(1, 0)] };
        assert_eq!(items(&end), [Message(0), Divider(0)]);
    }

    #[test]
    fn a_filtered_list_has_only_the_messages_that_were_found() {
        let found = Some(Arc::new(vec![2, 5]));
        let layout = Layout { found, messages: 9, dividers: Vec::new() };
        assert_eq!(items(&layout), [Item::Message(2), Item::Message(5)]);
    }
}
