//! Counting a message before it is appended, and all messages again by another tokenizer.

use super::{CommandError, Compactor};
use crate::message::{Message, MessageId};
use crate::tokens::{BoxedTokenizer, Cost, Measuring, SharedTokenizer};

/// A message that is counted before it is appended, in slices: see [`Compactor::begin_message`].
pub struct CountedMessage {
    message: Message,
    measuring: Measuring,
    /// Known once all is counted.
    cost: Option<Cost>,
    tokenizer: SharedTokenizer,
}

impl CountedMessage {
    /// The id of the message.
    pub fn id(&self) -> &MessageId {
        &self.message.id
    }
}

impl Compactor {
    /// Begins to count a message that is to be appended.
    pub fn begin_message(&self, message: Message) -> CountedMessage {
        let tokenizer = self.conversation.meter().tokenizer().clone();
        CountedMessage { message, measuring: Measuring::default(), cost: None, tokenizer }
    }

    /// Counts a slice of a message: about half a megabyte of its text, if the tokenizer can divide that. True once all is counted.
    pub fn count_message(&self, counted: &mut CountedMessage) -> bool {
        let meter = self.conversation.meter();
        let CountedMessage { message, measuring, cost, tokenizer } = counted;
        if !meter.is_of(tokenizer) {
            // It is counted when it is appended.
            return true;
        }
        if cost.is_none() {
            *cost = meter.measure_next(message, measuring);
        }
        cost.is_some()
    }

    /// The same as [`Self::append`] for a message that is counted already. It is counted now if it is not, or if the compactor counts
    /// by another tokenizer by now.
    pub fn append_counted(&mut self, counted: CountedMessage) -> Result<(), CommandError> {
        let CountedMessage { message, cost, tokenizer, .. } = counted;
        let known = cost.filter(|_| self.conversation.meter().is_of(&tokenizer));
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

    /// Counts one more message with the new tokenizer, or a part of a very long one. False once all are counted, which is when the new counts
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
