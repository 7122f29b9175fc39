//! What a provider would refuse in a list of messages, and where.

use std::ops::Range;

use epitome::history::pairing::{Pairing, PartPosition};
use epitome::message::{CallId, Part, Role};
use epitome::{
    BlankText, Contract, First, Last, Neighbours, ReasoningPolicy, ResultPlace, SystemPlace,
};
use epitome_columns::{SortedMap, SortedSet, sort_by_key};
use serde_json::Value;

use crate::compose::wire_role;
use crate::content::{ContentPart, Item};
use crate::issue::{Issue, IssueCode, Severity};
use crate::parsed::ParsedMessages;
use crate::path::Path;
use crate::registry::Format;
use crate::slices::{Slices, at_once};

/// How strict the server is assumed to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// As the provider itself.
    #[default]
    Provider,
    /// As the strictest servers of the format, whose chat templates require alternating roles and system
    /// messages first.
    Strictest,
}

/// What the provider of this format would refuse in these messages, in their order. Costs O(n log n).
pub fn validate(messages: &[Value], format: Format, strictness: Strictness) -> Vec<Issue> {
    at_once(validate_in_slices(messages, format, strictness, &mut Slices::none()))
}

/// The same in slices.
pub async fn validate_in_slices(
    messages: &[Value],
    format: Format,
    strictness: Strictness,
    slices: &mut Slices,
) -> Vec<Issue> {
    let parsed = ParsedMessages::in_slices(format, messages, slices).await;
    validate_parsed(&parsed, messages, format, strictness, slices).await
}

/// The same for messages that are parsed.
pub(crate) async fn validate_parsed(
    parsed: &ParsedMessages<'_>,
    messages: &[Value],
    format: Format,
    strictness: Strictness,
    slices: &mut Slices,
) -> Vec<Issue> {
    let steps = parsed.steps.len();
    slices.rest(steps).await;
    let mut validation = Validation {
        format,
        values: messages,
        contract: format.contract(),
        pairing: Pairing::of(parsed.steps.iter().map(|step| &step.message)),
        results_from: runs_before(parsed, Role::Tool),
        answers_from: runs_before(parsed, Role::Assistant),
        answered: answered(parsed),
        result_messages: SortedMap::new(),
        earlier_calls: SortedSet::new(),
        earlier_ids: SortedSet::new(),
        missing_arguments: SortedSet::new(),
        before: None,
        started: false,
        found: parsed.issues.iter().map(|issue| (issue.message_index(), issue.clone())).collect(),
        parsed,
    };
    slices.rest(steps).await;
    slices.each(steps, &mut |range| validation.check_calls(range)).await;
    slices.each(steps, &mut |range| validation.check_results(range)).await;
    slices.each(steps, &mut |range| validation.check_call_ids(range)).await;
    slices.each(messages.len(), &mut |range| validation.check_message_ids(range)).await;
    slices.rest(steps).await;
    let all = format.conformance().check_all(messages);
    validation.found.extend(all.into_iter().map(|issue| (issue.message_index(), issue)));
    validation.find_missing_arguments();
    slices.each(steps, &mut |range| validation.check_arguments(range)).await;
    slices.each(parsed.contents.len(), &mut |range| validation.check_blank(range)).await;
    slices.each(steps, &mut |range| validation.check_roles(range)).await;
    validation.check_ends();
    let least = match strictness {
        Strictness::Provider => Severity::Refused,
        Strictness::Strictest => Severity::Depends,
    };
    let mut found = validation.found;
    sort_by_key(&mut found, |(index, _)| *index);
    found.into_iter().map(|(_, issue)| issue).filter(|issue| issue.severity >= least).collect()
}

struct Validation<'a> {
    format: Format,
    values: &'a [Value],
    contract: Contract,
    parsed: &'a ParsedMessages<'a>,
    pairing: Pairing,
    /// For each step, the start of the steps of tools directly before it.
    results_from: Vec<usize>,
    /// The same for steps of the assistant.
    answers_from: Vec<usize>,
    /// For each step, whether it is or leads to an answer of the assistant, of which reasoning alone is none.
    answered: Vec<bool>,
    /// For each step with calls so far, the index of the message that has their first result.
    result_messages: SortedMap<usize, usize>,
    /// The ids of the calls so far.
    earlier_calls: SortedSet<CallId>,
    /// The ids of the messages so far.
    earlier_ids: SortedSet<&'a str>,
    /// The paths of calls without arguments.
    missing_arguments: SortedSet<String>,
    /// The position and the role of the step before.
    before: Option<(usize, Role)>,
    /// True after the first message that is not a system message.
    started: bool,
    /// Issues with the index of their message.
    found: Vec<(usize, Issue)>,
}

impl Validation<'_> {
    fn note(&mut self, position: usize, at: &Path, code: IssueCode, message: impl Into<String>) {
        let index = self.parsed.index(position);
        self.found.push((index, Issue::new(&self.parsed.path(position, at), code, message)));
    }

    fn role(&self, position: usize) -> Option<Role> {
        self.parsed.message(position).map(|message| message.role)
    }

    /// Where the calls of a step are, in order.
    fn call_paths(&self, position: usize) -> Vec<Path> {
        self.paths(position, |part| matches!(part, ContentPart::Call { .. }))
    }

    /// Where the results of a step are, in order.
    fn result_paths(&self, position: usize) -> Vec<Path> {
        self.paths(position, |part| matches!(part, ContentPart::Result { .. }))
    }

    fn paths(&self, position: usize, is_wanted: fn(&ContentPart<'_>) -> bool) -> Vec<Path> {
        let Some(step) = self.parsed.step(position) else { return Vec::new() };
        let wanted = step.items.iter().filter(|item| is_wanted(&item.part));
        wanted.map(|item| item.at.clone()).collect()
    }

    /// Every call has a result.
    fn check_calls(&mut self, positions: Range<usize>) {
        for position in positions {
            for (part, at) in self.call_paths(position).iter().enumerate() {
                let call = PartPosition { message: position, part };
                // A call that waits for the user has no result yet. A repair would otherwise invent one before
                // the tool has run.
                if self.pairing.result_of(call).is_none() && !self.pairing.awaits_approval(call) {
                    let message = "the call has no result; give it one, or leave both out";
                    self.note(position, at, IssueCode::MissingResult, message);
                }
            }
        }
    }

    /// Every result answers a call and is where it must be.
    fn check_results(&mut self, positions: Range<usize>) {
        for position in positions {
            if self.pairing.is_unsolicited_approval(position) {
                let message = "nothing asked for this approval";
                self.note(position, &Path::default(), IssueCode::OrphanResult, message);
            }
            for (part, at) in self.result_paths(position).iter().enumerate() {
                let result = PartPosition { message: position, part };
                let Some(call) = self.pairing.call_of(result) else {
                    let (code, message) = match self.pairing.is_repeated(result) {
                        true => (IssueCode::RepeatedResult, "the call has a result already"),
                        false => (IssueCode::OrphanResult, "no call asks for this result"),
                    };
                    self.note(position, at, code, message);
                    continue;
                };
                if !self.follows(call.message, position) {
                    let message = "the result does not directly follow its call";
                    self.note(position, at, IssueCode::MisplacedResult, message);
                } else if self.contract.results == ResultPlace::NextUser {
                    self.check_together(call.message, position, at);
                }
            }
        }
    }

    /// True if the step of a result is where the provider looks for it. Both are positions.
    fn follows(&self, call: usize, result: usize) -> bool {
        if self.contract.results == ResultPlace::AnywhereAfter {
            return call < result;
        }
        let from = |runs: &[usize], at: usize| runs.get(at).copied().unwrap_or_default();
        let results_from = from(&self.results_from, result);
        // If neighbours of one role are one message, assistant steps after the call belong to the message
        // that calls.
        let merged = self.contract.neighbours == Neighbours::Merged;
        let called_from =
            if merged { from(&self.answers_from, results_from) } else { results_from };
        call < result && called_from <= call + 1
    }

    /// All results of a turn are in one message.
    fn check_together(&mut self, call: usize, position: usize, at: &Path) {
        let index = self.parsed.index(position);
        // The first result decides which message it is. Every result elsewhere gets an issue, so that each is
        // shown at its place.
        if *self.result_messages.entry(call).or_insert(index) != index {
            let message = "results of one turn are in several messages; put them into one";
            self.note(position, at, IssueCode::SplitResults, message);
        }
    }

    /// Calls and results have ids that the provider accepts, and by which it can pair them.
    fn check_call_ids(&mut self, positions: Range<usize>) {
        for position in positions {
            let Some(message) = self.parsed.message(position) else { continue };
            let calls: Vec<CallId> = message.calls().cloned().collect();
            let results: Vec<CallId> = message.results().cloned().collect();
            let mut own: SortedSet<&CallId> = SortedSet::new();
            for (call, at) in calls.iter().zip(self.call_paths(position)) {
                // Only inside of one message. An id that comes back in a later message is the smaller problem
                // and has a code of its own.
                let shared = !own.insert(call);
                let (code, message) = if call.as_str().is_empty() {
                    (IssueCode::MissingCallId, "the call has no id")
                } else if shared {
                    (IssueCode::SharedCallId, "another call of the same message has this id")
                } else if !self.format.conformance().accepts_call_id(call.as_str()) {
                    (
                        IssueCode::RefusedCallId,
                        "the id has characters that are refused, or too many",
                    )
                } else if self.earlier_calls.contains(call) {
                    (
                        IssueCode::ReusedCallId,
                        "an earlier call has this id; they are paired by order",
                    )
                } else {
                    continue;
                };
                self.note(position, &at, code, message);
            }
            for (call, at) in results.iter().zip(self.result_paths(position)) {
                if call.as_str().is_empty() {
                    let message = "the result does not name its call; it is paired by order";
                    self.note(position, &at, IssueCode::MissingCallId, message);
                }
            }
            self.earlier_calls.extend(calls);
        }
    }

    /// No message has the id of another one.
    fn check_message_ids(&mut self, indices: Range<usize>) {
        let conformance = self.format.conformance();
        for (index, value) in indices.clone().zip(self.values.get(indices).unwrap_or_default()) {
            let Some(id) = conformance.message_id(value) else { continue };
            if !self.earlier_ids.insert(id) {
                let message = "an earlier message has this id; give it another one";
                let at = Path::key("messages").at(index).then("id");
                self.found.push((index, Issue::new(&at, IssueCode::RepeatedId, message)));
            }
        }
    }

    fn find_missing_arguments(&mut self) {
        let missing =
            self.found.iter().filter(|(_, issue)| issue.code == IssueCode::MissingArguments);
        self.missing_arguments = SortedSet::from_iter(missing.map(|(_, issue)| issue.path.clone()));
    }

    /// The arguments of calls are JSON, and objects where the provider requires it.
    fn check_arguments(&mut self, positions: Range<usize>) {
        for position in positions {
            let Some(step) = self.parsed.step(position) else { continue };
            let value = self.values.get(self.parsed.index(position));
            let is_free_text = |at: &Path| {
                let item = value.and_then(|value| at.get(value));
                item.is_some_and(|item| self.format.conformance().has_free_text_arguments(item))
            };
            let conformance = self.format.conformance();
            let is_broken = |item: &&Item<'_>| {
                let arguments = item.part.arguments();
                arguments.is_some_and(|arguments| !conformance.accepts_arguments(arguments))
                    && !is_free_text(&item.at)
            };
            let broken = step.items.iter().filter(is_broken);
            for at in broken.map(|item| item.at.clone()).collect::<Vec<_>>() {
                // Missing arguments are read as an empty text, which is not JSON. One issue is enough.
                let path = self.parsed.path(position, &at).to_string();
                let next = self.missing_arguments.range(path.clone()..).next();
                if !next.is_some_and(|missing| missing.starts_with(&path)) {
                    let message = match conformance.accepts_arguments("0") {
                        true => "the arguments are not valid JSON",
                        false => "the arguments are not a JSON object",
                    };
                    self.note(position, &at, IssueCode::BrokenArguments, message);
                }
            }
        }
    }

    /// No message is blank, and no text in a message if the provider refuses those.
    fn check_blank(&mut self, indices: Range<usize>) {
        for index in indices {
            let range = self.parsed.positions(index);
            let Some(role) = self.role(range.start) else { continue };
            let is_blank = |position: usize| {
                self.parsed.message(position).is_none_or(|message| message.is_blank())
            };
            // One issue for a blank message is enough: issues for each of its blank texts would say the same.
            if range.clone().all(is_blank) {
                if role != Role::System && !range.is_empty() {
                    let at = self.parsed.path(range.start, &Path::default());
                    let mut issue =
                        Issue::new(&at, IssueCode::BlankMessage, "the message is empty");
                    issue.severity = self.format.conformance().blank_message_severity();
                    self.found.push((index, issue));
                }
                continue;
            }
            for position in range {
                self.check_blank_texts(position);
                self.check_reasoning(position);
            }
        }
    }

    fn check_blank_texts(&mut self, position: usize) {
        if self.contract.blank_text != BlankText::Refused {
            return;
        }
        let Some(step) = self.parsed.step(position) else { return };
        let blank =
            step.parts().filter(|(part, _)| matches!(part, Part::Text { .. }) && part.is_blank());
        for at in blank.map(|(_, item)| item.at.clone()).collect::<Vec<_>>() {
            self.note(position, &at, IssueCode::BlankText, "the text is empty");
        }
    }

    /// Reasoning is signed, and something from the model follows it.
    fn check_reasoning(&mut self, position: usize) {
        let policy = self.contract.reasoning;
        if !matches!(policy, ReasoningPolicy::Signed | ReasoningPolicy::WholeTurn) {
            return;
        }
        let Some(step) = self.parsed.step(position) else { return };
        let parts: Vec<(Part, Path)> =
            step.parts().map(|(part, item)| (part, item.at.clone())).collect();
        for (part, at) in &parts {
            let unsigned = matches!(part, Part::Reasoning { signature: None, .. });
            if unsigned && policy == ReasoningPolicy::Signed {
                let message = "the reasoning has no signature of the provider; leave it out";
                self.note(position, at, IssueCode::UnsignedReasoning, message);
            }
        }
        let has_reasoning = parts.iter().any(|(part, _)| is_reasoning(part) && !part.is_blank());
        if has_reasoning && self.answered.get(position) == Some(&false) {
            let message = "the message holds only reasoning, and no answer of the model follows";
            self.note(position, &Path::default(), IssueCode::ReasoningAlone, message);
        }
    }

    /// The first role, the order of roles, and the place of system messages.
    fn check_roles(&mut self, positions: Range<usize>) {
        for position in positions {
            let Some(role) = self.role(position) else { continue };
            let here = Path::default();
            if role == Role::System {
                let is_first = self.before.is_none();
                let place = self.contract.system;
                let native = self.is_compaction(position);
                if !native && (!is_first || place == SystemPlace::Separate) {
                    let message = match place {
                        SystemPlace::Separate => {
                            "this format has no system messages among the messages"
                        }
                        _ if self.started => "a system message comes after other messages",
                        _ => "there are several system messages",
                    };
                    self.note(position, &here, IssueCode::SystemInside, message);
                }
            } else if !self.started
                && self.contract.first == First::User
                && role != Role::User
                && !self.is_compaction(position)
            {
                let message = "the first message has to be a user message";
                self.note(position, &here, IssueCode::NotUserFirst, message);
            }
            self.started |= role != Role::System;
            if let Some((earlier, other)) = self.before {
                self.check_alternation(earlier, other, position, role);
            }
            self.before = Some((position, role));
        }
    }

    /// The last role, and that something is said.
    fn check_ends(&mut self) {
        if let Some((position, Role::Assistant)) = self.before
            && self.contract.last == Last::NotAssistantForSome
        {
            let message =
                "the last message is the model's; a request ends with a user or tool message";
            self.note(position, &Path::default(), IssueCode::AssistantLast, message);
        }
        if !self.started {
            let message = "there are no messages, or only system messages";
            let issue = Issue::new(&Path::key("messages"), IssueCode::NothingSaid, message);
            self.found.push((0, issue));
        }
    }

    /// True for a compaction by the provider itself.
    fn is_compaction(&self, position: usize) -> bool {
        self.parsed.message(position).is_some_and(|message| message.is_compaction())
    }

    /// Roles alternate, for providers and servers that require it.
    fn check_alternation(&mut self, earlier: usize, other: Role, position: usize, role: Role) {
        let merged = self.contract.neighbours == Neighbours::Merged;
        let strict = merged || self.format.conformance().some_servers_require_alternation();
        let wire_role = |role: Role| wire_role(role, &self.contract);
        // Results in messages of their own may follow each other.
        let same = wire_role(other) == wire_role(role)
            && !matches!(wire_role(role), Role::System | Role::Tool);
        if strict && same && self.parsed.index(earlier) != self.parsed.index(position) {
            let name = wire_role(role).as_str();
            let message = format!("two {name} messages in a row; merge them into one");
            let at = self.parsed.path(position, &Path::default());
            let mut issue = Issue::new(&at, IssueCode::SameRoleTwice, message);
            // If neighbours have to be merged, the provider itself refuses two of them. Otherwise only some
            // servers do, which is the severity that the code has by itself.
            if merged {
                issue.severity = Severity::Refused;
            }
            let index = self.parsed.index(position);
            self.found.push((index, issue));
        }
    }
}

/// For each step, whether it is an answer of the assistant or followed by one with nothing but reasoning between.
fn answered(parsed: &ParsedMessages<'_>) -> Vec<bool> {
    let is_more = |part: &Part| !is_reasoning(part) && !part.is_blank();
    let mut next = false;
    let steps = parsed.steps.iter().rev().map(|step| {
        let own = step.message.parts.iter().any(is_more);
        next = step.message.role == Role::Assistant && (own || next);
        next
    });
    let mut answered: Vec<bool> = steps.collect();
    answered.reverse();
    answered
}

fn is_reasoning(part: &Part) -> bool {
    matches!(part, Part::Reasoning { .. })
}

/// For each step and the end, the start of the steps of this role directly before it.
fn runs_before(parsed: &ParsedMessages<'_>, role: Role) -> Vec<usize> {
    let mut start = 0;
    let roles = parsed.steps.iter().map(|step| Some(step.message.role)).chain([None]);
    let runs = roles.enumerate().map(|(position, own)| {
        let next = if own == Some(role) { start } else { position + 1 };
        std::mem::replace(&mut start, next)
    });
    runs.collect()
}

#[cfg(test)]
mod tests;
