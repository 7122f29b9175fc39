//! Whether a provider takes what would be sent for a view, judged before a compaction is committed.
//!
//! This looks at messages as they are composed, and shares nothing with what composes them, so that a fault
//! there is found and not repeated here.

use epitome::history::{Change, Edit, Log, PartChange, View};
use epitome::message::{CallId, Part, Role};
use epitome::{
    BlankText, Contract, First, Neighbours, Provider, ReasoningPolicy, ResultPlace, SummaryRole,
    SystemPlace, Violation,
};

use crate::Format;
use crate::compose::Outgoing;
use crate::composed::{Kind, Stretch, actions, stretches};

impl Provider for Format {
    fn contract(&self) -> Contract {
        (*self).contract()
    }

    /// Judges the view, and then the messages that are composed for it. Linear in the view but for looking
    /// each message up in the log.
    fn accepts(&self, log: &Log, view: &View) -> Result<(), Violation> {
        let contract = (*self).contract();
        contract.check(log, view)?;
        accepts(&contract, log, view, &self.compose(log, view))
    }
}

/// The first reason for which these messages, composed for that view, would be refused.
pub(crate) fn accepts(
    contract: &Contract,
    log: &Log,
    view: &View,
    composed: &[Outgoing],
) -> Result<(), Violation> {
    if !view.arranged {
        return Ok(());
    }
    let mut judge = Judge::new(contract, log);
    let mut edits = view.edits.iter();
    for (index, outgoing) in composed.iter().enumerate() {
        let stretches = stretches(log, outgoing);
        let as_planned = |stretch| edits.next().is_some_and(|edit| tells(edit, stretch, contract));
        if stretches.is_empty() || !stretches.iter().all(as_planned) {
            return Err(Violation::NotTheView { index });
        }
        judge.hear(index, &stretches)?;
    }
    if edits.next().is_some() {
        return Err(Violation::NotTheView { index: composed.len() });
    }
    judge.conclude()
}

/// True where a stretch says what an edit says. What the provider refuses in a message may be left out.
fn tells(edit: &Edit, stretch: &Stretch<'_>, contract: &Contract) -> bool {
    let (id, wanted): (_, &[PartChange]) = match edit {
        Edit::Keep(id) => (id, &[]),
        Edit::Replace { id, changes } => (id, changes),
        Edit::Insert { role, parts } => {
            return matches!(stretch, Stretch::Inserted { role: own, parts: said } if own == role && said == parts);
        }
    };
    let Stretch::Original { message, changes } = stretch else { return false };
    let count = message.parts.len();
    let mut actions = actions(count, wanted).zip(actions(count, changes)).zip(&message.parts);
    message.id == *id
        && actions.all(|((wanted, made), part)| {
            wanted == made || made == Some(&Change::Remove) && may_go(part, contract)
        })
}

/// True for a part that the provider refuses beside others.
fn may_go(part: &Part, contract: &Contract) -> bool {
    match part {
        Part::Text { text } => text.trim().is_empty() && contract.blank_text == BlankText::Refused,
        Part::Reasoning { signature, .. } => {
            signature.is_none() && contract.reasoning == ReasoningPolicy::Sealed
        }
        _ => false,
    }
}

/// Listens to messages one after the other.
struct Judge<'a> {
    contract: &'a Contract,
    /// Calls without a result, each with the index of its message.
    open: Vec<(&'a CallId, usize)>,
    /// Calls that wait for leave to run.
    waiting: Vec<(&'a CallId, usize)>,
    said: bool,
    /// Whom the provider took the message before this one to be from.
    before: Option<Role>,
    /// The message before this one, where it is nothing but thoughts.
    thoughts: Option<usize>,
    starts_with_system: bool,
}

impl<'a> Judge<'a> {
    fn new(contract: &'a Contract, log: &Log) -> Self {
        let first = log.message(0).map(|message| message.role);
        Self {
            contract,
            open: Vec::new(),
            waiting: Vec::new(),
            said: false,
            before: None,
            thoughts: None,
            starts_with_system: first == Some(Role::System),
        }
    }

    /// Whom the provider takes a role to be.
    fn speaker(&self, role: Role) -> Role {
        match (role, self.contract.results) {
            (Role::Tool, ResultPlace::NextUser) => Role::User,
            (Role::Tool, ResultPlace::Inside) => Role::Assistant,
            (role, _) => role,
        }
    }

    fn hear(&mut self, index: usize, stretches: &[Stretch<'a>]) -> Result<(), Violation> {
        let mut roles = stretches.iter().filter_map(Stretch::role);
        let Some(first) = roles.next() else { return Err(Violation::NotTheView { index }) };
        let last = roles.next_back().unwrap_or(first);
        let mut kinds = stretches.iter().take(1).flat_map(Stretch::kinds);
        let condensed = kinds.any(|kind| matches!(kind, Kind::Compaction));
        self.speaks(index, first, condensed)?;
        for (one, next) in stretches.iter().zip(stretches.iter().skip(1)) {
            let speaker = |stretch: &Stretch<'_>| stretch.role().map(|role| self.speaker(role));
            if speaker(one) != speaker(next) && !one.shares_a_message(next) {
                return Err(Violation::MixedRoles { index });
            }
        }
        self.before = Some(self.speaker(last));
        let mut leads = true;
        let mut says = false;
        let mut thinks = false;
        for stretch in stretches {
            let Some(role) = stretch.role() else { continue };
            says |= role == Role::Tool;
            if role == Role::User {
                self.open.append(&mut self.waiting);
            }
            let inserted = matches!(stretch, Stretch::Inserted { .. });
            if inserted && role == Role::System && self.contract.summary == SummaryRole::User {
                return Err(Violation::SystemInside { index });
            }
            for kind in stretch.kinds() {
                self.takes(index, role, &kind)?;
                match kind {
                    Kind::Result(call) => self.answer(index, call, leads)?,
                    // What stands beside a result in a tool's message belongs to it.
                    _ if role == Role::Tool => {}
                    _ => {
                        leads = false;
                        self.goes_on(index)?;
                    }
                }
                match kind {
                    Kind::Call(call) => self.open.push((call, index)),
                    Kind::Asks(call) => {
                        let asked = self.open.iter().rposition(|(other, _)| *other == call);
                        self.waiting.extend(asked.map(|place| self.open.remove(place)));
                    }
                    _ => {}
                }
                let thought = matches!(kind, Kind::Thought { .. }) && role == Role::Assistant;
                thinks |= thought && !kind.is_blank();
                says |= !thought && !kind.is_blank();
            }
        }
        if !says && !thinks && first != Role::System {
            return Err(Violation::Blank { index });
        }
        self.thoughts = (thinks && !says).then_some(index);
        Ok(())
    }

    /// Judges who speaks, by where that is. `condensed` is true for a compaction of the provider's own.
    fn speaks(&mut self, index: usize, role: Role, condensed: bool) -> Result<(), Violation> {
        let Contract { neighbours, system, first, reasoning, .. } = *self.contract;
        let speaker = self.speaker(role);
        if index == 0 && role != Role::System && self.starts_with_system {
            return Err(Violation::SystemNotFirst);
        }
        if role == Role::System && self.said && system == SystemPlace::First {
            return Err(Violation::SystemInside { index });
        }
        let opens = condensed || speaker == Role::User || role == Role::System;
        if !self.said && first == First::User && !opens {
            return Err(Violation::NotUserFirst { index });
        }
        let again = self.before == Some(speaker) && role != Role::System;
        if again && neighbours == Neighbours::Merged {
            return Err(Violation::SameRoleTwice { index });
        }
        let tied = matches!(reasoning, ReasoningPolicy::Sealed | ReasoningPolicy::WholeTurn);
        if let Some(index) = self.thoughts.filter(|_| tied && speaker != Role::Assistant) {
            return Err(Violation::ThoughtsAlone { index });
        }
        self.said |= role != Role::System;
        Ok(())
    }

    /// Judges a thing by itself.
    fn takes(&self, index: usize, role: Role, kind: &Kind<'_>) -> Result<(), Violation> {
        let Contract { blank_text, reasoning, .. } = *self.contract;
        match kind {
            Kind::Text { blank: true }
                if role != Role::System && blank_text == BlankText::Refused =>
            {
                Err(Violation::BlankText { index })
            }
            Kind::Thought { sealed: false, .. }
                if role == Role::Assistant && reasoning == ReasoningPolicy::Sealed =>
            {
                Err(Violation::UnsealedThoughts { index })
            }
            _ => Ok(()),
        }
    }

    /// Judges a result by where it stands. `leads` is true as long as nothing but results stands before it in
    /// its message.
    fn answer(&mut self, index: usize, call: &CallId, leads: bool) -> Result<(), Violation> {
        let latest = self.open.last().map(|(_, at)| *at);
        let named = |(other, _): &(&CallId, usize)| *other == call;
        let place = match call.as_str().is_empty() {
            true => self.open.iter().position(|(_, at)| Some(*at) == latest),
            false => self.open.iter().rposition(named),
        };
        let at = match place {
            Some(place) => self.open.remove(place).1,
            None => match self.waiting.iter().rposition(named) {
                Some(place) => self.waiting.remove(place).1,
                None => return Err(Violation::OrphanedResult { call: call.clone(), index }),
            },
        };
        let stands = at == index
            || match self.contract.results {
                ResultPlace::Behind | ResultPlace::Later => true,
                ResultPlace::NextUser => at + 1 == index && leads,
                ResultPlace::Inside => false,
            };
        match stands {
            true => Ok(()),
            false => Err(Violation::MisplacedResult { call: call.clone(), index }),
        }
    }

    /// Judges whether something else may be said while calls of earlier messages are open.
    fn goes_on(&self, index: usize) -> Result<(), Violation> {
        match self.open.iter().find(|(_, at)| *at != index) {
            Some((call, at)) if self.contract.results != ResultPlace::Later => {
                Err(Violation::UnansweredCall { call: (*call).clone(), index: *at })
            }
            _ => Ok(()),
        }
    }

    /// Judges how it ends.
    fn conclude(self) -> Result<(), Violation> {
        let tied =
            matches!(self.contract.reasoning, ReasoningPolicy::Sealed | ReasoningPolicy::WholeTurn);
        if let Some((call, index)) = self.open.first() {
            return Err(Violation::UnansweredCall { call: (*call).clone(), index: *index });
        }
        match self.thoughts {
            Some(index) if tied => Err(Violation::ThoughtsAlone { index }),
            _ if !self.said => Err(Violation::NothingSaid),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
