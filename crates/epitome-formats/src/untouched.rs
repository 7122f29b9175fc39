//! Whether the provider accepts the messages of a log as they were appended, checked once for each message as the log
//! grows.

use epitome::history::{Log, Record};

use crate::acceptance::{Checker, Passed};
use crate::composed::ComposedMessage;
use crate::registry::Format;
use crate::steps::split_step_id;

/// What is known of a log after the last check. It is about one log and one format.
#[derive(Debug, Default)]
pub struct Untouched {
    /// Number of records that were seen.
    records: usize,
    /// Number of the engine's messages that passed for good: behind them no call waits for its result.
    messages: usize,
    passed: Passed,
}

impl Untouched {
    /// True if the provider accepts all messages of the log as they were appended, so that composing the view without any
    /// compaction would change none. Linear in the messages since the last call that returned true; after an edit, and as
    /// long as a message is refused, in those since the last complete exchange before.
    pub fn is_accepted(&mut self, format: Format, log: &Log) -> bool {
        let is_edit = |record: &Record| matches!(record, Record::Edit { .. });
        if log.records().iter().skip(self.records).any(is_edit) {
            *self = Self::default();
        }
        self.records = log.records().len();
        let contract = format.contract();
        let mut checker = Checker::behind(self.passed, &contract, log);
        let mut position = self.messages;
        while let Some(message) = log.message(position) {
            let composed = ComposedMessage::kept(log, &split_step_id(&message.id).0);
            let steps = composed.steps.len().max(1);
            if checker.push(position, &composed).is_err() {
                return false;
            }
            position += steps;
            if let Some(passed) = checker.passed() {
                (self.messages, self.passed) = (position, passed);
            }
        }
        checker.finish().is_ok()
    }
}
