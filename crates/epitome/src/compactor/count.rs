//! Counting again by another tokenizer.

use super::{CommandError, Compactor};
use crate::message::{Message, MessageId};
use crate::tokens::{BoxedTokenizer, Cost, SharedTokenizer};

/// A message whose tokens are counted before it is appended, so that a very long one takes two calls of half the time.
pub struct CountedMessage {
    message: Message,
    cost: Cost,
    tokenizer: SharedTokenizer,
}

impl CountedMessage {
    /// The id of the message.
    pub fn id(&self) -> &MessageId {
        &self.message.id
    }
}

impl Compactor {
    /// Counts a message for [`Self::append_counted`]. Linear in it.
    pub fn count_message(&self, message: Message) -> CountedMessage {
        let meter = self.conversation.meter();
        let (cost, tokenizer) = (meter.measure(&message), meter.tokenizer().clone());
        CountedMessage { message, cost, tokenizer }
    }

    /// The same as [`Self::append`] for a message that is counted already. It is counted again if the compactor counts by
    /// another tokenizer by now.
    pub fn append_counted(&mut self, counted: CountedMessage) -> Result<(), CommandError> {
        let CountedMessage { message, cost, tokenizer } = counted;
        let known = self.conversation.meter().is_of(&tokenizer).then_some(cost);
        self.append_message(message, known)
    }

    /// True if it counts with the tokenizer of this other one, as an agent does that was asked for after its team counted by it.
    pub fn counts_as(&self, other: &Self) -> bool {
        self.conversation.counts_as(&other.conversation)
    }

    /// Counts every message again with another tokenizer. Linear in all texts.
    pub fn count_by(&mut self, tokenizer: BoxedTokenizer) {
        self.conversation.count_by(tokenizer);
    }

    /// Begins to count every message again with another tokenizer, instead of one that was begun before. The old
    /// counts are used until [`Self::count_next`] returns false.
    pub fn begin_count_by(&mut self, tokenizer: BoxedTokenizer) {
        self.conversation.begin_count_by(tokenizer);
    }

    /// Counts one more message with the new tokenizer. False once all are counted, which is when the new counts
    /// come into use.
    ///
    /// An error while a compaction is running, since its budgets are in the old counts.
    pub fn count_next(&mut self) -> Result<bool, CommandError> {
        if self.is_busy() {
            return Err(CommandError::Busy);
        }
        Ok(self.conversation.count_next())
    }
}
