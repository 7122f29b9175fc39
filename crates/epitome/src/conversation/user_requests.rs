//! Which message is the last request of a user.

use super::index::is_heartbeat_answer;
use crate::message::{Message, Role};

/// The latest messages that a user sent.
#[derive(Clone, Copy, Default)]
pub(super) struct UserRequests {
    last: Option<usize>,
    /// The one before, in case the last turns out to be a heartbeat.
    earlier: Option<usize>,
}

impl UserRequests {
    /// The position of the last one. Synthetic messages, blank ones and heartbeats do not count.
    pub(super) fn last(&self) -> Option<usize> {
        self.last
    }

    /// Takes the next message of the log into account. `heartbeat_answer` is what an assistant answers to a
    /// heartbeat of the app; `None` if there are no heartbeats.
    pub(super) fn push(
        &mut self,
        position: usize,
        message: &Message,
        heartbeat_answer: Option<&str>,
    ) {
        let asked = message.role == Role::User && message.synthetic.is_none();
        if asked && !message.is_blank() {
            *self = Self { last: Some(position), earlier: self.last };
        } else if is_heartbeat_answer(message, heartbeat_answer)
            && self.last.is_some_and(|last| last + 1 == position)
        {
            // The message before was a heartbeat of the app, not a request of a user.
            *self = Self { last: self.earlier, earlier: None };
        }
    }
}
