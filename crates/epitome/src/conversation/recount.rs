//! Counting all messages again by another tokenizer, in slices.

use crate::history::Log;
use crate::message::Message;
use crate::tokens::{BoxedTokenizer, Measuring, Meter};

/// A meter that takes the place of another one once it has counted every message.
pub(super) struct Recount {
    meter: Meter,
    /// What is counted of the next message.
    measuring: Measuring,
}

impl Recount {
    /// Begins with no message.
    pub(super) fn new(tokenizer: BoxedTokenizer) -> Self {
        Self { meter: Meter::new(tokenizer), measuring: Measuring::default() }
    }

    /// Counts one more message, or a part of a very long one. False if all of them are counted.
    pub(super) fn next(&mut self, log: &Log) -> bool {
        let Some(message) = log.message(self.meter.len()) else { return false };
        if let Some(cost) = self.meter.measure_next(message, &mut self.measuring) {
            self.meter.append_counted(cost);
        }
        true
    }

    /// Forgets all messages from a position on.
    pub(super) fn truncate(&mut self, position: usize) {
        self.measuring = Measuring::default();
        self.meter.truncate(position);
    }

    /// Counts an edited message again, if it was counted.
    pub(super) fn replace(&mut self, position: usize, message: &Message) {
        if position == self.meter.len() {
            self.measuring = Measuring::default();
        }
        self.meter.replace(position, message);
    }

    /// The meter.
    pub(super) fn into_meter(self) -> Meter {
        self.meter
    }
}
