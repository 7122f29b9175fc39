//! Records enter the log, and what is known of the conversation is renewed as far as they change it.

use std::sync::Arc;

use super::Conversation;
use super::user_requests::UserRequests;
use crate::contract::Contract;
use crate::history::{Journal, Log, LogError, Projection, Record};
use crate::message::{CheckpointId, Message, Role};
use crate::tokens::{CharactersPer, Cost, Meter};

/// What a record changes in the view.
enum Effect {
    /// Nothing that was in the view before.
    Appended,
    /// One more checkpoint is active.
    Checkpoint,
    /// A message that no active checkpoint is about has changed.
    Edited,
    /// The messages from a position on are others, or other checkpoints are active.
    Changed { from: usize },
}

impl Conversation {
    /// Appends a record. A message costs its own length; a checkpoint, its size and what is rewritten so far; an undo,
    /// the size of the active checkpoints; an edit, the message and the number of messages behind it, and for a message
    /// that checkpoints are about also their size. An insertion and a removal cost the texts behind them, and a move of the
    /// head those that join the conversation; each of them also the number of messages and the size of the checkpoints.
    pub fn append(&mut self, record: Record) -> Result<(), LogError> {
        // Where a message joins the conversation, or gets other reasoning than it had.
        let written = match &record {
            Record::Message { .. } => Some(self.log.len()),
            Record::Insert { before, .. } => self.log.position(before),
            Record::Edit { message } => self.log.position(&message.id).filter(|position| {
                let earlier = self.log.message(*position);
                !earlier.is_some_and(|earlier| {
                    earlier.signed_reasoning().eq(message.signed_reasoning())
                })
            }),
            _ => None,
        };
        match self.store(record, None)? {
            Effect::Appended => {}
            Effect::Checkpoint => {
                let Some(checkpoint) = self.log.checkpoint() else { return Ok(()) };
                let projection = self.projection.with(&self.log, checkpoint);
                let projection = self.without_refused_reasoning(projection);
                self.base = self.base(&projection, &self.known_in(&projection));
                self.projection = projection;
                self.begin_epoch();
            }
            Effect::Edited => self.begin_epoch(),
            Effect::Changed { from } => self.project(from),
        }
        if let Some(position) = written {
            self.note_reasoning(position);
        }
        Ok(())
    }

    /// Appends stored records, and projects the result once.
    pub(crate) fn replay(&mut self, records: Vec<Record>) -> Result<(), LogError> {
        // Projecting after each record would cost quadratic time in the number of checkpoints.
        for record in records {
            self.store(record, None)?;
        }
        self.project(0);
        Ok(())
    }

    /// An empty conversation for one agent of the team that this is the conversation of, with the same tokenizer.
    pub(crate) fn for_agent(&self, contract: Contract) -> Self {
        let meter = Meter::sharing(self.meter.tokenizer().clone());
        let (log, reads_in_slices) = (Log::of_agent(), self.reads_in_slices);
        let empty = Self::new(contract, Box::new(CharactersPer(1)));
        Self { log, meter, reads_in_slices, ..empty }
    }

    /// True if it counts with the same tokenizer as another one.
    pub(crate) fn counts_as(&self, other: &Self) -> bool {
        self.meter.counts_as(&other.meter)
    }

    /// What the message of a record of this conversation costs for a conversation that counts with the same tokenizer; `None` for
    /// another one, and for a message that was not counted. Costs O(log n).
    fn cost_for(&self, other: &Self, index: usize, message: &Message) -> Option<Cost> {
        if !self.counts_as(other) {
            return None;
        }
        let cost = match message.audience.is_everyone() {
            true => self.meter.cost(self.log.position(&message.id)?),
            false => self.private_costs.get(&index),
        };
        cost.cloned()
    }

    /// Takes note of what a message that is not for everyone costs in an agent's conversation, unless that is known. `index` is
    /// that of its record here, `position` that of the message there.
    fn learn_cost(&mut self, index: usize, agent: &Self, position: usize) {
        if let Some(cost) = agent.meter.cost(position).filter(|_| self.counts_as(agent)) {
            self.private_costs.entry(index).or_insert_with(|| cost.clone());
        }
    }

    /// Takes note of what all messages cost in an agent's conversation that are not for everyone, unless that is known.
    pub(crate) fn learn_costs(&mut self, agent: &Self) {
        for (position, message) in agent.log.messages().enumerate() {
            if let Some(index) = self.log.aside_index(&message.id) {
                self.learn_cost(index, agent, position);
            }
        }
    }

    /// Appends the message of a record of the team's conversation, without counting it again if that or another agent has counted
    /// it in the same way. Costs its length.
    pub(crate) fn append_of(
        &mut self,
        team: &mut Self,
        index: usize,
        message: Arc<Message>,
    ) -> Result<(), LogError> {
        let known = team.cost_for(self, index, &message);
        let is_new = known.is_none() && !message.audience.is_everyone();
        let position = self.log.len();
        self.append_message(message, known)?;
        if is_new {
            team.learn_cost(index, self, position);
        }
        Ok(())
    }

    /// Appends a message, and counts it unless its cost is known. Costs its length.
    pub(crate) fn append_message(
        &mut self,
        message: Arc<Message>,
        known: Option<Cost>,
    ) -> Result<(), LogError> {
        let position = self.log.len();
        self.store(Record::Message { message }, known)?;
        self.note_reasoning(position);
        Ok(())
    }

    /// Reads what the log of a team has for an agent up to a record, and projects the result once. Linear in what the agent
    /// reads.
    pub(crate) fn replay_of(
        &mut self,
        team: &Self,
        agent: &str,
        end: usize,
    ) -> Result<(), LogError> {
        let next = |from: usize| team.log.fed(from, agent).filter(|(index, _)| *index < end);
        let records = std::iter::successors(next(0), |(index, _)| next(index + 1));
        for (index, record) in records {
            let is_known = match record {
                Record::Remove { id } => self.log.contains(id),
                // An edit of a message has undone the compactions that are about it. The log has the edit in place of the
                // message, so that it may have been read before their undo.
                Record::Undo { checkpoint } => self.log.has_checkpoint(*checkpoint),
                _ => true,
            };
            if is_known {
                let message = record.message();
                let known = message.and_then(|message| team.cost_for(self, index, message));
                let changed = match record {
                    Record::Remove { id } => Some(id),
                    Record::Edit { message } => Some(&message.id),
                    _ => None,
                };
                let detour = changed.and_then(|id| self.log.detour(id));
                let (branch, head) = detour.unzip();
                if let Some(branch) = branch {
                    self.store(Record::Head { message: Some(branch) }, None)?;
                }
                self.store(record.clone(), known)?;
                if let Some(message) = head {
                    self.store(Record::Head { message }, None)?;
                }
            }
        }
        self.log.take_outbox();
        self.project(0);
        Ok(())
    }

    /// What the log of the team does not have of the log of an agent. It is returned once.
    pub(crate) fn take_outbox(&mut self) -> Vec<Record> {
        self.log.take_outbox()
    }

    /// What a store does not have yet, if there is a store.
    pub(crate) fn journal(&mut self) -> Option<&mut Journal> {
        self.log.journal()
    }

    /// Begins to collect what a store does not have yet.
    pub(crate) fn begin_journal(&mut self, journal: Journal) {
        self.log.begin_journal(journal);
    }

    /// Puts a record into the log and counts its message, unless its cost is known.
    fn store(&mut self, record: Record, known: Option<Cost>) -> Result<Effect, LogError> {
        if self.log.is_aside(&record) {
            let changed = match &record {
                Record::Edit { message } => self.log.aside_index(&message.id),
                Record::Remove { id } => self.log.aside_index(id),
                _ => None,
            };
            self.log.append(record)?;
            changed.map(|index| self.private_costs.remove(&index));
            return Ok(Effect::Appended);
        }
        let active = |log: &Log| -> Vec<CheckpointId> {
            log.active_checkpoints().map(|checkpoint| checkpoint.id).collect()
        };
        match record {
            Record::Message { .. } => {
                self.log.append(record)?;
                self.count(self.log.len().saturating_sub(1), known);
                Ok(Effect::Appended)
            }
            Record::Todo { .. }
            | Record::Memory { .. }
            | Record::StructuredState { .. }
            | Record::UndoStructuredState {}
            | Record::Undone { .. }
            | Record::Reasoning { .. }
            | Record::Task { .. }
            | Record::TaskSummary { .. }
            | Record::Agent { .. }
            | Record::AgentPolicy { .. }
            | Record::AgentProvider { .. }
            | Record::Unknown(_) => {
                self.log.append(record)?;
                Ok(Effect::Appended)
            }
            Record::Checkpoint { .. } => {
                self.log.append(record)?;
                Ok(Effect::Checkpoint)
            }
            Record::Undo { .. } => {
                self.log.append(record)?;
                Ok(Effect::Changed { from: self.log.len() })
            }
            Record::Edit { message } => {
                let id = message.id.clone();
                let position = self.log.position(&id);
                // The earlier version, which the log does not return any more after the edit: the index needs it
                // to see whether links have changed.
                let before = position.and_then(|position| self.log.message(position)).cloned();
                let known = active(&self.log);
                self.log.append(Record::Edit { message })?;
                if let (Some(position), Some(before)) = (position, before) {
                    self.count_edited(position, &before);
                }
                let is_same = active(&self.log) == known;
                Ok(match position {
                    Some(position) if !is_same || self.may_change_reasoning(position) => {
                        Effect::Changed { from: position }
                    }
                    _ => Effect::Edited,
                })
            }
            Record::Insert { .. } | Record::Remove { .. } | Record::Head { .. } => {
                self.change_path(record)
            }
        }
    }

    /// Puts a record into the log that changes which messages the conversation has.
    fn change_path(&mut self, record: Record) -> Result<Effect, LogError> {
        let (changes, before) = (self.log.changes(), self.log.len());
        let inserts = matches!(record, Record::Insert { .. });
        let moves = matches!(record, Record::Head { .. });
        self.log.append(record)?;
        let from = self.log.changed_since(changes);
        // Without a change, messages of a branch have only been added at the end.
        let position = from.unwrap_or(before);
        if let Some(recount) = &mut self.recount {
            recount.truncate(position);
        }
        match self.log.message(position) {
            _ if moves => self.meter.truncate(position),
            Some(message) if inserts => self.meter.insert(position, message),
            _ => self.meter.remove(position),
        }
        while let Some(message) = self.log.message(self.meter.len()) {
            self.meter.append(message);
        }
        self.prefixes.truncate(position);
        self.index.renew(&self.log, position);
        self.recount_protected();
        self.reading = self.reading.and_then(|reading| reading.up_to(position));
        Ok(Effect::Changed { from: position })
    }

    /// The provider's earlier counts were of another view from here on.
    fn begin_epoch(&mut self) {
        self.reading = None;
        self.begin_revision();
    }

    fn begin_revision(&mut self) {
        self.calibrations.begin_epoch();
        self.epoch = self.epoch.saturating_add(1);
    }

    /// Applies every active checkpoint to the log again, whose messages before a position are the same as they were. Tokens
    /// of messages there that are rewritten in the same way are known.
    pub(super) fn project(&mut self, from: usize) {
        let projection = self.without_refused_reasoning(Projection::of(&self.log));
        if projection == self.projection && from > 0 {
            self.begin_revision();
        } else {
            self.begin_epoch();
        }
        let mut known = self.known_in(&projection);
        known.retain(|position, _| *position < from);
        self.projection = projection;
        self.base = self.base(&self.projection, &known);
    }

    /// Counts a message at the end.
    fn count(&mut self, position: usize, known: Option<Cost>) {
        let Some(message) = self.log.message(position) else { return };
        self.index.push(&self.log);
        match known {
            Some(cost) => self.meter.append_counted(cost),
            None => self.meter.append(message),
        }
        let tokens = self.meter.tokens(position);
        if message.pinned && message.role != Role::System {
            self.pinned_tokens += tokens;
        }
        self.requests.push(position, message, self.heartbeat_answer.as_deref());
        self.hash_from(position);
    }

    /// Counts a message again after an edit; `before` is how it was.
    fn count_edited(&mut self, position: usize, before: &Message) {
        let Some(message) = self.log.message(position) else { return };
        self.index.edit(&self.log, position, before);
        self.meter.replace(position, message);
        if let Some(recount) = &mut self.recount {
            recount.replace(position, message);
        }
        // An answer that is streamed by edits changes nothing of what is protected.
        let may_be_protected = |message: &Message| {
            message.pinned || message.role == Role::User || self.heartbeat_answer.is_some()
        };
        if may_be_protected(before) || may_be_protected(message) {
            self.recount_protected();
        }
        self.hash_from(position);
    }

    /// Linear in system and pinned messages, and with heartbeats also in the requests of users.
    pub(super) fn recount_protected(&mut self) {
        let fixed = self.index.fixed.iter().filter(|at| {
            self.log.message(**at).is_some_and(|message| message.role != Role::System)
        });
        self.pinned_tokens = fixed.map(|at| self.meter.tokens(*at)).sum();
        let mut requests = UserRequests::default();
        let answer = self.heartbeat_answer.as_deref();
        let mut asked = self.index.user_requests.as_slice();
        if answer.is_none() {
            // Without heartbeats, only the last two matter.
            asked = asked.split_at(asked.len().saturating_sub(2)).1;
        }
        for request in asked {
            let message = |position| Some((position, self.log.message(position)?));
            let answered = message(request + 1).filter(|(_, it)| it.role == Role::Assistant);
            for (position, message) in message(*request).into_iter().chain(answered) {
                requests.push(position, message, answer);
            }
        }
        self.requests = requests;
    }
}
