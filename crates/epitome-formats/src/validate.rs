//! What a provider would refuse in a list of messages, and where.

use std::collections::{BTreeMap, BTreeSet};

use epitome::history::pairing::{Pairing, Place};
use epitome::message::{CallId, Part, Role};
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SystemPlace,
};
use serde_json::Value;

use crate::Format;
use crate::compose::wire_role;
use crate::content::What;
use crate::issue::{Code, Issue, Severity};
use crate::parsed::History;
use crate::path::Path;

/// How strict a provider is taken to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// As the provider itself is.
    #[default]
    Provider,
    /// As the strictest servers of this format are, whose templates want roles to take turns and system
    /// messages first.
    Strictest,
}

/// What the provider of this format would refuse in these messages, in their order. Nothing is changed.
/// Costs O(n log n).
pub fn validate(messages: &[Value], format: Format, strictness: Strictness) -> Vec<Issue> {
    let history = History::of(format, messages);
    let mut validation = Validation {
        format,
        values: messages,
        contract: format.contract(),
        pairing: Pairing::of(history.messages.iter().map(|(message, ..)| message)),
        found: history.issues.iter().map(|issue| (issue.place(), issue.clone())).collect(),
        history: &history,
    };
    validation.calls();
    validation.results();
    validation.ids();
    validation.names();
    let together = format.dialect().check_together(messages);
    validation.found.extend(together.into_iter().map(|issue| (issue.place(), issue)));
    validation.arguments();
    validation.emptiness();
    validation.roles();
    let least = match strictness {
        Strictness::Provider => Severity::Refused,
        Strictness::Strictest => Severity::Depends,
    };
    let mut found = validation.found;
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, issue)| issue).filter(|issue| issue.severity >= least).collect()
}

struct Validation<'a> {
    format: Format,
    values: &'a [Value],
    contract: Contract,
    history: &'a History<'a>,
    pairing: Pairing,
    /// Issues with the index of their message.
    found: Vec<(usize, Issue)>,
}

impl Validation<'_> {
    fn note(&mut self, position: usize, at: &Path, code: Code, message: impl Into<String>) {
        let index = self.index(position);
        self.found.push((index, Issue::new(&self.history.path(position, at), code, message)));
    }

    fn index(&self, position: usize) -> usize {
        self.history.messages.get(position).map_or(0, |(_, index, _)| *index)
    }

    fn role(&self, position: usize) -> Option<Role> {
        self.history.messages.get(position).map(|(message, ..)| message.role)
    }

    /// Where the calls of a piece stand, or its results, in order.
    fn places(&self, position: usize, results: bool) -> Vec<Path> {
        let Some(piece) = self.history.piece(position) else { return Vec::new() };
        let wanted = piece.items.iter().filter(|item| match item.what {
            What::Call { .. } => !results,
            What::Result { .. } => results,
            _ => false,
        });
        wanted.map(|item| item.at.clone()).collect()
    }

    /// Every call is answered.
    fn calls(&mut self) {
        for position in 0..self.history.messages.len() {
            for (part, at) in self.places(position, false).iter().enumerate() {
                let call = Place { message: position, part };
                if self.pairing.answer(call).is_none() && !self.pairing.is_waiting(call) {
                    let message = "the call has no result; give it one, or leave both out";
                    self.note(position, at, Code::MissingResult, message);
                }
            }
        }
    }

    /// Every result answers a call, and stands where it must.
    fn results(&mut self) {
        let mut homes: BTreeMap<usize, usize> = BTreeMap::new();
        for position in 0..self.history.messages.len() {
            if self.pairing.is_unasked(position) {
                let message = "nobody asked for this leave to run a tool";
                self.note(position, &Path::default(), Code::OrphanResult, message);
            }
            for (part, at) in self.places(position, true).iter().enumerate() {
                let result = Place { message: position, part };
                let Some(call) = self.pairing.question(result) else {
                    let (code, message) = match self.pairing.is_repeated(result) {
                        true => (Code::RepeatedResult, "the call has a result already"),
                        false => (Code::OrphanResult, "no call asks for this result"),
                    };
                    self.note(position, at, code, message);
                    continue;
                };
                if !self.follows(call.message, position) {
                    let message = "the result does not stand right behind its call";
                    self.note(position, at, Code::MisplacedResult, message);
                } else if self.contract.results == ResultPlace::NextUser {
                    self.gathered(call.message, position, at, &mut homes);
                }
            }
        }
    }

    fn follows(&self, call: usize, result: usize) -> bool {
        if self.contract.results == ResultPlace::Later {
            return call < result;
        }
        // Where neighbours are one message, what the model says on is part of its turn.
        let merged = self.contract.neighbours == Neighbours::Merged;
        let speaks = |position: usize| merged && self.role(position) == Some(Role::Assistant);
        let mut between = ((call + 1)..result).skip_while(|position| speaks(*position));
        call < result && between.all(|position| self.role(position) == Some(Role::Tool))
    }

    /// All results of a turn are in one message. `homes` is that message for the turns so far.
    fn gathered(
        &mut self,
        call: usize,
        position: usize,
        at: &Path,
        homes: &mut BTreeMap<usize, usize>,
    ) {
        let index = self.index(position);
        if *homes.entry(call).or_insert(index) != index {
            let message = "results of one turn stand in several messages; put them in one";
            self.note(position, at, Code::SplitResults, message);
        }
    }

    /// Calls and results can be told apart.
    fn ids(&mut self) {
        let mut earlier: BTreeSet<CallId> = BTreeSet::new();
        for position in 0..self.history.messages.len() {
            let Some((message, ..)) = self.history.messages.get(position) else { continue };
            let calls: Vec<CallId> = message.calls().cloned().collect();
            let results: Vec<CallId> = message.results().cloned().collect();
            for (part, (call, at)) in calls.iter().zip(self.places(position, false)).enumerate() {
                let shared = calls.iter().take(part).any(|other| other == call);
                let code = if call.as_str().is_empty() {
                    (Code::MissingCallId, "the call has no id")
                } else if shared {
                    (Code::SharedCallId, "another call of the same message has this id")
                } else if !self.format.dialect().takes_id(call.as_str()) {
                    (Code::RefusedCallId, "the id has characters that are refused, or too many")
                } else if earlier.contains(call) {
                    (Code::ReusedCallId, "an earlier call has this id; they are paired by order")
                } else {
                    continue;
                };
                self.note(position, &at, code.0, code.1);
            }
            for (call, at) in results.iter().zip(self.places(position, true)) {
                if call.as_str().is_empty() {
                    let message = "the result does not name its call; it is paired by order";
                    self.note(position, &at, Code::MissingCallId, message);
                }
            }
            earlier.extend(calls);
        }
    }

    /// No message goes under the id of another.
    fn names(&mut self) {
        let mut earlier: BTreeSet<&str> = BTreeSet::new();
        let dialect = self.format.dialect();
        for (index, value) in self.values.iter().enumerate() {
            let Some(id) = dialect.id(value) else { continue };
            if !earlier.insert(id) {
                let message = "an earlier message has this id; give it another one";
                let at = Path::key("messages").at(index).then("id");
                self.found.push((index, Issue::new(&at, Code::RepeatedId, message)));
            }
        }
    }

    /// Arguments are JSON.
    fn arguments(&mut self) {
        for position in 0..self.history.messages.len() {
            let Some(piece) = self.history.piece(position) else { continue };
            let value = self.values.get(self.index(position));
            let is_free = |at: &Path| {
                let item = value.and_then(|value| at.get(value));
                item.is_some_and(|item| self.format.dialect().is_free(item))
            };
            let broken = piece
                .items
                .iter()
                .filter(|item| item.what.broken_arguments().is_some() && !is_free(&item.at));
            for at in broken.map(|item| item.at.clone()).collect::<Vec<_>>() {
                let path = self.history.path(position, &at).to_string();
                let known = |(_, issue): &(usize, Issue)| {
                    issue.code == Code::MissingArguments && issue.path.starts_with(&path)
                };
                if !self.found.iter().any(known) {
                    let message = "the arguments are no JSON";
                    self.note(position, &at, Code::BrokenArguments, message);
                }
            }
        }
    }

    /// No message is empty, and no text in one where that is refused.
    fn emptiness(&mut self) {
        for index in 0..self.history.contents.len() {
            let range = self.history.positions(index);
            let Some(role) = self.role(range.start) else { continue };
            let is_blank = |position: usize| {
                self.history.messages.get(position).is_none_or(|(message, ..)| message.is_blank())
            };
            if range.clone().all(is_blank) {
                if role != Role::System && !range.is_empty() {
                    let message = "the message is empty";
                    self.note(range.start, &Path::default(), Code::BlankMessage, message);
                    // Recorded requests have such items.
                    if let (Format::OpenAiResponses, Some((_, issue))) =
                        (self.format, self.found.last_mut())
                    {
                        issue.severity = Severity::Depends;
                    }
                }
                continue;
            }
            for position in range {
                self.blank_texts(position);
                self.thoughts(position);
            }
        }
    }

    fn blank_texts(&mut self, position: usize) {
        if self.contract.blank_text == BlankText::Allowed {
            return;
        }
        let Some(piece) = self.history.piece(position) else { return };
        let blank =
            piece.parts().filter(|(part, _)| matches!(part, Part::Text { .. }) && part.is_blank());
        for at in blank.map(|(_, item)| item.at.clone()).collect::<Vec<_>>() {
            self.note(position, &at, Code::BlankText, "the text is empty");
        }
    }

    fn thoughts(&mut self, position: usize) {
        let reasoning = self.contract.reasoning;
        if !matches!(reasoning, ReasoningPolicy::Sealed | ReasoningPolicy::WholeTurn) {
            return;
        }
        let Some(piece) = self.history.piece(position) else { return };
        let parts: Vec<(Part, Path)> =
            piece.parts().map(|(part, item)| (part, item.at.clone())).collect();
        for (part, at) in &parts {
            let unsealed = matches!(part, Part::Reasoning { signature: None, .. });
            if unsealed && reasoning == ReasoningPolicy::Sealed {
                let message = "the thoughts have no seal of the provider's; leave them out";
                self.note(position, at, Code::UnsealedReasoning, message);
            }
        }
        let thinks = |part: &Part| matches!(part, Part::Reasoning { .. });
        let alone =
            !parts.is_empty() && parts.iter().all(|(part, _)| thinks(part) || part.is_blank());
        if alone
            && parts.iter().any(|(part, _)| thinks(part))
            && self.role(position + 1) != Some(Role::Assistant)
        {
            let message = "nothing but thoughts, and nothing from the model behind them";
            self.note(position, &Path::default(), Code::ReasoningAlone, message);
        }
    }

    /// Who speaks first, who after whom, and where system messages stand.
    fn roles(&mut self) {
        let mut before: Option<(usize, Role)> = None;
        let mut said = false;
        for position in 0..self.history.messages.len() {
            let Some(role) = self.role(position) else { continue };
            let here = Path::default();
            if role == Role::System {
                let several = before.is_some();
                let place = self.contract.system;
                let native = self.is_compaction(position);
                if !native && (said || several || place == SystemPlace::Beside) {
                    let message = match place {
                        SystemPlace::Beside => "system messages do not stand among the others here",
                        _ if said => "a system message stands behind others",
                        _ => "there are several system messages",
                    };
                    self.note(position, &here, Code::SystemInside, message);
                }
            } else if !said
                && self.contract.first == First::User
                && role != Role::User
                && !self.is_compaction(position)
            {
                self.note(position, &here, Code::NotUserFirst, "a user has to speak first");
            }
            said |= role != Role::System;
            if let Some((earlier, other)) = before {
                self.turns(earlier, other, position, role);
            }
            before = Some((position, role));
        }
        if let Some((position, Role::Assistant)) = before
            && self.contract.last == Last::NotAssistantForSome
        {
            let message = "the model speaks last; a request ends with a user or a tool";
            self.note(position, &Path::default(), Code::AssistantLast, message);
        }
        if !said {
            let message = "nothing is said besides system messages";
            let issue = Issue::new(&Path::key("messages"), Code::NothingSaid, message);
            self.found.push((0, issue));
        }
    }

    /// True for a compaction of the provider's own.
    fn is_compaction(&self, position: usize) -> bool {
        let message = self.history.messages.get(position);
        message.is_some_and(|(message, ..)| message.is_compaction())
    }

    /// Roles take turns.
    fn turns(&mut self, earlier: usize, other: Role, position: usize, role: Role) {
        let merged = self.contract.neighbours == Neighbours::Merged;
        let strict = merged || self.format == Format::OpenAiChat;
        let as_user = |role: Role| wire_role(role, &self.contract);
        let same = as_user(other) == as_user(role) && !matches!(role, Role::System);
        let split = role != Role::Tool || other != Role::Tool || merged;
        if strict && same && split && self.index(earlier) != self.index(position) {
            let name = as_user(role).as_str();
            let message = format!("{name} speaks twice in a row; make it one message");
            let at = self.history.path(position, &Path::default());
            let mut issue = Issue::new(&at, Code::SameRoleTwice, message);
            if merged {
                issue.severity = Severity::Refused;
            }
            let index = self.index(position);
            self.found.push((index, issue));
        }
    }
}

#[cfg(test)]
mod tests;
