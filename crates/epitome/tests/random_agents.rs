//! Random conversations of a team: nobody sees what is not for them, and every view is what it would be in a conversation of its
//! own.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot continue should fail with a message"
)]

use crate::random;

use std::collections::BTreeSet;

use epitome::history::{Edit, View};
use epitome::message::{Message, MessageId, Part};
use epitome::policy::{Phase, PrepareAt, TaskSettings};
use epitome::tokens::CharactersPer;
use epitome::{
    Compactor, Contract, MemoryEntry, Output, Policy, Reason, Snapshot, StateEntry,
    StructuredState, SummaryRequest,
};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult};
use random::app::applied;
use random::invariants::{CheckedView, count_is_the_sum, every_missing_message_has_a_reason};
use random::team::{AGENTS, Step, in_advance, message, policy, step, tool_round};
use random::times;

/// A summary with all the words of its request.
fn answer(request: &SummaryRequest) -> String {
    let envelope = format!("{:?}", request.envelope());
    let words: Vec<&str> = envelope.split(' ').filter(|word| word.starts_with("word-")).collect();
    let words = words.join(" ");
    match request.system.contains("lists of <current_state>") {
        true => format!("Said: {words}.\n{{\"decisions\": [\"{words}\"]}}"),
        false => format!("Said: {words}."),
    }
}

/// Handles all outputs up to a request for a summary, and notes everything that is said in them.
fn next_request(compactor: &mut Compactor, said: &mut String) -> Option<SummaryRequest> {
    loop {
        let output = compactor.poll_output();
        said.push_str(&format!("{output:?}"));
        match output {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) => return Some(request),
            Output::Persist(_) => compactor.handle_persisted().unwrap(),
            Output::Wait(_) => return None,
            Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
        }
    }
}

/// Handles all outputs, and returns everything that was said in them.
fn drive(compactor: &mut Compactor) -> String {
    let mut said = String::new();
    while let Some(request) = next_request(compactor, &mut said) {
        compactor.handle_summary(request.id, &answer(&request));
    }
    said
}

/// Summarizes the completed task, if that is due.
fn transit(compactor: &mut Compactor) -> Result<String, TestCaseError> {
    let due = compactor.due(Phase::TurnEnd);
    if due != Some(Reason::TaskTransition) {
        return Ok(String::new());
    }
    compactor.compact(Reason::TaskTransition, None).unwrap();
    let said = drive(compactor);
    prop_assert_ne!(compactor.due(Phase::TurnEnd), due, "{}", said);
    Ok(said)
}

/// Compacts a view: what must hold for the compaction of any conversation holds, and an undo restores the view before.
fn compact_and_check(compactor: &mut Compactor) -> Result<String, TestCaseError> {
    let before = (compactor.view(), compactor.conversation().counted_tokens());
    compactor.compact(Reason::Manual, None).unwrap();
    let mut said = drive(compactor);
    if !applied(compactor.report().unwrap()) {
        prop_assert_eq!(compactor.view(), before.0);
        return Ok(said);
    }
    let messages: Vec<Message> = compactor.log().messages().cloned().collect();
    let after = compactor.view();
    prop_assert!(compactor.conversation().counted_tokens() < before.1, "it saves tokens");
    let placement = compactor.policy().summary_placement;
    holds(CheckedView::new(&messages, &after).check(placement, true))?;
    compactor.undo().unwrap();
    said.push_str(&drive(compactor));
    let undone = (compactor.view(), compactor.conversation().counted_tokens());
    prop_assert_eq!(undone, before, "an undo restores the view before");
    compactor.compact(Reason::Manual, None).unwrap();
    said.push_str(&drive(compactor));
    // A summary that was written in advance is used up.
    if compactor.policy().prepare_at.is_none() {
        prop_assert_eq!(compactor.view(), after, "the same compaction gives the same view");
    }
    Ok(said)
}

/// What must hold in any view, whatever has happened since its last compaction.
fn check_view(compactor: &Compactor) -> TestCaseResult {
    let messages: Vec<Message> = compactor.log().messages().cloned().collect();
    let view = compactor.view();
    holds(CheckedView::new(&messages, &view).check_unchanged())?;
    holds(every_missing_message_has_a_reason(compactor, &messages))?;
    holds(count_is_the_sum(compactor))
}

fn holds(checked: Result<(), String>) -> TestCaseResult {
    checked.map_err(TestCaseError::fail)
}

/// Everything that the compactor of a view can say of it, and what it stores.
fn everything(compactor: &Compactor) -> String {
    format!("{} {}", said_of(compactor), compactor.snapshot().to_json_lines().unwrap())
}

/// Everything that the compactor of a view can say of it.
fn said_of(compactor: &Compactor) -> String {
    let searchable: Vec<_> =
        (0..compactor.log().len()).map(|at| compactor.searchable(at)).collect();
    let (view, report) = (compactor.view(), compactor.report());
    let (plan, status) = (compactor.plan(Reason::Manual), compactor.pressure());
    let (state, memory) = (compactor.structured_state(), compactor.memory());
    let left: Vec<_> = compactor.compacted().collect();
    let notes = compactor.summarizer_notes();
    let summary = report.and_then(|report| report.summary.as_deref()).unwrap_or_default();
    let sources: Vec<_> = summary.lines().map(|line| compactor.sources(line)).collect();
    let beside = format!("{state:?} {memory:?} {left:?} {notes} {sources:?}");
    format!("{view:?} {report:?} {plan:?} {status:?} {searchable:?} {beside}")
}

/// The text of the latest message of a view. Only a view that has this message can contain it.
fn latest(compactor: &Compactor) -> String {
    compactor.log().messages().next_back().map_or_else(String::new, Message::text)
}

/// A team, and what is known of it.
struct Team {
    compactor: Compactor,
    /// All messages that were ever there, in their latest version.
    messages: Vec<Message>,
    held: usize,
}

impl Team {
    /// `held` is how many messages the views of the agents may have in memory.
    fn new(prepare_at: Option<PrepareAt>, held: usize) -> Self {
        let policy = policy(prepare_at);
        let tokenizer = Box::new(CharactersPer(3));
        let mut compactor = Compactor::new(policy, Contract::default(), tokenizer).unwrap();
        compactor.hold_for_agents(held);
        Self { compactor, messages: Vec::new(), held }
    }

    /// Calls a function with an agent, or with the team itself.
    fn with<T>(&mut self, agent: usize, call: impl FnOnce(&mut Compactor) -> T) -> T {
        match AGENTS.get(agent) {
            Some(name) => call(&mut self.compactor.agent(name).unwrap()),
            None => call(&mut self.compactor),
        }
    }

    fn append(&mut self, message: Message) {
        self.messages.push(message.clone());
        self.compactor.append(message).unwrap();
    }

    fn may_see(&self, number: usize, agent: Option<&str>) -> bool {
        let message = &self.messages[number];
        agent.map_or(message.audience.is_everyone(), |agent| message.is_for(agent))
    }

    /// Fails if a text has the word of a message that is not for an agent, or for all.
    fn has_only_its_own(&self, text: &str, agent: Option<&str>) -> TestCaseResult {
        for number in 0..self.messages.len() {
            let (word, id) = (format!("word-{number}-x"), format!("\"m{number}\""));
            let (file, call) = (format!("file/{number}.rs"), format!("call-{number}-x"));
            if !self.may_see(number, agent) {
                let found = [word, id, file, call].into_iter().find(|part| text.contains(part));
                prop_assert!(found.is_none(), "{agent:?} has {found:?}: {text}");
            }
        }
        Ok(())
    }

    /// The views of all agents, and of the team itself.
    fn views(&mut self) -> Vec<String> {
        let view = |compactor: &mut Compactor| {
            let (tokens, memory) = (compactor.pressure().tokens, compactor.memory());
            let (view, state) = (compactor.view(), compactor.structured_state());
            format!("{view:?} {tokens:?} {memory:?} {state:?}")
        };
        (0..=AGENTS.len()).map(|agent| self.with(agent, view)).collect()
    }

    /// Does something in the view of one agent, which returns what was said: that is its own, and no other view is another one
    /// afterwards.
    fn within(
        &mut self,
        agent: usize,
        act: impl FnOnce(&mut Compactor) -> Result<String, TestCaseError>,
    ) -> TestCaseResult {
        let before = self.views();
        let said = self.with(agent, act)?;
        self.has_only_its_own(&said, AGENTS.get(agent).copied())?;
        for (at, (before, after)) in before.iter().zip(self.views()).enumerate() {
            prop_assert!(at == agent || *before == after, "the view of {at} by {agent}");
        }
        Ok(())
    }

    fn apply(&mut self, step: &Step) -> TestCaseResult {
        let number = self.messages.len();
        let known = |at: &usize| at.checked_rem(number);
        match step {
            Step::Append { author, audience } => {
                self.append(message(number, 0, *author, *audience));
            }
            Step::Tool { author, audience } => {
                tool_round(number, *author, *audience).into_iter().for_each(|it| self.append(it));
            }
            Step::Insert { before, audience } => {
                if let Some(before) = known(before) {
                    let message = message(number, 0, 5, *audience);
                    let before = MessageId::from(format!("m{before}"));
                    if self.compactor.insert(message.clone(), before).is_ok() {
                        self.messages.push(message);
                    }
                }
            }
            Step::Edit { message: at } => {
                let is_said = |at: &usize| {
                    self.messages[*at].parts.iter().all(|part| matches!(part, Part::Text { .. }))
                };
                if let Some(at) = known(at).filter(is_said) {
                    let earlier = self.messages[at].clone();
                    let edited = Message {
                        author: earlier.author,
                        audience: earlier.audience,
                        ..message(at, number, 5, 0)
                    };
                    let edited = Message { role: earlier.role, ..edited };
                    if self.compactor.edit(edited.clone()).is_ok() {
                        self.messages[at] = edited;
                    }
                }
            }
            Step::Remove { message } => {
                if let Some(at) = known(message) {
                    let _ = self.compactor.remove(format!("m{at}").into());
                }
            }
            Step::Head { message } => {
                if let Some(at) = known(message) {
                    let _ = self.compactor.move_head(Some(format!("m{at}").into()));
                }
            }
            Step::Compact { agent } => self.within(*agent, compact_and_check)?,
            Step::Task => {
                let before = self.views();
                let by = number.is_multiple_of(2).then(|| "ann".to_owned());
                let tasks = TaskSettings { shared_by: by, ..TaskSettings::default() };
                let policy = Policy { tasks, ..policy(self.compactor.policy().prepare_at) };
                if self.compactor.set_policy(policy).is_ok() {
                    self.compactor.complete_task(format!("task {number}")).unwrap();
                }
                prop_assert_eq!(self.views(), before);
                self.within(AGENTS.len(), transit)?;
                for agent in 0..AGENTS.len() {
                    self.within(agent, transit)?;
                }
            }
            Step::Remember { agent, standing } => self.within(*agent, |compactor| {
                let entry = MemoryEntry { text: latest(compactor), standing: *standing };
                compactor.remember(entry).unwrap();
                Ok(drive(compactor))
            })?,
            Step::Note { agent } => self.within(*agent, |compactor| {
                let entry = StateEntry { text: latest(compactor), ..StateEntry::default() };
                let state = StructuredState { tasks: vec![entry], ..StructuredState::default() };
                compactor.set_structured_state(state).unwrap();
                Ok(drive(compactor))
            })?,
            Step::Todo { agent } => self.within(*agent, |compactor| {
                compactor.set_todo(latest(compactor)).unwrap();
                Ok(drive(compactor))
            })?,
            Step::Check { agent, author, audience } => {
                let mut said = String::new();
                let (reason, request) = self.with(*agent, |compactor| {
                    (compactor.check(Phase::TurnEnd), next_request(compactor, &mut said))
                });
                if request.is_some() {
                    self.append(message(number, 0, *author, *audience));
                }
                self.within(*agent, |compactor| {
                    if let Some(request) = request {
                        compactor.handle_summary(request.id, &answer(&request));
                    }
                    said.push_str(&drive(compactor));
                    if reason.is_some_and(|reason| compactor.compact(reason, None).is_ok()) {
                        said.push_str(&drive(compactor));
                    }
                    Ok(said)
                })?;
            }
            Step::Undo { agent } => self.within(*agent, |compactor| match compactor.undo() {
                Ok(_) => Ok(drive(compactor)),
                Err(_) => Ok(String::new()),
            })?,
            Step::Restore => {
                let before = self.views();
                let lines = self.compactor.snapshot().to_json_lines().unwrap();
                let snapshot = Snapshot::from_json_lines(&lines).unwrap();
                let tokenizer = Box::new(CharactersPer(3));
                self.compactor =
                    Compactor::restore(snapshot, Contract::default(), tokenizer).unwrap();
                self.compactor.hold_for_agents(self.held);
                prop_assert_eq!(self.views(), before);
            }
        }
        Ok(())
    }

    /// Nobody has a word of what is not for them, and everything in the log is somewhere.
    fn check(&mut self) -> TestCaseResult {
        // The compactor of the team stores what is for others, and shows nothing of it.
        let (view, plan) = (self.compactor.view(), self.compactor.plan(Reason::Manual));
        let searchable: Vec<_> =
            (0..self.compactor.log().len()).map(|at| self.compactor.searchable(at)).collect();
        let (state, memory) = (self.compactor.structured_state(), self.compactor.memory());
        let beside = format!("{:?} {state:?} {memory:?}", self.compactor.report());
        let shown = format!("{view:?} {plan:?} {searchable:?} {beside}");
        self.has_only_its_own(&shown, None)?;
        for agent in 0..=AGENTS.len() {
            self.finds_only_its_own(agent)?;
        }
        check_view(&self.compactor)?;
        let mut logs = vec![self.compactor.log().messages().cloned().collect::<Vec<_>>()];
        for name in AGENTS {
            check_view(&self.compactor.agent(name).unwrap())?;
            let text = everything(&self.compactor.agent(name).unwrap());
            self.has_only_its_own(&text, Some(name))?;
            let log: Vec<Message> =
                self.compactor.agent(name).unwrap().log().messages().cloned().collect();
            // What is for all comes in the order of the team.
            let shared = log.iter().filter(|message| message.audience.is_everyone());
            prop_assert!(shared.eq(&logs[0]), "{name}");
            logs.push(log);
        }
        self.nothing_is_lost()
    }

    /// Neither the words nor the offloaded results of other messages lead an agent to them.
    fn finds_only_its_own(&mut self, agent: usize) -> TestCaseResult {
        let numbers = 0..self.messages.len();
        let found = self.with(agent, |compactor| {
            let results = numbers.clone().filter_map(|number| {
                let path = format!("tool-results/call-{number}-x.txt");
                compactor.log().offloaded(&path).map(str::to_owned)
            });
            let results: Vec<String> = results.collect();
            let line: String = numbers.map(|number| format!("word-{number}-x ")).collect();
            let said = compactor.sources(&format!("- It was {line}"));
            format!("{results:?} {said:?}")
        });
        self.has_only_its_own(&found, AGENTS.get(agent).copied())
    }

    /// Each view with what has left it is the log of its agent, and these logs together are the log of the team.
    fn nothing_is_lost(&mut self) -> TestCaseResult {
        let mut seen: BTreeSet<MessageId> = BTreeSet::new();
        for name in AGENTS {
            let agent = self.compactor.agent(name).unwrap();
            let View { edits, findings, .. } = agent.view();
            let shown = edits.iter().filter_map(|edit| match edit {
                Edit::Keep(id) | Edit::Replace { id, .. } => Some(id),
                Edit::Insert { .. } => None,
            });
            // A result whose call was removed is left out, and the view says so.
            let left_out = findings.iter().map(|finding| &finding.id);
            let all: BTreeSet<&MessageId> =
                shown.chain(agent.compacted()).chain(left_out).collect();
            let log: BTreeSet<&MessageId> = agent.log().messages().map(|it| &it.id).collect();
            prop_assert_eq!(all, log, "{}", name);
            let known = |number: &usize| agent.log().contains(&format!("m{number}").into());
            let numbers = (0..self.messages.len()).filter(known);
            seen.extend(numbers.map(|number| MessageId::from(format!("m{number}"))));
        }
        for number in 0..self.messages.len() {
            let id = MessageId::from(format!("m{number}"));
            prop_assert_eq!(seen.contains(&id), self.compactor.log().contains(&id), "{:?}", id);
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(times(96))]

    #[test]
    fn f1_nobody_sees_what_is_not_for_them(
        prepare_at in in_advance(),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut team = Team::new(prepare_at, usize::MAX);
        for step in &steps {
            team.apply(step)?;
            team.check()?;
        }
    }

    #[test]
    fn f1_an_agent_whose_messages_were_not_in_memory_is_what_it_was(
        prepare_at in in_advance(),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut team = Team::new(prepare_at, usize::MAX);
        let mut resting = Team::new(prepare_at, 0);
        for step in &steps {
            team.apply(step)?;
            resting.apply(step)?;
            for agent in 0..=AGENTS.len() {
                let described = |compactor: &mut Compactor| {
                    let (epoch, changes) = (compactor.epoch(), compactor.log().changes());
                    format!("{epoch} {changes} {} {}", compactor.log().revision(), said_of(compactor))
                };
                prop_assert_eq!(resting.with(agent, described), team.with(agent, described));
            }
        }
    }
}
