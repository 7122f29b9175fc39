//! Changes of messages that are in the conversation already: edits, insertions, removals, and moves to other branches.

use std::sync::Arc;

use super::{CommandError, Compactor, Output, State};
use crate::history::{LogError, Record};
use crate::message::{Message, MessageId};
use crate::policy::StaleSummary;

impl Compactor {
    /// Replaces a message by its id. Cancels a running compaction that covers it, and undoes committed ones
    /// that do, since their summaries describe the old text.
    pub fn edit(&mut self, message: Message) -> Result<(), CommandError> {
        self.refuse_to_agents()?;
        let message = Arc::new(message);
        self.take_back_task_summary(&message.id);
        self.prepare_agents_for_edit(&message.id)?;
        self.replace(Arc::clone(&message))?;
        self.edit_for_agents(&message)
    }

    pub(super) fn replace(&mut self, message: Arc<Message>) -> Result<(), CommandError> {
        let record = Record::Edit { message };
        if self.log().is_aside(&record) {
            return Ok(self.conversation.append(record)?);
        }
        let Record::Edit { message } = &record else { return Ok(()) };
        let position = self.log().required(&message.id)?;
        let is_useless = self.job().is_some_and(|job| job.is_invalidated_by_edit(position));
        self.change(record, position, is_useless)
    }

    /// Puts a message in front of another one. Cancels a running compaction that was planned with the messages around it,
    /// and undoes committed ones whose summaries cover both. Costs the texts behind it.
    pub fn insert(&mut self, message: Message, before: MessageId) -> Result<(), CommandError> {
        self.refuse_to_agents()?;
        self.take_back_task_summary(&before);
        self.put_before(message.into(), before)
    }

    pub(super) fn put_before(
        &mut self,
        message: Arc<Message>,
        before: MessageId,
    ) -> Result<(), CommandError> {
        if self.log().contains(&message.id) {
            return Err(LogError::DuplicateId(message.id.clone()).into());
        }
        let position = self.log().required(&before)?;
        let record = Record::Insert { message, before };
        if self.log().is_aside(&record) {
            return Ok(self.conversation.append(record)?);
        }
        let is_useless = self.job().is_some_and(|job| job.plans(position));
        self.change(record, position, is_useless)
    }

    /// Removes a message from the conversation, and from all branches. Cancels a running compaction that was planned with
    /// it, and undoes committed ones that are about it, since their summaries would go on to say what it said. Costs the
    /// texts behind it.
    pub fn remove(&mut self, id: MessageId) -> Result<(), CommandError> {
        self.refuse_to_agents()?;
        self.take_back_task_summary(&id);
        self.take_out(id)
    }

    pub(super) fn take_out(&mut self, id: MessageId) -> Result<(), CommandError> {
        let record = Record::Remove { id };
        if self.log().is_aside(&record) {
            return Ok(self.conversation.append(record)?);
        }
        let Record::Remove { id } = &record else { return Ok(()) };
        let position = self.log().required(id)?;
        let is_useless = self.job().is_some_and(|job| job.plans(position));
        self.change(record, position, is_useless)
    }

    /// Ends the conversation with another message, or empties it. What was behind that message is a branch from then on:
    /// the next message begins another one, as an app needs it that generates an answer once more, or sends an edited
    /// question. The message may also be on another branch; then that one is the conversation.
    ///
    /// Compactions of messages that are all still there stay active, and those of a branch are active again with it. A
    /// running compaction goes on if what it summarizes is still there.
    ///
    /// Costs the texts of messages that were not in the conversation, the number of those that leave it, and the size of the
    /// active compactions.
    pub fn move_head(&mut self, head: Option<MessageId>) -> Result<(), CommandError> {
        self.refuse_to_agents()?;
        self.end_with(head)
    }

    pub(super) fn end_with(&mut self, head: Option<MessageId>) -> Result<(), CommandError> {
        if matches!(self.state, State::Committing { .. }) {
            return Err(CommandError::Busy);
        }
        let (changes, last_request) = (self.log().changes(), self.conversation.last_request());
        let before = self.log().len();
        self.conversation.append(Record::Head { message: head })?;
        let Some(from) = self.log().changed_since(changes) else {
            if self.log().len() > before {
                self.outputs.push_back(Output::Changed);
            }
            return Ok(());
        };
        if self.job().is_some_and(|job| !job.goes_on_with(from)) {
            self.cancel();
        }
        self.drop_preparation_from(from);
        if self.conversation.last_request() != last_request {
            self.cycle.begin_request();
        }
        self.resume_automatic();
        self.changed();
        Ok(())
    }

    /// Makes the branch with this message the conversation, with all messages that it had.
    pub fn switch_to(&mut self, id: &MessageId) -> Result<(), CommandError> {
        let head = self.log().last_head(id).cloned();
        let head = head.ok_or_else(|| LogError::UnknownId(id.clone()))?;
        self.move_head(Some(head))
    }

    /// Appends a record, after a running compaction that it makes useless was cancelled: the answer of its summarizer would
    /// be about messages that are no longer in the conversation.
    fn change(
        &mut self,
        record: Record,
        position: usize,
        is_useless: bool,
    ) -> Result<(), CommandError> {
        if matches!(self.state, State::Committing { .. }) {
            return Err(CommandError::Busy);
        }
        if is_useless {
            self.cancel();
        }
        let covered = self.conversation.projection().covered;
        self.conversation.append(record)?;
        self.drop_preparation_from(position);
        if self.policy.stale_summary == StaleSummary::Renew {
            self.cycle.is_stale |= self.conversation.projection().covered < covered;
        }
        self.changed();
        Ok(())
    }

    fn changed(&mut self) {
        self.cycle.view_sent = true;
        self.cycle.nothing_to_reduce_at = None;
        self.outputs.push_back(Output::Changed);
    }
}
