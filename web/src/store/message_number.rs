//! The number of a row in the loaded conversation.

use std::fmt;

use epitome::history::Log;
use epitome_formats::{split_step_id, step_id};

use crate::number::{count, thousands};

/// The number of a message, and of its step if it has several: `3`, or `3.2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageNumber {
    /// The message, from 1.
    pub(crate) message: u32,
    step: Option<u32>,
}

impl MessageNumber {
    /// The number of the log entry at a position. `left` has the indices of messages that do not count, in order.
    pub(super) fn of(log: &Log, position: usize, left: &[u32]) -> Option<Self> {
        let (whole, piece) = split_step_id(&log.message(position)?.id);
        let several = log.position(&step_id(&whole, 1)).is_some();
        let index = index_of(whole.as_str())?;
        let before = count(left.partition_point(|other| *other < index));
        Some(Self {
            message: index.saturating_sub(before).saturating_add(1),
            step: several.then(|| count(piece).saturating_add(1)),
        })
    }
}

/// The index of the loaded message with this id: see [`super::Session`].
pub(super) fn index_of(whole: &str) -> Option<u32> {
    whole.strip_prefix('m').and_then(|index| index.parse().ok())
}

impl fmt::Display for MessageNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&thousands(self.message))?;
        self.step.map_or(Ok(()), |step| write!(f, ".{step}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::history::Record;
    use epitome::message::{Message, Role};

    #[test]
    fn steps_of_a_message_share_its_number() {
        let mut log = Log::default();
        for id in ["m0", "m1", "m1#1", "m1234"] {
            let message = Message::new(id, Role::User, "hi");
            log.append(Record::Message { message: message.into() }).unwrap();
        }
        let numbers: Vec<String> = (0..4)
            .filter_map(|at| MessageNumber::of(&log, at, &[]))
            .map(|number| number.to_string())
            .collect();
        assert_eq!(numbers, ["1", "2.1", "2.2", "1,235"]);
        assert_eq!(MessageNumber::of(&log, 4, &[]), None);
        let behind = MessageNumber::of(&log, 3, &[2, 3, 4, 2_000]);
        assert_eq!(behind.map(|number| number.to_string()).as_deref(), Some("1,232"));
    }
}
