//! The effect of all active checkpoints on the messages of the log, by position.

use epitome_columns::{SortedMap, SortedSet};

use super::checkpoint::{Checkpoint, Cover};
use super::log::Log;
use super::rewrite::Rewrite;
use crate::message::{Message, MessageId};

/// Which messages a summary covers, which of those stay, and which messages are rewritten or removed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Projection {
    /// Number of messages, from the first, that the summary covers.
    pub covered: usize,
    /// Covered messages that stay before the summary.
    pub before: Vec<usize>,
    /// Covered messages that stay after the summary.
    pub after: Vec<usize>,
    /// The current summary.
    pub cover: Option<Cover>,
    /// Messages that are rewritten.
    pub rewritten: SortedMap<usize, Rewritten>,
    /// Messages that are removed.
    pub dropped: SortedSet<usize>,
    /// Number of active checkpoints.
    pub checkpoints: usize,
}

/// A rewritten message, and how it differs from the original.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewritten {
    /// The changes.
    pub rewrite: Rewrite,
    /// The message with the changes.
    pub message: Message,
}

impl Projection {
    /// The projection of all active checkpoints. Linear in their contents.
    pub fn of(log: &Log) -> Self {
        let mut projection = Self::default();
        for checkpoint in log.active_checkpoints() {
            projection.apply(log, checkpoint);
        }
        projection
    }

    /// The projection with one more checkpoint. The current one is copied.
    #[must_use]
    pub fn with(&self, log: &Log, checkpoint: &Checkpoint) -> Self {
        let mut next = self.clone();
        next.apply(log, checkpoint);
        next
    }

    /// Applies one more checkpoint. Linear in its contents, and in what stays rewritten if it has a summary.
    pub fn apply(&mut self, log: &Log, checkpoint: &Checkpoint) {
        self.checkpoints += 1;
        for rewrite in &checkpoint.rewrites {
            let Some(position) = log.position(&rewrite.id) else { continue };
            let Some(message) = log.message(position) else { continue };
            // Applied to the original and not to an earlier rewrite: each rewrite has all changes of its
            // message, and their indices are those of the original parts.
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

    /// Removes entries of messages that the summary has replaced, so that the projection does not grow forever.
    fn forget_covered(&mut self) {
        let kept = SortedSet::from_iter(self.kept());
        let covered = self.covered;
        self.rewritten.retain(|position, _| *position >= covered || kept.contains(position));
        self.dropped.retain(|position| *position >= covered);
    }

    /// The covered messages that stay.
    pub fn kept(&self) -> impl Iterator<Item = usize> + '_ {
        self.before.iter().chain(&self.after).copied()
    }

    /// True if the model does not get the message at a position any more: a summary has replaced it, or it was removed.
    /// Linear in the covered messages that stay.
    pub fn is_compacted(&self, position: usize) -> bool {
        self.dropped.contains(&position)
            || position < self.covered && self.kept().all(|kept| kept != position)
    }

    /// The positions of all such messages, in order. Linear in them, times the logarithm of those that stay.
    pub fn compacted(&self) -> impl Iterator<Item = usize> + '_ {
        let kept = SortedSet::from_iter(self.kept());
        let covered = (0..self.covered).filter(move |position| !kept.contains(position));
        // All that were removed before the end of the summary are covered by it.
        covered.chain(self.dropped.range(self.covered..).copied())
    }

    /// The version of a message that the model sees: rewritten or original.
    pub fn visible<'a>(&'a self, log: &'a Log, position: usize) -> Option<&'a Message> {
        match self.rewritten.get(&position) {
            Some(rewritten) => Some(&rewritten.message),
            None => log.message(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::rewrite::{Change, PartChange};
    use crate::history::{Checkpoint, Record};
    use crate::test_notation::transcript;

    #[test]
    fn a_summary_ends_what_earlier_compactions_did_with_its_messages() {
        let mut log = Log::default();
        for message in transcript(&"u: hi\na: ho\n".repeat(4)) {
            log.append(Record::Message { message: message.into() }).unwrap();
        }
        let shortened = |id: &str| {
            let change = Change::Text { text: "short".into() };
            Rewrite { id: id.into(), changes: vec![PartChange { part: 0, change }] }
        };
        let rewrites = ["m1", "m2", "m4", "m5"].map(shortened).to_vec();
        let dropped = vec!["m0".into(), "m6".into()];
        let reduced = Checkpoint { rewrites, dropped, ..Checkpoint::empty(1) };
        let cover = Cover { before: vec!["m1".into()], ..Cover::through("m3") };
        let summarized = Checkpoint { cover: Some(cover), ..Checkpoint::empty(2) };
        let before = Projection::of(&log).with(&log, &reduced);
        assert_eq!(before.checkpoints, 1);
        assert_eq!(before.rewritten.keys().copied().collect::<Vec<_>>(), [1, 2, 4, 5]);
        let after = before.with(&log, &summarized);
        assert_eq!(after.checkpoints, 2);
        assert_eq!(after.rewritten.keys().copied().collect::<Vec<_>>(), [1, 4, 5]);
        assert_eq!(after.dropped, SortedSet::from([6]));
        assert_eq!(after.compacted().collect::<Vec<_>>(), [0, 2, 3, 6]);
    }
}
