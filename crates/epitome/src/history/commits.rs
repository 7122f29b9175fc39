//! Which committed compactions are valid on the path of the conversation, and which of these are active.
//!
//! A compaction is made on one path and builds on the compactions that are active there. It is valid on every path that has
//! all messages that it is about: on other branches as well, if they begin with the same messages.

use epitome_columns::SortedMap;

use super::tree::{NodeId, Tree};

/// A compaction that was not undone.
#[derive(Clone, Copy, Debug)]
struct Commit {
    /// The compaction that it builds on.
    parent: Option<usize>,
    /// The last message that it is about. Every path with this message has all messages before it.
    last: Option<NodeId>,
    /// The last message that the summary covers after this compaction, which may be the summary of an earlier one.
    through: Option<NodeId>,
}

/// The compactions that were not undone, by the indices of their records.
#[derive(Clone, Debug, Default)]
pub(super) struct Commits {
    commits: SortedMap<usize, Commit>,
    /// The active compactions, oldest first. Each builds on the one before.
    active: Vec<usize>,
}

impl Commits {
    /// The active compactions, oldest first.
    pub(super) fn active(&self) -> &[usize] {
        &self.active
    }

    /// All compactions, each with the last message that it is about.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, Option<NodeId>)> + '_ {
        self.commits.iter().map(|(index, commit)| (*index, commit.last))
    }

    /// The last message that a compaction is about.
    pub(super) fn last(&self, index: usize) -> Option<NodeId> {
        self.commits.get(&index)?.last
    }

    /// The last message that the summary covers after a compaction.
    pub(super) fn through(&self, index: usize) -> Option<NodeId> {
        self.commits.get(&index)?.through
    }

    /// Adds a compaction. It builds on the active ones and becomes active.
    pub(super) fn push(&mut self, index: usize, last: Option<NodeId>, through: Option<NodeId>) {
        let parent = self.active.last().copied();
        let through = through.or_else(|| self.through(parent?));
        self.commits.insert(index, Commit { parent, last, through });
        self.active.push(index);
    }

    /// Removes a compaction and all that build on it. Returns their indices, the latest first. Linear in the number of
    /// compactions.
    pub(super) fn remove(&mut self, index: usize) -> Vec<usize> {
        let mut removed = vec![index];
        for (other, commit) in self.commits.range(index..) {
            // A compaction builds only on earlier ones, so a single pass finds all.
            if commit.parent.is_some_and(|parent| removed.contains(&parent)) {
                removed.push(*other);
            }
        }
        removed.reverse();
        for index in &removed {
            self.commits.remove(index);
        }
        removed
    }

    /// Chooses the active compactions for a path. Of the valid ones, the one whose summary covers the most messages is
    /// active, or the latest of several such ones; with it, all that it builds on. Therefore a branch continues from the
    /// compaction that leaves the shortest view, even if it was made on another branch. Costs the number of compactions times
    /// the length of their chains.
    pub(super) fn choose(&mut self, tree: &Tree) {
        let is_valid = |index: &usize| {
            self.chain(*index).all(|index| {
                let last = self.commits.get(&index).and_then(|commit| commit.last);
                last.is_none_or(|last| tree.is_on_path(last))
            })
        };
        let covered = |index: usize| self.through(index).map_or(0, |node| tree.shared_with(node));
        let best =
            self.commits.keys().copied().filter(is_valid).max_by_key(|at| (covered(*at), *at));
        let mut active: Vec<usize> = best.into_iter().flat_map(|best| self.chain(best)).collect();
        active.reverse();
        self.active = active;
    }

    /// A compaction and all that it builds on, the latest first.
    fn chain(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(index), |index| self.commits.get(index)?.parent)
    }
}
