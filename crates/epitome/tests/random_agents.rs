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
use epitome::message::{Audience, Message, MessageId, Part, Role};
use epitome::policy::{Keep, MemorySettings, Phase, TaskSettings};
use epitome::tokens::CharactersPer;
use epitome::{
    Compactor, Contract, MemoryEntry, Output, Policy, Reason, Snapshot, StateEntry, StructuredState,
};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult};
use random::app::applied;
use random::invariants::{CheckedView, count_is_the_sum, every_missing_message_has_a_reason};
use random::times;

const AGENTS: [&str; 5] = ["ann", "ben", "cleo", "dan", "eve"];

/// What happens in a conversation. Numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Step {
    Append { author: usize, audience: u8 },
    Tool { author: usize, audience: u8 },
    Insert { before: usize, audience: u8 },
    Edit { message: usize },
    Remove { message: usize },
    Head { message: usize },
    Compact { agent: usize },
    Task,
    Remember { agent: usize, standing: bool },
    Note { agent: usize },
    Undo { agent: usize },
    Restore,
}

fn step() -> impl Strategy<Value = Step> {
    // A third of the messages is for all.
    let audience = || prop_oneof![1 => Just(0), 2 => 1_u8..32];
    prop_oneof![
        24 => (0..6_usize, audience()).prop_map(|(author, audience)| Step::Append { author, audience }),
        4 => (0..5_usize, audience()).prop_map(|(author, audience)| Step::Tool { author, audience }),
        2 => (any::<usize>(), audience()).prop_map(|(before, audience)| Step::Insert { before, audience }),
        2 => any::<usize>().prop_map(|message| Step::Edit { message }),
        1 => any::<usize>().prop_map(|message| Step::Remove { message }),
        1 => any::<usize>().prop_map(|message| Step::Head { message }),
        5 => (0..6_usize).prop_map(|agent| Step::Compact { agent }),
        1 => Just(Step::Task),
        3 => (0..6_usize, any::<bool>())
            .prop_map(|(agent, standing)| Step::Remember { agent, standing }),
        1 => (0..6_usize).prop_map(|agent| Step::Note { agent }),
        2 => (0..6_usize).prop_map(|agent| Step::Undo { agent }),
        1 => Just(Step::Restore),
    ]
}

fn policy() -> Policy {
    let memory = MemorySettings { blend_at: 3, blend: 2, max_tokens: 50, in_summary: true };
    let mut policy =
        Policy { keep: Keep::Messages(2), target: 0.5, memory, ..Policy::recommended(300) };
    policy.summary.structured_state = true;
    policy
}

fn empty() -> Compactor {
    Compactor::new(policy(), Contract::default(), Box::new(CharactersPer(3))).unwrap()
}

/// A message, whose text has a word of its own and the names of those who may see it.
fn message(number: usize, version: usize, author: usize, audience: u8) -> Message {
    let names: Vec<String> = AGENTS
        .iter()
        .enumerate()
        .filter(|(at, _)| audience >> at & 1 == 1)
        .map(|(_, name)| (*name).to_owned())
        .collect();
    let author = AGENTS.get(author).copied();
    let role = if author.is_some() { Role::Assistant } else { Role::User };
    let text =
        format!("the word-{number}-x of the garden file/{number}.rs, version {version}, is long");
    Message {
        author: author.map(str::to_owned),
        audience: if audience == 0 { Audience::Everyone } else { Audience::Agents(names) },
        ..Message::new(format!("m{number}"), role, text)
    }
}

/// A call of a tool and its result, for the same agents.
fn tool_round(number: usize, author: usize, audience: u8) -> [Message; 2] {
    let call = format!("call-{number}");
    let called = Message {
        parts: vec![Part::ToolCall {
            call: call.as_str().into(),
            name: "look".into(),
            arguments: format!("{{\"at\": \"word-{number}-x\"}}"),
        }],
        ..message(number, 0, author, audience)
    };
    let next = number + 1;
    let text = format!("found word-{next}-x in file/{next}.rs, {}", "line after line ".repeat(4));
    // The author of the call is not that of its result, and has to see it too.
    let audience = if audience == 0 { 0 } else { audience | 1 << author };
    let result = Message {
        role: Role::Tool,
        author: None,
        parts: vec![Part::ToolResult { call: call.as_str().into(), name: None, text }],
        ..message(next, 0, 5, audience)
    };
    [called, result]
}

/// Handles all outputs, and returns everything that was said in them. The summaries repeat all that the summarizer was told.
fn drive(compactor: &mut Compactor) -> String {
    let mut said = String::new();
    loop {
        let output = compactor.poll_output();
        said.push_str(&format!("{output:?}"));
        match output {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) => {
                let envelope = format!("{:?}", request.envelope());
                let words: Vec<&str> =
                    envelope.split(' ').filter(|word| word.starts_with("word-")).collect();
                let words = words.join(" ");
                let answer = match request.system.contains("lists of <current_state>") {
                    true => format!("Said: {words}.\n{{\"decisions\": [\"{words}\"]}}"),
                    false => format!("Said: {words}."),
                };
                compactor.handle_summary(request.id, &answer);
            }
            Output::Persist(_) => compactor.handle_persisted().unwrap(),
            Output::Wait(_) => return said,
            Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
        }
    }
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
    holds(CheckedView::new(&messages, &after).check(placement, Reason::Manual))?;
    compactor.undo().unwrap();
    said.push_str(&drive(compactor));
    let undone = (compactor.view(), compactor.conversation().counted_tokens());
    prop_assert_eq!(undone, before, "an undo restores the view before");
    compactor.compact(Reason::Manual, None).unwrap();
    said.push_str(&drive(compactor));
    prop_assert_eq!(compactor.view(), after, "the same compaction gives the same view");
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

/// Everything that the compactor of a view can say of it.
fn everything(compactor: &Compactor) -> String {
    let searchable: Vec<_> =
        (0..compactor.log().len()).map(|at| compactor.searchable(at)).collect();
    let lines = compactor.snapshot().to_json_lines().unwrap();
    let (view, report) = (compactor.view(), compactor.report());
    let (plan, status) = (compactor.plan(Reason::Manual), compactor.pressure());
    let (state, memory) = (compactor.structured_state(), compactor.memory());
    let left: Vec<_> = compactor.compacted().collect();
    let notes = compactor.summarizer_notes();
    let beside = format!("{state:?} {memory:?} {left:?} {notes}");
    format!("{view:?} {report:?} {plan:?} {status:?} {searchable:?} {lines} {beside}")
}

/// A team, and what is known of it.
struct Team {
    compactor: Compactor,
    /// All messages that were ever there, in their latest version.
    messages: Vec<Message>,
}

impl Team {
    fn may_see(&self, number: usize, agent: Option<&str>) -> bool {
        let message = &self.messages[number];
        agent.map_or(message.audience.is_everyone(), |agent| message.is_for(agent))
    }

    /// Fails if a text has the word of a message that is not for an agent, or for all.
    fn has_only_its_own(&self, text: &str, agent: Option<&str>) -> TestCaseResult {
        for number in 0..self.messages.len() {
            let (word, id) = (format!("word-{number}-x"), format!("\"m{number}\""));
            let file = format!("file/{number}.rs");
            if !self.may_see(number, agent) {
                let found = [word, id, file].into_iter().find(|part| text.contains(part));
                prop_assert!(found.is_none(), "{agent:?} has {found:?}: {text}");
            }
        }
        Ok(())
    }

    /// The views of all agents.
    fn views(&mut self) -> Vec<String> {
        let view = |compactor: &Compactor| {
            format!("{:?} {:?}", compactor.view(), compactor.pressure().tokens)
        };
        AGENTS.iter().map(|name| view(&self.compactor.agent(name).unwrap())).collect()
    }

    fn apply(&mut self, step: &Step) -> TestCaseResult {
        let number = self.messages.len();
        let known = |at: &usize| at.checked_rem(number);
        match step {
            Step::Append { author, audience } => {
                let message = message(number, 0, *author, *audience);
                self.messages.push(message.clone());
                self.compactor.append(message).unwrap();
            }
            Step::Tool { author, audience } => {
                for message in tool_round(number, *author, *audience) {
                    self.messages.push(message.clone());
                    self.compactor.append(message).unwrap();
                }
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
            Step::Compact { agent } => {
                let before = self.views();
                let name = AGENTS.get(*agent).copied();
                let said = match name {
                    Some(name) => {
                        let mut agent = self.compactor.agent(name).unwrap();
                        compact_and_check(&mut agent)?
                    }
                    None => compact_and_check(&mut self.compactor)?,
                };
                self.has_only_its_own(&said, name)?;
                for (at, (before, after)) in before.iter().zip(self.views()).enumerate() {
                    prop_assert!(at == *agent || *before == after, "the view of {}", AGENTS[at]);
                }
            }
            Step::Task => {
                let by = number.is_multiple_of(2).then(|| "ann".to_owned());
                let tasks = TaskSettings { shared_by: by, ..TaskSettings::default() };
                let policy = Policy { tasks, ..policy() };
                if self.compactor.set_policy(policy).is_ok() {
                    self.compactor.complete_task(format!("task {number}")).unwrap();
                }
                let said = transit(&mut self.compactor)?;
                self.has_only_its_own(&said, None)?;
                for name in AGENTS {
                    let said = transit(&mut self.compactor.agent(name).unwrap())?;
                    self.has_only_its_own(&said, Some(name))?;
                }
            }
            Step::Remember { agent, standing } => {
                let Some(name) = AGENTS.get(*agent) else { return Ok(()) };
                let mut agent = self.compactor.agent(name).unwrap();
                // Whoever remembers something has read it.
                let text =
                    agent.log().messages().next_back().map_or_else(String::new, Message::text);
                agent.remember(MemoryEntry { text, standing: *standing }).unwrap();
                let said = drive(&mut agent);
                drop(agent);
                self.has_only_its_own(&said, Some(name))?;
            }
            Step::Note { agent } => {
                let Some(name) = AGENTS.get(*agent) else { return Ok(()) };
                let mut agent = self.compactor.agent(name).unwrap();
                let text =
                    agent.log().messages().next_back().map_or_else(String::new, Message::text);
                let entry = StateEntry { text, ..StateEntry::default() };
                let state = StructuredState { tasks: vec![entry], ..StructuredState::default() };
                agent.set_structured_state(state).unwrap();
            }
            Step::Undo { agent } => {
                let Some(name) = AGENTS.get(*agent) else { return Ok(()) };
                let mut agent = self.compactor.agent(name).unwrap();
                if agent.undo().is_ok() {
                    drive(&mut agent);
                }
            }
            Step::Restore => {
                let before = self.views();
                let lines = self.compactor.snapshot().to_json_lines().unwrap();
                let snapshot = Snapshot::from_json_lines(&lines).unwrap();
                let tokenizer = Box::new(CharactersPer(3));
                self.compactor =
                    Compactor::restore(snapshot, Contract::default(), tokenizer).unwrap();
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
        let shown = format!("{view:?} {plan:?} {searchable:?} {:?}", self.compactor.report());
        self.has_only_its_own(&shown, None)?;
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
    #![proptest_config(times(256))]

    #[test]
    fn f1_nobody_sees_what_is_not_for_them(steps in prop::collection::vec(step(), 1..60)) {
        let mut team = Team { compactor: empty(), messages: Vec::new() };
        for step in &steps {
            team.apply(step)?;
        }
        team.check()?;
    }
}
