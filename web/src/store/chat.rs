//! The state of the chat: the answer that is being written, and what came of the latest one.

use epitome::message::MessageId;
use leptos::prelude::*;

use super::drafts::Drafts;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// What went wrong, and what to do about it.
    pub(crate) message: String,
    /// The answer in whose place it should have come.
    pub(crate) left: Option<MessageId>,
}

/// A request for an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// How often it was sent and refused as too long.
    pub(crate) refused: u32,
    /// The answer in whose place the new one comes.
    pub(crate) left: Option<MessageId>,
    /// What the server said when it refused it last.
    pub(crate) refusal: String,
}

/// State of the chat. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct Chat {
    /// True from the request to the end of the answer.
    pub(crate) is_answering: RwSignal<bool>,
    /// The text of the answer that has arrived.
    pub(crate) arriving: RwSignal<String>,
    /// Why there is no answer to the latest request.
    pub(crate) problem: RwSignal<Option<Problem>>,
    /// What the user should know about the latest answer.
    pub(crate) note: RwSignal<Option<String>>,
    /// True once something was said here.
    pub(crate) is_begun: RwSignal<bool>,
    /// What is asked when the running compaction has ended.
    pub(crate) waiting: StoredValue<Option<Question>>,
    /// What is typed and not sent.
    pub(crate) drafts: Drafts,
}

impl Chat {
    pub(super) fn new() -> Self {
        Self {
            is_answering: RwSignal::new(false),
            arriving: RwSignal::new(String::new()),
            problem: RwSignal::new(None),
            note: RwSignal::new(None),
            is_begun: RwSignal::new(false),
            waiting: StoredValue::new(None),
            drafts: Drafts::recalled(),
        }
    }

    /// Removes what was about an earlier answer.
    pub(crate) fn forget_latest(self) {
        self.arriving.set(String::new());
        self.problem.set(None);
        self.note.set(None);
        self.waiting.set_value(None);
    }

    /// Removes the state of a conversation.
    pub(super) fn clear(self) {
        self.forget_latest();
        self.is_answering.set(false);
        self.is_begun.set(false);
    }
}
