//! The providers of agents that are asked through another one than their team: their views are planned, cut, repaired and
//! verified by its rules.

use std::sync::Arc;

use epitome_columns::SortedMap;

use super::{CommandError, Compactor};
use crate::history::{Provider, Record, SharedProvider};

/// The providers that agents have of their own.
#[derive(Default)]
pub(super) struct AgentProviders(SortedMap<String, Own>);

struct Own {
    name: String,
    /// `None` after a restore: a log has only the name.
    provider: Option<SharedProvider>,
}

impl AgentProviders {
    /// Takes note of the name that a restored log has.
    pub(super) fn expect(&mut self, agent: &str, name: &str) {
        self.0.insert(agent.to_owned(), Own { name: name.to_owned(), provider: None });
    }
}

impl Compactor {
    /// Gives an agent a provider of its own, whether it was asked for already or not. Its view, with the compactions that it has,
    /// is made again by the contract of this provider. The log keeps `name`; after a restore the provider has to be set again
    /// before the agent is asked for. Nothing changes for the team and for other agents.
    ///
    /// Costs what a restore costs the agent, when it is asked for next. An error while a compaction of it is running, or if this is
    /// an agent itself.
    pub fn set_agent_provider(
        &mut self,
        agent: &str,
        name: &str,
        provider: impl Provider + Send + Sync + 'static,
    ) -> Result<(), CommandError> {
        self.refuse_to_agents()?;
        self.wake_again(agent)?;
        let own = Own { name: name.to_owned(), provider: Some(Arc::new(provider)) };
        let earlier = self.agent_providers.0.insert(agent.to_owned(), own);
        if earlier.is_none_or(|earlier| earlier.name != name) {
            let (agent, provider) = (agent.to_owned(), name.to_owned());
            self.conversation.append(Record::AgentProvider { agent, provider })?;
        }
        Ok(())
    }

    /// The name of the provider that an agent has of its own.
    pub fn agent_provider(&self, agent: &str) -> Option<&str> {
        self.agent_providers.0.get(agent).map(|own| own.name.as_str())
    }

    /// The agents that have a provider of their own, each with the name of the provider, in alphabetical order.
    pub fn agent_providers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.agent_providers.0.iter().map(|(agent, own)| (agent.as_str(), own.name.as_str()))
    }

    /// The provider by which an agent's view is made.
    pub(super) fn provider_of(&self, agent: &str) -> Result<SharedProvider, CommandError> {
        match self.agent_providers.0.get(agent) {
            None => Ok(Arc::clone(&self.provider)),
            Some(Own { provider: Some(provider), .. }) => Ok(Arc::clone(provider)),
            Some(Own { name, .. }) => {
                Err(CommandError::NoProvider { agent: agent.to_owned(), provider: name.clone() })
            }
        }
    }
}
