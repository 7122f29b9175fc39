//! The tasks of a workflow: where each completed one ends, and the summary of it that all agents share.

use super::log::Log;
use super::record::Record;
use super::tree::NodeId;

/// A completed task.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompletedTask {
    /// The record that completed it.
    record: usize,
    /// Its last message; `None` if there was none.
    last: Option<NodeId>,
    /// True if one summary of it is for all agents.
    is_shared: bool,
    /// The record of that summary.
    summary: Option<usize>,
}

impl Log {
    /// How many tasks were completed, on all branches.
    pub fn tasks_completed(&self) -> usize {
        self.tasks.len()
    }

    /// The tasks that were completed on this branch, oldest first: the name of each, and the position behind its last message.
    /// Linear in them.
    pub fn completed_tasks(&self) -> impl Iterator<Item = (&str, usize)> {
        self.tasks.iter().filter_map(|task| {
            let end = self.tree.depth_on_path(task.last?)? + 1;
            match self.records.get(task.record)? {
                Record::Task { name, .. } => Some((name.as_str(), end)),
                _ => None,
            }
        })
    }

    /// The position behind the last message of the latest completed task; 0 if none was completed on this branch. Costs O(1),
    /// and after a move to another branch the number of tasks.
    pub fn task_end(&self) -> usize {
        let end = |task: &CompletedTask| self.tree.depth_on_path(task.last?).map(|at| at + 1);
        self.tasks.iter().rev().find_map(end).unwrap_or(0)
    }

    /// The latest completed task on the path.
    fn task(&self) -> Option<&CompletedTask> {
        self.tasks
            .iter()
            .rev()
            .find(|task| task.last.is_some_and(|last| self.tree.is_on_path(last)))
    }

    /// True if the latest completed task on this branch has one summary for all agents. Costs the number of tasks.
    pub fn shares_task(&self) -> bool {
        self.task().is_some_and(|task| task.is_shared)
    }

    /// The summary of the latest completed task that all agents share; empty if each is to have its own after all, and `None`
    /// if it is not written yet.
    pub(crate) fn task_summary(&self) -> Option<&str> {
        self.summary_at(self.task()?.summary?)
    }

    /// All summaries that were shared, the latest first.
    pub(crate) fn task_summaries(&self) -> impl Iterator<Item = &str> {
        self.tasks.iter().rev().filter_map(|task| self.summary_at(task.summary?))
    }

    fn summary_at(&self, record: usize) -> Option<&str> {
        match self.records.get(record)? {
            Record::TaskSummary { text } => Some(text),
            _ => None,
        }
    }

    /// Takes note of the record of a task that comes at this index.
    pub(super) fn note_task(&mut self, record: &Record, index: usize) {
        let last = self.len().checked_sub(1).and_then(|at| self.tree.at(at));
        match record {
            Record::Task { shared: is_shared, .. } => {
                let (is_shared, summary) = (*is_shared, None);
                self.tasks.push(CompletedTask { record: index, last, is_shared, summary });
            }
            Record::TaskSummary { .. } => {
                let tree = &self.tree;
                let is_here =
                    |task: &&mut CompletedTask| task.last.is_some_and(|last| tree.is_on_path(last));
                if let Some(task) = self.tasks.iter_mut().rev().find(is_here) {
                    task.summary = Some(index);
                }
            }
            _ => {}
        }
    }
}
