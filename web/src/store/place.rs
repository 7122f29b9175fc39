//! Where a row stands in the conversation that was loaded.

use std::fmt;

use epitome::history::Log;
use epitome_formats::{split_step_id, step_id};

use crate::number::{count, thousands};

/// A message by its number, and which of its rows this is where it has several: `3`, or `3.2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The message, from 1.
    pub(crate) message: u32,
    row: Option<u32>,
}

impl Place {
    /// The place of what the log has at a position.
    pub(super) fn of(log: &Log, position: usize) -> Option<Self> {
        let (whole, piece) = split_step_id(&log.message(position)?.id);
        let several = log.position(&step_id(&whole, 1)).is_some();
        Some(Self {
            message: index_of(whole.as_str())?.saturating_add(1),
            row: several.then(|| count(piece).saturating_add(1)),
        })
    }
}

/// The index of the message that the engine calls so.
pub(super) fn index_of(whole: &str) -> Option<u32> {
    whole.strip_prefix('m').and_then(|index| index.parse().ok())
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&thousands(self.message))?;
        self.row.map_or(Ok(()), |row| write!(f, ".{row}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::history::Record;
    use epitome::message::{Message, Role};

    #[test]
    fn rows_of_one_message_share_its_number() {
        let mut log = Log::default();
        for id in ["m0", "m1", "m1#1", "m1234"] {
            let message = Message::new(id, Role::User, "hi");
            log.append(Record::Message { message }).unwrap();
        }
        let places: Vec<String> =
            (0..4).filter_map(|at| Place::of(&log, at)).map(|place| place.to_string()).collect();
        assert_eq!(places, ["1", "2.1", "2.2", "1,235"]);
        assert_eq!(Place::of(&log, 4), None);
    }
}
