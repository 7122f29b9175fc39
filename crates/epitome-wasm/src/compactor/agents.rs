//! The agents of a conversation: while one is entered, every call is about its view.

use epitome::history::Record;
use epitome::tokens::BoxedTokenizer;
use epitome::{Lent, Policy};
use epitome_formats::{Format, split_step_id};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::changes::whole;
use super::{Compactor, tokenizer_of};
use crate::error::{PackageErrorCode, Thrown};

/// The agent that is entered, whose compactor has changed places with that of the team.
pub(super) struct Entered {
    lent: Lent,
    team: Own,
}

/// What this keeps for one view.
#[derive(Default)]
pub(super) struct Own {
    agent: Option<String>,
    sends: Option<Format>,
    composed: crate::composed::Composed,
    untouched: epitome_formats::Untouched,
    plans: crate::plan::Plans,
    asked: Option<epitome::history::View>,
    sliced: Option<super::sliced_event::SlicedEvent>,
}

#[wasm_bindgen]
impl Compactor {
    /// Makes all calls be about the view of an agent, until [`Self::leave`].
    pub fn enter(&mut self, name: &str) -> Result<(), JsValue> {
        self.leave();
        let mut lent = self.engine.lend(name).map_err(Thrown::from)?;
        let sends = self.engine.agent_provider(name).and_then(Format::named);
        let sends = sends.filter(|sends| *sends != self.format);
        if !self.views.contains_key(name) {
            match self.tokenizer_for(lent.compactor(), sends.unwrap_or(self.format)) {
                Ok(tokenizer) => tokenizer.into_iter().for_each(|it| lent.compactor().count_by(it)),
                Err(error) => {
                    self.engine.take_back(lent);
                    return Err(error.into());
                }
            }
        }
        std::mem::swap(&mut self.engine, lent.compactor());
        let mut own = self.views.remove(name).unwrap_or_default();
        own.agent = Some(name.to_owned());
        own.sends = sends;
        let team = self.exchange(own);
        self.entered = Some(Entered { lent, team });
        Ok(())
    }

    /// Makes all calls be about the view of the team again.
    pub fn leave(&mut self) {
        let Some(Entered { mut lent, team }) = self.entered.take() else { return };
        std::mem::swap(&mut self.engine, lent.compactor());
        self.engine.take_back(lent);
        let own = self.exchange(team);
        if let Some(agent) = own.agent.clone() {
            self.views.insert(agent, own);
        }
    }

    /// Lets an agent be asked in this format from now on.
    #[wasm_bindgen(js_name = setAgentFormat)]
    pub fn set_agent_format(&mut self, name: &str, format: &str) -> Result<(), JsValue> {
        let format = crate::format::named(format)?;
        if self.engine.agent_provider(name).unwrap_or(self.format.as_str()) != format.as_str() {
            let set = self.engine.set_agent_provider(name, format.as_str(), format);
            set.map_err(Thrown::from)?;
            self.views.remove(name);
        }
        Ok(())
    }

    /// The format in which an agent is asked, if one was set.
    #[wasm_bindgen(js_name = agentFormat)]
    pub fn agent_format(&self, name: &str) -> Option<String> {
        self.engine.agent_provider(name).map(str::to_owned)
    }

    /// True if formats of agents were set.
    #[wasm_bindgen(js_name = hasAgentFormats)]
    pub fn has_agent_formats(&self) -> bool {
        self.engine.agent_providers().next().is_some()
    }

    /// The names of the agents that were entered, now or before a restore.
    pub fn agents(&self) -> Vec<String> {
        self.engine.agents().map(str::to_owned).collect()
    }

    /// The number of messages of the engine.
    #[wasm_bindgen(js_name = messageCount)]
    pub fn message_count(&self) -> usize {
        self.engine.log().len()
    }

    /// The ids of the app's messages from a position of the engine on.
    #[wasm_bindgen(js_name = idsFrom)]
    pub fn ids_from(&self, position: usize) -> Vec<String> {
        let log = self.engine.log();
        (position..log.len()).filter_map(|at| log.message(at)).filter_map(whole).collect()
    }

    /// The id of the app's message to which the engine's message before this position belongs.
    #[wasm_bindgen(js_name = idBefore)]
    pub fn id_before(&self, position: usize) -> Option<String> {
        let message = self.engine.log().message(position.checked_sub(1)?)?;
        Some(split_step_id(&message.id).0.as_str().to_owned())
    }

    /// The ids of the app's messages that are only for some agents, in the order in which they came.
    pub fn asides(&self) -> Vec<String> {
        let log = self.engine.log();
        let messages = log.records().iter().filter_map(Record::message);
        let private = messages.filter(|message| log.aside(&message.id).is_some());
        let mut ids: Vec<String> = private.filter_map(whole).collect();
        ids.dedup();
        ids
    }
}

impl Compactor {
    /// The tokenizer by which an agent is to count that is entered for the first time, `None` if it does so already. The engine
    /// gives it that of the team, and does not know by what the policy counts that it has from a store.
    fn tokenizer_for(
        &self,
        agent: &epitome::Compactor,
        format: Format,
    ) -> Result<Option<BoxedTokenizer>, Thrown> {
        let counting = |policy: &Policy, format: Format| {
            (policy.counting.clone(), policy.family(format.family()))
        };
        let is_same = counting(agent.policy(), format)
            == counting(self.engine.policy(), self.format)
            && agent.counts_as(&self.engine);
        (!is_same).then(|| tokenizer_of(agent.policy(), format)).transpose()
    }

    fn exchange(&mut self, other: Own) -> Own {
        let Own { agent, sends, composed, untouched, plans, asked, sliced } = other;
        Own {
            agent: std::mem::replace(&mut self.agent, agent),
            sends: std::mem::replace(&mut self.sends, sends),
            composed: std::mem::replace(&mut self.composed, composed),
            untouched: std::mem::replace(&mut self.untouched, untouched),
            plans: std::mem::replace(&mut self.plans, plans),
            asked: std::mem::replace(&mut self.asked, asked),
            sliced: std::mem::replace(&mut self.sliced, sliced),
        }
    }
}

/// Sets the formats of agents that a snapshot has.
pub(super) fn set_formats(engine: &mut epitome::Compactor) -> Result<(), Thrown> {
    let own = engine.agent_providers().map(|(agent, name)| (agent.to_owned(), name.to_owned()));
    for (agent, name) in own.collect::<Vec<_>>() {
        let format = Format::named(&name).ok_or_else(|| {
            let problem = format!(
                "the agent {agent:?} has the format {name:?}, which this version does not know"
            );
            Thrown::new(PackageErrorCode::UnknownFormat, &problem)
        })?;
        engine.set_agent_provider(&agent, &name, format)?;
    }
    Ok(())
}
