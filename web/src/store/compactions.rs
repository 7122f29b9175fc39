//! The compactions that are active: what each one did.

use std::sync::Arc;

use epitome::history::Log;
use epitome::message::CheckpointId;
use epitome::{Compactor, Outcome, Reason, Report};
use leptos::prelude::*;

use super::Store;
use crate::language::t;
use crate::number::{count, plural};

/// One active compaction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compaction {
    /// Its checkpoint.
    pub(crate) checkpoint: CheckpointId,
    /// Its number among the active ones, from 1.
    pub(crate) number: u32,
    /// Why it ran.
    pub(crate) reason: Reason,
    /// The position of the last message that its summary covers; `None` if it made no summary.
    pub(crate) through: Option<usize>,
    /// Messages that its summary has replaced, without those of earlier summaries.
    pub(crate) summarized: u32,
    /// Messages that it has shortened.
    pub(crate) shortened: u32,
    /// Messages that it has removed without a summary.
    pub(crate) removed: u32,
    /// Its report; `None` if it ran before the page was opened.
    pub(crate) report: Option<Arc<Report>>,
}

impl Store {
    /// Keeps the report of an applied compaction for as long as the conversation is open.
    pub(crate) fn keep_report(self, report: Arc<Report>) {
        self.reports.update_value(|reports| reports.push(report));
        self.show_compactions();
    }

    pub(super) fn show_compactions(self) {
        let compactions = self.read(|session| {
            let log = session.compactor().map(Compactor::log);
            self.reports.with_value(|reports| log.map(|log| Compaction::all(log, reports)))
        });
        let compactions = compactions.unwrap_or_default();
        if self.compactions.with_untracked(|shown| **shown != compactions) {
            self.compactions.set(Arc::new(compactions));
        }
    }

    /// True if a compaction can be undone.
    pub(crate) fn is_compacted(self) -> bool {
        self.compactions.with(|compactions| !compactions.is_empty())
    }
}

impl Compaction {
    /// All active compactions of a log, oldest first. `reports` has those that are known.
    pub(super) fn all(log: &Log, reports: &[Arc<Report>]) -> Vec<Self> {
        let mut summarized_before = 0;
        let compactions = (1..).zip(log.active_checkpoints()).map(|(number, checkpoint)| {
            let cover = checkpoint.cover.as_ref();
            let summarized = cover.map_or(summarized_before, |cover| cover.summarized);
            let new = summarized.saturating_sub(summarized_before);
            summarized_before = summarized;
            let id = checkpoint.id;
            let is_own =
                |report: &&Arc<Report>| report.outcome == Outcome::Applied { checkpoint: id };
            Self {
                checkpoint: id,
                number,
                reason: checkpoint.reason,
                through: cover.and_then(|cover| log.position(&cover.through)),
                summarized: new,
                shortened: count(checkpoint.rewrites.len()),
                removed: count(checkpoint.dropped.len()),
                report: reports.iter().find(is_own).cloned(),
            }
        });
        compactions.collect()
    }

    /// What it did, in words.
    pub(crate) fn described(&self) -> String {
        let mut done = Vec::new();
        if self.through.is_some() {
            let messages = plural(self.summarized, "message", "messages");
            done.push(t!("{messages} became the summary", messages));
        }
        if self.shortened > 0 {
            let messages = plural(self.shortened, "message", "messages");
            done.push(t!("{messages} shortened", messages));
        }
        if self.removed > 0 {
            let messages = plural(self.removed, "message", "messages");
            done.push(t!("{messages} removed", messages));
        }
        done.join(" · ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compaction(summarized: u32, shortened: u32, removed: u32) -> Compaction {
        Compaction {
            checkpoint: CheckpointId(1),
            number: 1,
            reason: Reason::Manual,
            through: (summarized > 0).then_some(3),
            summarized,
            shortened,
            removed,
            report: None,
        }
    }

    #[test]
    fn a_compaction_is_described_by_what_it_did() {
        assert_eq!(compaction(1, 0, 0).described(), "1 message became the summary");
        assert_eq!(
            compaction(34, 1, 2).described(),
            "34 messages became the summary · 1 message shortened · 2 messages removed"
        );
    }
}
