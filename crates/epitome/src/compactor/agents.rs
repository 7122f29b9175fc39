//! The agents of a team: each has a view of its own of the same stored messages, and compacts it on its own.
//!
//! An agent is a compactor whose log has the messages that are for it. It reads them from the log of the team when it is asked
//! for, so that appending a message costs the same whatever the number of agents. What happens in its view becomes records of
//! the team's log, so that storing this log stores all agents.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use epitome_columns::{SortedMap, sort, sort_by_key};

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
    members: SortedMap<String, Member>,
    /// Those that a store has and that were not asked for since.
    stored: SortedMap<String, StoredAgent>,
    /// How often agents were asked for.
    asked: u64,
    /// How many messages the views of agents may have in memory together, if the host has said it.
    held: Option<usize>,
}

/// How many messages the views of agents have in memory at least, together. One takes about 200 bytes beside its text, which
/// all share.
const LEAST_HELD: usize = 200_000;

/// How many messages of views are in memory for each message of the team, in a conversation with so many that
/// [`LEAST_HELD`] is less. So the views of all agents take less than the messages themselves.
const HELD_PER_MESSAGE: usize = 2;

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
    /// The index behind the last record that it has reported to the team.
    reported: usize,
    /// The record that it waits for to be stored.
    announced: Option<Record>,
    /// How often agents had been asked for when it was asked for last.
    asked: u64,
    /// True if it has to read its messages again.
    rests: bool,
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
    /// contract and tokenizer; [`Self::set_agent_provider`] gives it a contract of its own.
    ///
    /// Costs the messages that it has not read yet, without counting them again; after a restore, and if others were asked for
    /// since with more messages than are [held](Self::hold_for_agents), all that are for it. An error if this is an agent
    /// already, or if stored records contradict each other.
    pub fn agent<'a>(&'a mut self, name: &'a str) -> Result<Agent<'a>, CommandError> {
        self.refuse_to_agents()?;
        if !self.agents.members.contains_key(name) {
            let member = self.wake(name)?;
            self.agents.members.insert(name.to_owned(), member);
        }
        let Self { agents, conversation, .. } = self;
        agents.asked += 1;
        let member = agents.members.get_mut(name);
        let member = member.ok_or_else(|| CommandError::UnknownAgent(name.to_owned()))?;
        member.asked = agents.asked;
        let before = member.held();
        member.rise(conversation, name)?;
        member.read_from(conversation, name)?;
        if member.held() > before {
            agents.let_rest(conversation, Some(name));
        }
        let member = agents.members.get_mut(name);
        let member = member.ok_or_else(|| CommandError::UnknownAgent(name.to_owned()))?;
        Ok(Agent { team: conversation, member, name })
    }

    /// Says how many messages the views of all agents may have in memory together. If they have more, those that were not asked
    /// for the longest time give the memory back, and read their messages again when they are asked for; their views, counts and
    /// compactions stay as they are. The default is the greater one of 200,000 and twice the messages of the team.
    pub fn hold_for_agents(&mut self, messages: usize) {
        let Self { agents, conversation, .. } = self;
        agents.held = Some(messages);
        agents.let_rest(conversation, None);
    }

    /// How many messages the views of all agents have in memory together; a message counts once for each agent that has it.
    /// Linear in the number of agents.
    pub fn held_for_agents(&self) -> usize {
        self.agents.members.values().map(Member::held).sum()
    }

    /// The names of the agents that were asked for, now or before a restore, in alphabetical order.
    pub fn agents(&self) -> impl Iterator<Item = &str> {
        let Agents { members, stored, .. } = &self.agents;
        let mut names: Vec<&str> =
            members.keys().chain(stored.keys()).map(String::as_str).collect();
        sort(&mut names);
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
        let provider = self.provider_of(name)?;
        let mut conversation = self.conversation.for_agent(provider.contract());
        conversation.index_for(&policy);
        conversation.name_model(policy.model.as_deref());
        let mut compactor = Self::with(policy, provider, conversation);
        let mut read = 0;
        if let Some(StoredAgent { condition, .. }) = stored {
            read = self.log().feed_end();
            compactor.conversation.replay_of(&self.conversation, name, read)?;
            self.conversation.learn_costs(&compactor.conversation);
            if let Some(condition) = condition {
                compactor.resume(condition.clone());
            }
        }
        compactor.know_state();
        self.agents.stored.remove(name);
        Ok(Member { compactor, read, reported: 0, announced: None, asked: 0, rests: false })
    }

    /// True if nothing is going on that needs the messages of the conversation.
    fn can_rest(&self) -> bool {
        matches!(self.state, State::Idle | State::Paused { .. })
            && !self.started
            && self.outputs.is_empty()
            && self.blending.is_none()
            && !self.preparations.is_any()
            && self.conversation.can_rest()
    }

    /// Takes note of the agents that a restored log has.
    pub(super) fn know_agents(&mut self, conditions: SortedMap<String, Condition>) {
        let mut stored: SortedMap<String, StoredAgent> = SortedMap::new();
        for record in self.conversation.log().records() {
            match record {
                Record::Agent { agent, .. } => {
                    stored.entry(agent.clone()).or_default();
                }
                Record::AgentPolicy { agent, policy } => {
                    stored.entry(agent.clone()).or_default().policy = Some((**policy).clone());
                }
                Record::AgentProvider { agent, provider } => {
                    stored.entry(agent.clone()).or_default();
                    self.agent_providers.expect(agent, provider);
                }
                _ => {}
            }
        }
        for (agent, condition) in conditions {
            stored.entry(agent).or_default().condition = Some(condition);
        }
        self.agents.stored = stored;
    }

    /// Lets an agent that was asked for begin again from the records the next time, as after a restore. An error while a
    /// compaction of it is running.
    pub(super) fn wake_again(&mut self, name: &str) -> Result<(), CommandError> {
        let Self { agents, conversation, .. } = self;
        let Some(member) = agents.members.get_mut(name) else { return Ok(()) };
        if member.compactor.is_busy() {
            return Err(CommandError::Busy);
        }
        member.report_to(conversation, name);
        let policy = Some(member.compactor.policy().clone());
        let condition = Some(member.compactor.condition());
        agents.members.remove(name);
        agents.stored.insert(name.to_owned(), StoredAgent { policy, condition });
        Ok(())
    }

    /// The state of each agent, for a store.
    pub(super) fn agent_conditions(&self) -> SortedMap<String, Condition> {
        let Agents { members, stored, .. } = &self.agents;
        let stored = stored.iter().filter_map(|(name, it)| Some((name, it.condition.clone()?)));
        let members = members.iter().map(|(name, it)| (name, it.compactor.condition()));
        SortedMap::from_iter(
            stored.chain(members).map(|(name, condition)| (name.clone(), condition)),
        )
    }

    /// Lets the agents that have a message read what came before its change; those that are known from a store and may have
    /// compacted it are asked for. An error if one of them is storing a record, which would be about the message as it was.
    pub(super) fn prepare_agents_for_edit(&mut self, id: &MessageId) -> Result<(), CommandError> {
        let stored: Vec<String> = self.agents.stored.keys().cloned().collect();
        for name in stored {
            self.agent(&name)?;
        }
        let Self { agents, conversation, .. } = self;
        let index = conversation.log().index_of(id);
        for (name, member) in agents.members.iter_mut() {
            // What an agent has not read yet it reads in its new version.
            if member.rests && index.is_some_and(|index| index < member.read) {
                member.rise(conversation, name)?;
            }
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
        for (name, member) in agents.members.iter_mut() {
            if member.compactor.log().contains(&message.id) {
                member.change(&message.id, |it| it.replace(Arc::clone(message)))?;
                member.read = conversation.log().feed_end();
                member.report_to(conversation, name);
            }
        }
        Ok(())
    }
}

impl Agents {
    /// The compactors of those that were asked for.
    pub(super) fn compactors(&self) -> impl Iterator<Item = &Compactor> {
        self.members.values().map(|member| &member.compactor)
    }

    /// The same to change them.
    pub(super) fn compactors_mut(&mut self) -> impl Iterator<Item = &mut Compactor> {
        self.members.values_mut().map(|member| &mut member.compactor)
    }

    /// Lets those rest that were not asked for the longest time, as long as there are more messages in memory than may be.
    fn let_rest(&mut self, team: &Conversation, asked: Option<&str>) {
        let of_team = team.log().messages_and_asides().saturating_mul(HELD_PER_MESSAGE);
        let most = self.held.unwrap_or_else(|| of_team.max(LEAST_HELD));
        let mut held: usize = self.members.values().map(Member::held).sum();
        if held <= most {
            return;
        }
        let is_other = |name: &str| asked != Some(name);
        let others = self.members.iter_mut().filter(|(name, it)| is_other(name) && it.can_rest());
        let mut others: Vec<&mut Member> = others.map(|(_, member)| member).collect();
        sort_by_key(&mut others, |member| member.asked);
        for member in others {
            if held <= most {
                break;
            }
            held = held.saturating_sub(member.held());
            member.compactor.conversation.rest();
            member.rests = true;
        }
    }
}

impl Member {
    /// How many messages of its view are in memory.
    fn held(&self) -> usize {
        self.compactor.log().len()
    }

    /// True if nothing is going on in it, and what it has reported is among what it has read, so that it is what it was when
    /// it has read that again.
    fn can_rest(&self) -> bool {
        !self.rests && self.reported <= self.read && self.compactor.can_rest()
    }

    /// Reads what it had read before it rested.
    fn rise(&mut self, team: &Conversation, name: &str) -> Result<(), CommandError> {
        if self.rests {
            self.compactor.conversation.read_again(team, name, self.read)?;
            self.rests = false;
        }
        Ok(())
    }

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
                        conversation.append_of(team, index, message)
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
            self.reported = team.log().feed_end();
        }
        // It need not read what it has reported itself.
        while let Some((index, record)) = team.log().fed(self.read, name)
            && record.is_of_one_view()
        {
            self.read = index + 1;
        }
    }
}
