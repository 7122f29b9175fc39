//! Which message is the last user request.

use super::index::is_heartbeat_answer;
use crate::message::{Message, Role};

/// The latest messages that a user sent.
#[derive(Clone, Copy, Default)]
pub(super) struct Requests {
    pub(super) last: Option<usize>,
    /// The one before, in case the last turns out to be a heartbeat.
    earlier: Option<usize>,
}

impl Requests {
    /// Records the next message of the log. `heartbeat_answer` is what an assistant answers to a heartbeat of
    /// the app, if it has one.
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
