//! Counting again by another tokenizer.

use super::{CommandError, Compactor};
use crate::tokens::BoxedTokenizer;

impl Compactor {
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
