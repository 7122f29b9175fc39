//! Which committed compactions hold on the path of the conversation.
//!
//! A compaction was made on one path and builds on those that were active there. It holds on every path that has all
//! messages that it is about: on other branches as well, if they begin with the same messages.

use std::collections::BTreeMap;

use super::tree::{NodeId, Tree};

/// A compaction that was not undone.
#[derive(Clone, Copy, Debug)]
struct Commit {
    /// The one that it builds on.
    parent: Option<usize>,
    /// The last message that it is about. Whatever path has this one has all messages before it.
    last: Option<NodeId>,
    /// The last message that its summary covers, or the summary that it leaves as it was.
    through: Option<NodeId>,
}

/// The compactions that were not undone, by the indices of their records.
#[derive(Clone, Debug, Default)]
pub(super) struct Commits {
    commits: BTreeMap<usize, Commit>,
    /// Those that hold on the path, oldest first. Each builds on the one before.
    active: Vec<usize>,
}

impl Commits {
    /// The active ones, oldest first.
    pub(super) fn active(&self) -> &[usize] {
        &self.active
    }

    /// All of them with the last message that each is about.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, Option<NodeId>)> + '_ {
        self.commits.iter().map(|(index, commit)| (*index, commit.last))
    }

    /// The last message that one is about.
    pub(super) fn last(&self, index: usize) -> Option<NodeId> {
        self.commits.get(&index)?.last
    }

    /// The last message that the summary of one covers.
    pub(super) fn through(&self, index: usize) -> Option<NodeId> {
        self.commits.get(&index)?.through
    }

    /// Adds one that builds on the active ones and is active itself.
    pub(super) fn push(&mut self, index: usize, last: Option<NodeId>, through: Option<NodeId>) {
        let parent = self.active.last().copied();
        let through = through.or_else(|| self.through(parent?));
        self.commits.insert(index, Commit { parent, last, through });
        self.active.push(index);
    }

    /// Removes one and all that build on it. Returns their indices, the latest first. Linear in all.
    pub(super) fn remove(&mut self, index: usize) -> Vec<usize> {
        let mut removed = vec![index];
        for (other, commit) in self.commits.range(index + 1..) {
            // One is never built on a later one, so that a single pass finds all.
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

    /// Chooses the active ones for a path: of those that hold, the one whose summary covers most, and of those the latest,
    /// with all that it builds on. So a branch goes on from the compaction that leaves the shortest view, whichever branch
    /// it was made on. Linear in all, times the length of their chains.
    pub(super) fn choose(&mut self, tree: &Tree) {
        let holds = |index: &usize| {
            self.chain(*index).all(|index| {
                let last = self.commits.get(&index).and_then(|commit| commit.last);
                last.is_none_or(|last| tree.is_on_path(last))
            })
        };
        let covered = |index: usize| self.through(index).map_or(0, |node| tree.shared_with(node));
        let best = self.commits.keys().copied().filter(holds).max_by_key(|at| (covered(*at), *at));
        let mut active: Vec<usize> = best.into_iter().flat_map(|best| self.chain(best)).collect();
        active.reverse();
        self.active = active;
    }

    /// One and all that it builds on, the latest first.
    fn chain(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(index), |index| self.commits.get(index)?.parent)
    }
}
