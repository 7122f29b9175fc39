//! The agents of a team: what each one sees, and how full its window is.

use std::collections::BTreeSet;

use epitome::history::Edit;
use epitome::message::{Audience, Message, MessageId, Role};
use epitome::{Compactor, Policy, Pressure, Reason};

use super::live::is_transition_due;
use crate::label::role_label;
use crate::language::t;
use crate::number::count;

/// What an agent has of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// The message is not for it.
    Hidden,
    /// It sees the message, as everyone does.
    Shared,
    /// It sees the message, and not everyone does.
    Private,
    /// It has only the summary of the message.
    Summarized,
}

impl Sight {
    /// Everything that is drawn, in the order of the key.
    pub(crate) const SHOWN: [Self; 3] = [Self::Shared, Self::Private, Self::Summarized];

    /// Its name in the page's markup.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::Shared => "shared",
            Self::Private => "private",
            Self::Summarized => "summarized",
        }
    }

    /// What it means, in a few words.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Hidden => t!("hidden from it"),
            Self::Shared => t!("for everyone"),
            Self::Private => t!("only for some"),
            Self::Summarized => t!("in its summary"),
        }
    }
}

/// One agent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lane {
    /// Its name.
    pub(crate) name: String,
    /// What it has of each message of the document, in order.
    pub(crate) sights: Vec<Sight>,
    /// How full its window is.
    pub(crate) pressure: Pressure,
    /// How many of its compactions can be undone.
    pub(crate) compactions: u32,
    /// True if its next compaction is the transition from a completed task.
    pub(crate) is_transition_due: bool,
    /// True if a compaction would change something.
    pub(crate) is_compactable: bool,
}

impl Lane {
    /// How many messages it has in this way.
    pub(crate) fn number(&self, sight: Sight) -> u32 {
        count(self.sights.iter().filter(|own| **own == sight).count())
    }
}

/// A message that an agent gets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heard {
    /// Who said it.
    pub(crate) speaker: String,
    /// Its text.
    pub(crate) text: String,
    /// True if it is not for everyone.
    pub(crate) is_private: bool,
    /// True if it is the agent's summary.
    pub(crate) is_summary: bool,
}

/// The names of the agents: those that have written messages, and those that some messages are only for. Empty if every message
/// is for everyone. In the order in which they come first.
pub(crate) fn agents<'a>(messages: impl Iterator<Item = &'a Message>) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_private = false;
    for message in messages {
        let author = message.author.iter().filter(|_| message.role == Role::Assistant);
        let audience = match &message.audience {
            Audience::Everyone => &[][..],
            Audience::Agents(agents) => agents,
        };
        is_private |= !audience.is_empty();
        for name in author.chain(audience) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    if is_private { names } else { Vec::new() }
}

/// The lane of an agent with this policy, over the messages with these indices; `None` if the engine does not have the agent. Linear
/// in its messages.
pub(super) fn lane(
    team: &mut Compactor,
    name: &str,
    policy: &Policy,
    indices: &[u32],
) -> Option<Lane> {
    let mut agent = team.agent(name).ok()?;
    if agent.policy() != policy {
        agent.set_policy(policy.clone()).ok()?;
    }
    let compacted: BTreeSet<MessageId> = agent.compacted().cloned().collect();
    let pressure = agent.pressure();
    let compactions = count(agent.log().active_checkpoints().count());
    let is_transition_due = is_transition_due(&agent);
    let reason = if is_transition_due { Reason::TaskTransition } else { Reason::Manual };
    let is_compactable = agent.plan(reason).idle.is_none();
    let sight = |index: &u32| {
        let id = MessageId::from(format!("m{index}"));
        match agent.log().position(&id).and_then(|position| agent.log().message(position)) {
            None => Sight::Hidden,
            Some(_) if compacted.contains(&id) => Sight::Summarized,
            Some(message) if message.audience.is_everyone() => Sight::Shared,
            Some(_) => Sight::Private,
        }
    };
    let sights = indices.iter().map(sight).collect();
    let name = name.to_owned();
    Some(Lane { name, sights, pressure, compactions, is_transition_due, is_compactable })
}

/// What an agent gets, in order. Linear in it.
pub(super) fn heard(team: &mut Compactor, name: &str) -> Vec<Heard> {
    let Ok(agent) = team.agent(name) else { return Vec::new() };
    let (log, view) = (agent.log(), agent.view());
    let heard = view.edits.iter().filter_map(|edit| match edit {
        Edit::Insert { role, parts } => {
            let text = Message::with_parts("", *role, parts.clone()).text();
            let speaker = t!("summary").to_owned();
            Some(Heard { speaker, text, is_private: false, is_summary: true })
        }
        Edit::Keep(id) | Edit::Replace { id, .. } => {
            let message = agent.conversation().seen(log.position(id)?)?;
            let speaker = message.author.clone();
            Some(Heard {
                speaker: speaker.unwrap_or_else(|| role_label(message.role).to_owned()),
                text: message.text(),
                is_private: !message.audience.is_everyone(),
                is_summary: false,
            })
        }
    });
    heard.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_conversation_with_private_messages_has_agents() {
        let mut messages = vec![
            Message::new("m0", Role::User, "hi"),
            Message { author: Some("Ada".into()), ..Message::new("m1", Role::Assistant, "hello") },
        ];
        assert_eq!(agents(messages.iter()), [""; 0]);
        let audience = Audience::Agents(vec!["Ben".into()]);
        messages.push(Message { audience, ..Message::new("m2", Role::Assistant, "psst") });
        assert_eq!(agents(messages.iter()), ["Ada", "Ben"]);
    }
}
