//! What the steps in force make of the log, by position.

use std::collections::{BTreeMap, BTreeSet};

use super::checkpoint::{Checkpoint, Cover};
use super::log::Log;
use super::rewrite::Rewrite;
use crate::message::{Message, MessageId};

/// The log as it is seen: what is covered, what stays of that, what is rewritten and what left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Projection {
    /// How many messages, from the first, the summary covers.
    pub covered: usize,
    /// Covered messages that stay in front of the summary.
    pub before: Vec<usize>,
    /// Covered messages that stay behind the summary.
    pub after: Vec<usize>,
    /// The summary in force.
    pub cover: Option<Cover>,
    /// Messages that are seen otherwise than they came.
    pub rewritten: BTreeMap<usize, Rewritten>,
    /// Messages that are left out.
    pub dropped: BTreeSet<usize>,
    /// How many steps are in force.
    pub checkpoints: usize,
}

/// A message as it is seen, and how it came to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewritten {
    /// What was changed.
    pub rewrite: Rewrite,
    /// The message as it is seen.
    pub message: Message,
}

impl Projection {
    /// The log, seen through every step in force. Costs what those steps hold.
    pub fn of(log: &Log) -> Self {
        let mut projection = Self::default();
        for checkpoint in log.active_checkpoints() {
            projection.apply(log, checkpoint);
        }
        projection
    }

    /// The same with one more step.
    #[must_use]
    pub fn with(&self, log: &Log, checkpoint: &Checkpoint) -> Self {
        let mut next = self.clone();
        next.apply(log, checkpoint);
        next
    }

    /// Takes one more step. Costs what the step holds, and what stays where it has a summary.
    pub fn apply(&mut self, log: &Log, checkpoint: &Checkpoint) {
        self.checkpoints += 1;
        for rewrite in &checkpoint.rewrites {
            let Some(position) = log.position(&rewrite.id) else { continue };
            let Some(message) = log.message(position) else { continue };
            let message = rewrite.apply(message);
            self.rewritten.insert(position, Rewritten { rewrite: rewrite.clone(), message });
        }
        self.dropped.extend(checkpoint.dropped.iter().filter_map(|id| log.position(id)));
        if let Some(cover) = &checkpoint.cover {
            let positions = |ids: &[MessageId]| -> Vec<usize> {
                ids.iter().filter_map(|id| log.position(id)).collect()
            };
            self.covered = log.position(&cover.through).map_or(0, |position| position + 1);
            self.before = positions(&cover.before);
            self.after = positions(&cover.after);
            self.cover = Some(cover.clone());
            self.forget_covered();
        }
    }

    /// What is said of messages that are no longer seen is of no use.
    fn forget_covered(&mut self) {
        let kept: BTreeSet<usize> = self.kept().collect();
        let covered = self.covered;
        self.rewritten.retain(|position, _| *position >= covered || kept.contains(position));
        self.dropped = self.dropped.split_off(&covered);
    }

    /// The covered messages that stay.
    pub fn kept(&self) -> impl Iterator<Item = usize> + '_ {
        self.before.iter().chain(&self.after).copied()
    }

    /// A message as it is seen; as it came, where nothing was changed.
    pub fn visible<'a>(&'a self, log: &'a Log, position: usize) -> Option<&'a Message> {
        match self.rewritten.get(&position) {
            Some(rewritten) => Some(&rewritten.message),
            None => log.message(position),
        }
    }
}
