//! The agents of a team: each has a view of its own of the same stored messages, and compacts it on its own.
//!
//! An agent is a compactor whose log has the messages that are for it. It reads them from the log of the team when it is asked
//! for, so that appending a message costs the same whatever the number of agents. What happens in its view becomes records of
//! the team's log, so that storing this log stores all agents.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::snapshot::Condition;
use super::{CommandError, Compactor, State};
use crate::conversation::Conversation;
use crate::history::Record;
use crate::message::{Message, MessageId};
use crate::policy::Policy;

/// What a compactor knows of the agents of its team.
#[derive(Default)]
pub(super) struct Agents {
    /// Those that were asked for.
    members: BTreeMap<String, Member>,
    /// Those that a store has and that were not asked for since.
    stored: BTreeMap<String, StoredAgent>,
}

/// What a store has of an agent besides the records of its log.
#[derive(Default)]
struct StoredAgent {
    policy: Option<Policy>,
    condition: Option<Condition>,
}

/// An agent that was asked for.
struct Member {
    compactor: Compactor,
    /// The index behind the last record of the team's log that it has read.
    read: usize,
    /// The record that it waits for to be stored.
    announced: Option<Record>,
}

/// One agent of a team, which has read all messages that are for it. It is a [`Compactor`] with view, status, plan, policy,
/// compactions and undo of its own; only messages are appended and changed through the compactor of the team.
pub struct Agent<'a> {
    team: &'a mut Conversation,
    member: &'a mut Member,
    name: &'a str,
}

impl Deref for Agent<'_> {
    type Target = Compactor;

    fn deref(&self) -> &Compactor {
        &self.member.compactor
    }
}

impl DerefMut for Agent<'_> {
    fn deref_mut(&mut self) -> &mut Compactor {
        &mut self.member.compactor
    }
}

impl Drop for Agent<'_> {
    fn drop(&mut self) {
        self.member.report_to(self.team, self.name);
    }
}

/// An agent outside of its team, for a host that cannot keep a borrow of the team.
pub struct Lent {
    name: String,
    member: Member,
}

impl Lent {
    /// The agent. A host may put another compactor in its place until it gives the agent back.
    pub fn compactor(&mut self) -> &mut Compactor {
        &mut self.member.compactor
    }
}

impl Compactor {
    /// Takes an agent out of the team, until [`Self::take_back`]; see [`Self::agent`].
    pub fn lend(&mut self, name: &str) -> Result<Lent, CommandError> {
        drop(self.agent(name)?);
        let member = self.agents.members.remove(name);
        let member = member.ok_or_else(|| CommandError::UnknownAgent(name.to_owned()))?;
        Ok(Lent { name: name.to_owned(), member })
    }

    /// Takes an agent back that [`Self::lend`] has returned.
    pub fn take_back(&mut self, lent: Lent) {
        let Lent { name, mut member } = lent;
        member.report_to(&mut self.conversation, &name);
        self.agents.members.insert(name, member);
    }

    /// The agent of this name: a compactor over the messages that are for everyone or for it, or that it has written. The
    /// compactor of the team itself has those that are for everyone. An agent that is asked for first has the team's policy,
    /// contract and tokenizer.
    ///
    /// Costs the messages that it has not read yet, without counting them again; after a restore, all that are for it. An
    /// error if this is an agent already, or if stored records contradict each other.
    pub fn agent<'a>(&'a mut self, name: &'a str) -> Result<Agent<'a>, CommandError> {
        self.refuse_to_agents()?;
        if !self.agents.members.contains_key(name) {
            let member = self.wake(name)?;
            self.agents.members.insert(name.to_owned(), member);
        }
        let Self { agents, conversation, .. } = self;
        let member = agents.members.get_mut(name);
        let member = member.ok_or_else(|| CommandError::UnknownAgent(name.to_owned()))?;
        member.read_from(conversation, name)?;
        Ok(Agent { team: conversation, member, name })
    }

    /// The names of the agents that were asked for, now or before a restore, in alphabetical order.
    pub fn agents(&self) -> impl Iterator<Item = &str> {
        let Agents { members, stored } = &self.agents;
        let mut names: Vec<&str> =
            members.keys().chain(stored.keys()).map(String::as_str).collect();
        names.sort_unstable();
        names.into_iter()
    }

    /// True for an agent of a team.
    pub fn is_agent(&self) -> bool {
        self.log().is_of_agent()
    }

    /// Messages come to an agent only through its team.
    pub(super) fn refuse_to_agents(&self) -> Result<(), CommandError> {
        match self.is_agent() {
            true => Err(CommandError::OfTeam),
            false => Ok(()),
        }
    }

    /// An agent that was not asked for since the conversation was created or restored.
    fn wake(&mut self, name: &str) -> Result<Member, CommandError> {
        let stored = self.agents.stored.get(name);
        let policy = stored.and_then(|stored| stored.policy.clone());
        let policy = policy.unwrap_or_else(|| self.policy.clone());
        let mut conversation = self.conversation.for_agent();
        conversation.index_for(&policy);
        conversation.name_model(policy.model.as_deref());
        let mut compactor = Self::with(policy, Arc::clone(&self.provider), conversation);
        let mut read = 0;
        if let Some(StoredAgent { condition, .. }) = stored {
            read = self.log().feed_end();
            compactor.conversation.replay_of(&self.conversation, name)?;
            if let Some(condition) = condition {
                compactor.resume(condition.clone());
            }
        }
        compactor.know_state();
        self.agents.stored.remove(name);
        Ok(Member { compactor, read, announced: None })
    }

    /// Takes note of the agents that a restored log has.
    pub(super) fn know_agents(&mut self, conditions: BTreeMap<String, Condition>) {
        let mut stored: BTreeMap<String, StoredAgent> = BTreeMap::new();
        for record in self.conversation.log().records() {
            match record {
                Record::Agent { agent, .. } => {
                    stored.entry(agent.clone()).or_default();
                }
                Record::AgentPolicy { agent, policy } => {
                    stored.entry(agent.clone()).or_default().policy = Some((**policy).clone());
                }
                _ => {}
            }
        }
        for (agent, condition) in conditions {
            stored.entry(agent).or_default().condition = Some(condition);
        }
        self.agents.stored = stored;
    }

    /// The state of each agent, for a store.
    pub(super) fn agent_conditions(&self) -> BTreeMap<String, Condition> {
        let Agents { members, stored } = &self.agents;
        let stored = stored.iter().filter_map(|(name, it)| Some((name, it.condition.clone()?)));
        let members = members.iter().map(|(name, it)| (name, it.compactor.condition()));
        stored.chain(members).map(|(name, condition)| (name.clone(), condition)).collect()
    }

    /// Lets the agents that have a message read what came before its change; those that are known from a store and may have
    /// compacted it are asked for. An error if one of them is storing a record, which would be about the message as it was.
    pub(super) fn prepare_agents_for_edit(&mut self, id: &MessageId) -> Result<(), CommandError> {
        let stored: Vec<String> = self.agents.stored.keys().cloned().collect();
        for name in stored {
            self.agent(&name)?;
        }
        let Self { agents, conversation, .. } = self;
        for (name, member) in &mut agents.members {
            if member.compactor.log().contains(id) {
                member.read_from(conversation, name)?;
                if member.is_storing() || conversation.log().fed(member.read, name).is_some() {
                    return Err(CommandError::Busy);
                }
            }
        }
        Ok(())
    }

    /// Passes the new version of a message to the agents that have the earlier one. The log has the new version in its place,
    /// so that they would not read it.
    pub(super) fn edit_for_agents(&mut self, message: &Arc<Message>) -> Result<(), CommandError> {
        let Self { agents, conversation, .. } = self;
        for (name, member) in &mut agents.members {
            if member.compactor.log().contains(&message.id) {
                member.change(&message.id, |it| it.replace(Arc::clone(message)))?;
                member.read = conversation.log().feed_end();
                member.report_to(conversation, name);
            }
        }
        Ok(())
    }
}

impl Member {
    /// Reads what the log of the team has for it, up to a change that it cannot make while it is storing a record.
    fn read_from(&mut self, team: &mut Conversation, name: &str) -> Result<(), CommandError> {
        while let Some((index, record)) = team.log().fed(self.read, name) {
            if self.is_storing() && !matches!(record, Record::Message { .. }) {
                break;
            }
            self.read = index + 1;
            let compactor = &mut self.compactor;
            match record {
                Record::Message { message } => {
                    let message = Arc::clone(message);
                    compactor.take_message(message, |conversation, message| {
                        conversation.append_of(team, message)
                    })?;
                }
                Record::Insert { message, before } => {
                    compactor.put_before(Arc::clone(message), before.clone())?;
                }
                Record::Edit { message } => {
                    let edited = Arc::clone(message);
                    self.change(&message.id, |compactor| compactor.replace(edited))?;
                }
                Record::Remove { id } if compactor.log().contains(id) => {
                    self.change(id, |compactor| compactor.take_out(id.clone()))?;
                }
                record @ (Record::Task { .. } | Record::TaskSummary { .. }) => {
                    compactor.conversation.append(record.clone())?;
                    compactor.resume_automatic();
                }
                Record::Head { message } => compactor.end_with(message.clone())?,
                // Records of the agent itself come from it.
                _ => {}
            }
        }
        self.report_to(team, name);
        Ok(())
    }

    /// Changes a message. A message that is only for some agents may be on another branch of this agent, whereas the team
    /// has it on no branch.
    fn change(
        &mut self,
        id: &MessageId,
        change: impl FnOnce(&mut Compactor) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let compactor = &mut self.compactor;
        let Some((branch, head)) = compactor.log().detour(id) else { return change(compactor) };
        compactor.end_with(Some(branch))?;
        change(compactor)?;
        compactor.end_with(head)
    }

    fn is_storing(&self) -> bool {
        matches!(self.compactor.state, State::Committing { .. })
    }

    /// Appends to the log of the team what happened in the view of the agent.
    fn report_to(&mut self, team: &mut Conversation, name: &str) {
        let of_agent =
            |record: Record| Record::Agent { agent: name.to_owned(), of: Box::new(record) };
        let announced = match &self.compactor.state {
            State::Committing { record, .. } => Some((**record).clone()),
            _ => None,
        };
        let records = self.compactor.conversation.take_outbox();
        if self.announced != announced {
            let earlier = std::mem::replace(&mut self.announced, announced);
            let earlier = earlier.filter(|earlier| !records.contains(earlier));
            if let Some(journal) = team.journal() {
                if let Some(earlier) = earlier {
                    journal.retract(&of_agent(earlier));
                }
                if let Some(announced) = self.announced.clone() {
                    journal.announce(&of_agent(announced));
                }
            }
        }
        let policy = self.compactor.take_new_policy().map(Box::new);
        let policy = policy.map(|policy| Record::AgentPolicy { agent: name.to_owned(), policy });
        for record in policy.into_iter().chain(records.into_iter().map(of_agent)) {
            // This cannot fail: the log keeps such records as they are.
            let _ = team.append(record);
        }
    }
}
